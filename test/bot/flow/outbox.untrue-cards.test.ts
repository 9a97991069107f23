/** What people read of a card is so: after a memory was restored, and of what was written below a card that is gone. */
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Intent, Request } from '../../../src/bot/domain/request/intent.ts'
import { openStore } from '../../../src/bot/store/open/open-store.ts'
import { actingOn, actingWorld, hourMs, muting, undoing, unmuting } from '../../support/acting-world.ts'
import { anAlert, closing, opening } from '../../support/delivery-world.ts'
import { isOnFile } from '../../support/memory-store.ts'
import { movingTown, usual } from '../../support/moving-town.ts'
import { manyAlerts, storming } from '../../support/storm-rows.ts'

const byBen = { ackedBy: 'U0BEN', ackedMs: 1 }

/** Slack shows an acknowledgement that the memory knows nothing of: it is a copy from before. */
async function restored() {
  const it = await movingTown()
  it.service.open({ hostname: 'web-1' })
  await it.pass(1)
  const [message] = it.chat.messages
  if (message?.view.kind !== 'alert') throw new Error('the card is posted')
  const owner = () => (message.view.kind === 'alert' ? message.view.alert.ackedBy : undefined)
  message.view = { ...message.view, alert: { ...message.view.alert, ...byBen } }
  return { ...it, owner }
}

test('a restored backup left “acknowledged” on a card that nobody has', async () => {
  const it = await restored()
  // Started again on the copy, whose last poll is a while ago.
  await it.stop()
  await it.pass(10)
  await it.start()
  expect(it.owner()).toBeNull()
})

test('a restart a moment later shows no card anew', async () => {
  const it = await restored()
  await it.stop()
  await it.pass(1)
  const tries = it.tries.length
  await it.start()
  await it.pass(5)
  expect(it.tries).toHaveLength(tries)
})

test('a note on a closed alert whose card is gone was “added”, and stood nowhere', async () => {
  const it = await movingTown(usual)
  const alertId = it.service.open({ hostname: 'web-1' })
  await it.pass(1)
  it.service.close(alertId)
  await it.pass(5)
  it.chat.messages.length = 0
  expect(await it.does({ kind: 'add_note', alert: alertId, text: 'it was the cron job' })).toMatchObject({
    kind: 'done',
  })
  await it.pass(5)
  const [note, ...none] = it.chat.messages
  expect(none).toEqual([])
  expect(note).toMatchObject({
    channel: 'C0OPS',
    threadTs: null,
    view: { kind: 'note', note: { text: 'it was the cron job' }, about: { alertId } },
  })
})

/** The memory of a world as it is now, copied, and everything told in between is on cards that it never had. */
async function copyOf({ store }: { readonly store: { copy(): Buffer } }) {
  const copy = await openStore(':memory:', undefined, store.copy())
  onTestFinished(() => copy.close())
  return copy
}

const ofAlert = { by: 'alert', alertId: '1' } as const
const mutesFor = { end: { kind: 'for', ms: hourMs }, reason: '', shown: null } as const
const pressed = (cardId: string, version = 3): Partial<Request> => ({
  via: 'button',
  card: { cardId, version },
})
const onAlert = pressed('alert:1:C0OPS')

/** Every press that a card of one alert, of several, and a hand-back have. */
const presses: readonly (readonly [what: string, intent: Intent])[] = [
  ['Acknowledge', { kind: 'acknowledge', alert: '1' }],
  ['Take over', { kind: 'take_over', of: { by: 'alert', alert: '1' } }],
  ['Hand back', { kind: 'unacknowledge', of: { by: 'alert', alert: '1' } }],
  ['Still on it', { kind: 'still_on_it', of: { by: 'alert', alert: '1' } }],
  ['Mute', { kind: 'mute_server', servers: [ofAlert], ...mutesFor }],
  ['Unmute', { kind: 'unmute_server', server: ofAlert }],
  ['Custom mute', { kind: 'open_form', form: 'mute_server', alertId: '1', given: null }],
  ['Add note', { kind: 'open_form', form: 'add_note', alertId: '1', given: null }],
  ['Acknowledge all', { kind: 'acknowledge_all', cardId: 'storm:1:C0OPS', shown: 30 }],
  ['Take all over', { kind: 'take_over', of: { by: 'card', cardId: 'storm:1:C0OPS' } }],
  ['Mute all', { kind: 'mute_server', servers: [{ by: 'card', cardId: 'storm:1:C0OPS' }], ...mutesFor }],
  ['Custom mute of all', { kind: 'open_form', form: 'mute_server', alertId: null, given: null }],
  ['Drop marker', { kind: 'open_form', form: 'add_marker', alertId: null, given: null }],
  ['Extend', { kind: 'extend_mute', muteId: 'm1', ms: hourMs }],
  ['Undo', { kind: 'undo_mute', muteId: 'm1', termsMs: 1 }],
  ['Undo of several', { kind: 'undo_mute', muteId: 'm1', termsMs: 1, auditId: 'a1' }],
]

describe('a press on a card that the memory does not know', () => {
  test.runIf(isOnFile).each(presses)(
    'says so, and never that all is closed or unmuted: %s',
    async (_, intent) => {
      const restored = await actingWorld({ store: await copyOf(await actingWorld()) })
      const reply = await restored.does(intent, pressed('storm:1:C0OPS'))
      expect(reply).toMatchObject({ kind: 'refused', refusal: { why: 'unknown_card' } })
      expect([restored.calls, await restored.mutes()]).toEqual([[], []])
    },
  )

  test('of a storm whose channel is gone is not told that nothing is open', async () => {
    const world = await actingWorld()
    const { plan, cardId } = storming(manyAlerts(30), 'C0OLD', world.clock.nowMs())
    await world.store.commit(plan)
    await world.store.letGo('C0OLD', { isWanted: false, read: ['C0OPS'], fallback: 'C0OPS' })
    const all = { kind: 'acknowledge_all', cardId, shown: 30 } as const
    expect(await world.does(all, pressed(cardId))).toMatchObject({ refusal: { why: 'unknown_card' } })
  })

  test('acts on the alert that it names, as it is today', async () => {
    const world = await letGoOf()
    expect(await world.does({ kind: 'acknowledge', alert: '1' }, onAlert)).toMatchObject({ kind: 'done' })
    expect(await world.store.openAlerts(null)).toMatchObject([{ ackedBy: 'U0ANA' }])
    const mute = { kind: 'mute_server', servers: [ofAlert], ...mutesFor } as const
    expect(await world.does(mute, onAlert)).toMatchObject({ kind: 'muted' })
  })

  test('takes nothing from a colleague, and mutes no second time', async () => {
    const world = await letGoOf()
    const ben = { userId: 'U0BEN' }
    await world.does({ kind: 'acknowledge', alert: '1' }, ben)
    const back = { kind: 'unacknowledge', of: { by: 'alert', alert: '1' } } as const
    expect(await world.does(back, onAlert)).toMatchObject({
      kind: 'stale',
      changed: { what: 'acknowledged' },
    })
    await world.does(muting('web-1'), ben)
    const calls = world.calls.length
    const mute = { kind: 'mute_server', servers: [ofAlert], ...mutesFor } as const
    expect(await world.does(mute, onAlert)).toMatchObject({ kind: 'stale', changed: { what: 'muted' } })
    expect(world.calls).toHaveLength(calls)
  })

  test('mutes nothing where the alert has closed', async () => {
    const alert = anAlert('1')
    const world = await letGoOf()
    await world.store.commit(closing(alert, world.clock.nowMs()))
    const mute = { kind: 'mute_server', servers: [ofAlert], ...mutesFor } as const
    expect(await world.does(mute, onAlert)).toMatchObject({ kind: 'stale', changed: { what: 'closed' } })
    expect(world.calls).toEqual([])
  })

  test('does not act on another alert that has its number by now', async () => {
    const world = await actingOn(anAlert('7~2'))
    const reply = await world.does({ kind: 'acknowledge', alert: '7' }, pressed('alert:7:C0OPS'))
    expect(reply).toMatchObject({ refusal: { why: 'unknown_card', alert: '7' } })
    expect(await world.store.openAlerts(null)).toMatchObject([{ ackedBy: null }])
    // Typed, the number is that of the one that has it now.
    expect(await world.does({ kind: 'acknowledge', alert: '7' })).toMatchObject({ kind: 'done' })
  })

  /** The alert is open, and its card stood in a channel that no setting names any more. */
  async function letGoOf() {
    const world = await actingWorld()
    await world.store.commit(opening([anAlert('1')], 'C0OLD', world.clock.nowMs()))
    await world.store.letGo('C0OLD', { isWanted: false, read: ['C0OPS'], fallback: 'C0OPS' })
    return world
  }
})

test.runIf(isOnFile).each([1, 3])(
  'Unmute of a card that a restored memory shows anew was “is unmuted”, untried: version %i',
  async (version) => {
    const world = await actingOn(anAlert('1'))
    const copy = await copyOf(world)
    await world.does(muting('web-1'))
    const [mute] = await world.mutes()
    const restored = await actingWorld({ store: copy })
    const [card] = await copy.cardsOf(['1'])
    if (card === undefined) throw new Error('it has a card')
    await restored.store.commit({
      ...closing(anAlert('9'), restored.clock.nowMs()),
      alerts: [],
      dirtyCards: [card.cardId],
    })
    const reply = await restored.does(unmuting('web-1'), pressed(card.cardId, version))
    expect(reply).toMatchObject({ kind: 'unmuted', isSure: true })
    expect(restored.calls).toEqual(['server web-1 on'])
    expect(await restored.does(undoing(mute))).toMatchObject({ refusal: { why: 'unknown_card' } })
  },
)
