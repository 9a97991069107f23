/** The demo's policy is one that the bot takes, and it shows what a policy is for. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readPolicy } from '../../src/config/policy-file.ts'
import { writePolicy } from '../../src/demo/policy.ts'
import { gradeOf } from '../../src/domain/alert/severity-rules.ts'
import { linksOf } from '../../src/domain/card/links.ts'
import { anAlert } from '../support/delivery-world.ts'

test('of the demo’s alerts some are critical, and each links to a runbook', () => {
  const folder = mkdtempSync(join(tmpdir(), 'monbot-policy-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const path = writePolicy(folder)
  const { policy, problems } = readPolicy(readFileSync(path, 'utf8'), path, [])
  expect(problems).toEqual([])
  const [spike, silence] = [
    anAlert('1', { plugin: 'CPU', hostname: 'web-2' }),
    anAlert('2', { plugin: 'Heartbeat' }),
  ]
  expect([spike, silence].map((alert) => gradeOf(alert, policy?.severity ?? []))).toEqual([
    'warning',
    'critical',
  ])
  expect(linksOf(spike, policy?.links ?? [])).toEqual([
    { text: 'Runbook', url: 'https://example.com/runbook?plugin=CPU&server=web-2' },
  ])
})
