/** A Node that is too old is refused in one sentence. */
import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { isNodeNewEnough, requireNode } from '../src/node-version.ts'

test.each([
  ['18.20.4', false],
  ['20.20.2', false],
  ['22.18.0', false],
  ['22.19.0', true],
  ['24.0.0', true],
  ['26.10.0', true],
])('Node %s: %s', (version, isGood) => {
  expect(isNodeNewEnough(version)).toBe(isGood)
})

test('this Node passes', () => {
  expect(() => requireNode()).not.toThrow()
})

test('an entry file on an older Node prints one sentence and exits with 1', () => {
  const source = new URL('../src/node-version.ts', import.meta.url).href
  const entry = `import { requireNode } from '${source}'; requireNode('20.20.2'); console.log('went on')`
  const run = spawnSync(process.execPath, ['--input-type=module', '--eval', entry], { encoding: 'utf8' })
  expect(run.status).toBe(1)
  expect(run.stdout).toBe('')
  expect(run.stderr.trim().split('\n')).toHaveLength(1)
  expect(run.stderr).toContain('Node 22.19 or newer; this is 20.20.2')
})
