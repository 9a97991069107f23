/** The demo prints the workspace's messages: readable without a browser, and harmless to the terminal. */
import { expect, test } from 'vitest'
import { followCards, plainWords } from '../../src/demo/follow-cards.ts'
import { eventually, neighbour, section } from '../workspace/neighbour.ts'

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
