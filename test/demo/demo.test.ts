/** The demo: its options, a policy that the bot takes, and the workspace's messages in the terminal. */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readPolicy } from '../../src/bot/config/policy.ts'
import { gradeOf } from '../../src/bot/domain/alert/match.ts'
import { linksOf } from '../../src/bot/domain/card/links.ts'
import { followCards, plainWords } from '../../src/demo/follow-cards.ts'
import { readOptions } from '../../src/demo/options.ts'
import { writePolicy } from '../../src/demo/policy.ts'
import { anAlert } from '../support/delivery-world.ts'
import { eventually, neighbour, section } from '../workspace/neighbour.ts'

test('without options nothing but the demo', () => {
  expect(readOptions([])).toEqual({ prometheus: false, night: null, host: null })
})

test('the night takes ten minutes unless it is told otherwise', () => {
  expect(readOptions(['--script', 'night'])).toMatchObject({
    prometheus: false,
    night: { minutes: 10 },
  })
  expect(readOptions(['--host', '0.0.0.0'])).toMatchObject({ host: '0.0.0.0' })
  expect(readOptions(['--script=night', '--minutes', '2.5'])).toMatchObject({ night: { minutes: 2.5 } })
  expect(readOptions(['--help'])).toBe('help')
})

const wrong = [
  [['--nihgt'], /Unknown option '--nihgt'/],
  [['night'], /Unexpected argument 'night'/],
  [['--script', 'day'], /--script: expected night; came "day"/],
  [['--script', 'night', '--minutes', '1'], /--minutes: expected 2 to 60; came "1"/],
  [['--script', 'night', '--minutes', 'ten'], /--minutes: expected 2 to 60; came "ten"/],
  [['--minutes', '5'], /only with --script night/],
  [['--script', 'night', '--prometheus'], /without --prometheus/],
  [['--host', 'web-1'], /--host: expected an IP address; came "web-1"/],
] as const

test.each(wrong)('%j is refused', (words, expected) => {
  expect(() => readOptions(words)).toThrow(expected)
})

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

test('a message is printed by its text when it is posted, updated and replied to', async () => {
  const { workspace, call } = await neighbour()
  const said: string[] = []
  const names = new Map([
    ['C0ALERTS01', 'alerts'],
    ['U0ANA00001', 'ana'],
  ])
  const cards = await followCards(`${workspace.url}control/events`, names, (text) => said.push(text))
  const blocks = [section('a picture of it')]
  const { ts } = await call('chat.postMessage', { channel: 'C0ALERTS01', text: '🔴 *disk full*', blocks })
  await call('chat.update', { channel: 'C0ALERTS01', ts, text: 'R&D is well again', blocks })
  await call('chat.postMessage', { channel: 'C0DB000001', text: 'web-1' })
  await call('chat.postMessage', {
    channel: 'C0ALERTS01',
    text: '<@U0ANA00001> saw it, not <@U0WHO>',
    thread_ts: ts,
  })
  await eventually('four messages', () => said.length === 4)
  expect(said).toEqual([
    '── posted in #alerts\n🔴 *disk full*\n',
    '── updated in #alerts\nR&D is well again\n',
    '── posted in #C0DB000001\nweb-1\n',
    '── posted in #alerts, in a thread\n@ana saw it, not @U0WHO\n',
  ])
  await cards.stop()
})

test.each([
  ['<https://mon.test/a_1|Load on web-1> &lt;b&gt;', 'Load on web-1 <b>'],
  ['since <!date^1795266309^{time}|13:05 UTC>\nby <@U0ANA00001>', 'since 13:05 UTC\nby @U0ANA00001'],
  [':red_circle: _worse_ :no_such_code:', '🔴 _worse_ :no_such_code:'],
  ['\u001b[2J\u001b]0;owned\u0007 \u009b31m red', '[2J]0;owned 31m red'],
  ['safe\u202egpj.exe \u2066x\u2069\rover', 'safegpj.exe xover'],
])('%j is printed as %j', (mrkdwn, words) => {
  expect(plainWords(mrkdwn)).toBe(words)
})
