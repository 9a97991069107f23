/** What mutes hid, and what nobody took, in words. */
import { expect, test } from 'vitest'
import type { CardView } from '../../src/domain/card/kinds.ts'
import { render } from '../../src/slack/render/render.ts'
import { aMute, anEntry } from '../support/acting-rows.ts'
import { anAlert } from '../support/delivery-world.ts'

const text = (view: CardView) => JSON.stringify(render(view).blocks)

test('the API that does not let a mute end was told of as an end of it', () => {
  const entry = anEntry('a1', {
    userId: null,
    via: 'monbot',
    act: 'end_mute',
    outcome: 'failed',
    why: 'rejected',
    detail: { answer: 'Server <locked>' },
  })
  expect(render({ kind: 'told', entry }).text).toBe(
    '⚠️ The mute of web-1 is over, but the monitoring API does not switch notifications on again (Server &lt;locked&gt;). monbot goes on trying, and shows what is open there from now on.',
  )
})

test('what happened once under a mute was counted as closed, and not named', () => {
  const mute = aMute('m1', { state: 'ended' })
  const oneoffs = [anAlert('9', { state: 'oneoff', startedMs: mute.startedMs + 1 })]
  const ended: CardView = { kind: 'mute_ended', mute, open: [], hidden: 1, oneoffs }
  expect(text(ended)).toContain('Happened once while it was muted:')
  expect(text(ended)).toContain('#9')
  expect(text(ended)).toContain('1 alert came while it was muted ·')
  expect(text({ ...ended, hidden: 3 })).toContain('3 alerts came while it was muted, 2 of them have closed')
})

test('a reminder of a summary counts those that nobody took, and calls nobody once there are none', () => {
  const [first, ...rest] = ['1', '2', '3'].map((alertId) => anAlert(alertId))
  if (first === undefined) throw new Error('there are three')
  const acked = { ...first, ackedBy: 'U1' }
  const view: CardView = {
    kind: 'reminder',
    stamp: { cardId: 'reminder:summary:1', version: 1 },
    alerts: [acked, ...rest],
    isOfList: true,
    mention: '<!here>',
    above: null,
    link: null,
  }
  expect(text(view)).toContain('Nobody has acknowledged 2 alerts of this list yet.* · <!here>')
  expect(text(view)).toContain('/mon ack')
  const closed = rest.map((alert) => ({ ...alert, state: 'closed' as const }))
  const over: CardView = { ...view, alerts: [acked, ...closed] }
  expect(text(over)).toContain('None of these 3 alerts waits for somebody any more')
  expect(text(over)).not.toContain('<!here>')
})
