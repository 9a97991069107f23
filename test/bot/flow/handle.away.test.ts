/**
 * The memory goes away in the middle of a request: whoever asked is told within three seconds, "nothing was changed" is true ever
 * after, and the same press once more does what was asked.
 */
import { describe, expect, test } from 'vitest'
import type { Intent, Request } from '../../../src/bot/domain/request/intent.ts'
import type { Reply } from '../../../src/bot/domain/request/reply.ts'
import { muting, mutingAccount, pendingOf, undoing, unmuting } from '../../support/acting-world.ts'
import { type Absence, absences } from '../../support/away-store.ts'
import { type AwayTown, awayTown } from '../../support/away-town.ts'
import { anAlert, opening } from '../../support/delivery-world.ts'

const card = { cardId: 'alert:1:C1', version: 1 }
const pressed: Partial<Request> = { via: 'button', card }

type Case = {
  readonly before?: (town: AwayTown) => Promise<unknown>
  /** From what came before it. */
  readonly intent: Intent | ((came: Reply | null, town: AwayTown) => Promise<Intent>)
  readonly over?: Partial<Request>
}

const hour = { end: { kind: 'for', ms: 3_600_000 } } as const
const isMuted = (town: AwayTown) => town.press(muting('web-1', hour))

const cases: Readonly<Record<string, Case>> = {
  acknowledge: { intent: { kind: 'acknowledge', alert: '1' }, over: pressed },
  'add a note': { intent: { kind: 'add_note', alert: '1', text: 'looking' }, over: { via: 'modal' } },
  mute: { intent: muting('web-1', hour) },
  'mute from a menu': { intent: muting('web-1', hour), over: { via: 'select', card } },
  'mute the account': { intent: mutingAccount, over: { via: 'modal' } },
  'confirm a question': {
    before: (town) => town.press(muting(['web-1', 'web-2'], hour)),
    intent: async (came) => ({ kind: 'confirm', pendingId: came === null ? '' : pendingOf(came) }),
    over: { via: 'button' },
  },
  'cancel a question': {
    before: (town) => town.press(muting(['web-1', 'web-2'], hour)),
    intent: async (came) => ({ kind: 'cancel', pendingId: came === null ? '' : pendingOf(came) }),
    over: { via: 'button' },
  },
  unmute: { before: isMuted, intent: unmuting('web-1'), over: pressed },
  undo: {
    before: isMuted,
    intent: async (_, { memory }) => undoing((await memory.store.mutes()).mutes[0]),
    over: { via: 'button' },
  },
  'add a role': { intent: { kind: 'add_roles', server: { by: 'name', name: 'web-1' }, roles: ['web'] } },
  'set a marker': { intent: { kind: 'add_marker', text: 'a release' }, over: { via: 'modal' } },
  'open a form': {
    intent: { kind: 'open_form', form: 'mute_server', alertId: '1', given: null },
    over: { via: 'shortcut' },
  },
  'open the form of a note': {
    intent: { kind: 'open_form', form: 'add_note', alertId: '1', given: null },
    over: pressed,
  },
  status: { intent: { kind: 'status' } },
  alerts: { intent: { kind: 'alerts', state: 'open', server: null, page: 1 } },
  mutes: { intent: { kind: 'mutes', page: 1 } },
  handoff: { intent: { kind: 'handoff', ms: 3_600_000 } },
  report: { intent: { kind: 'report', ms: 86_400_000 } },
  audit: { intent: { kind: 'audit', server: null, page: 1 } },
  chart: { intent: { kind: 'chart', server: 'web-1', metric: 'm0', ms: 3_600_000 } },
}

async function opened(one: Case) {
  const town = await awayTown()
  const alerts = ['1', '2'].map((id) => anAlert(id, { hostname: `web-${id}`, serverName: `web-${id}` }))
  await town.memory.store.commit(opening(alerts, 'C1', town.clock.nowMs()))
  const came = (await one.before?.(town)) ?? null
  const { intent } = one
  const ask = typeof intent === 'function' ? await intent(came as Reply | null, town) : intent
  const before = new Map(town.memory.calls)
  return { town, before, press: () => town.press(ask, one.over) }
}

/** What a person and the API could notice. */
async function stateOf({ memory, told }: AwayTown) {
  const { store } = memory
  const { entries } = await store.audit({ hostname: null, sinceMs: 0, offset: 0, limit: 100 })
  const alerts = await store.openAlerts(null)
  return {
    // Of several servers the API is told side by side.
    told: told.toSorted(),
    mutes: (await store.mutes()).mutes.map(({ subject, state }) => `${subject} ${state}`).toSorted(),
    alerts: alerts.map(({ alertId, ackedBy }) => `${alertId} ${ackedBy}`),
    audit: entries.map(({ act, hostname, outcome }) => `${act} ${hostname} ${outcome}`).toSorted(),
  }
}

/** Which methods this asks, how often each, and what comes of it. */
async function undisturbed(one: Case) {
  const { town, before, press } = await opened(one)
  const reply = await press()
  const calls = [...town.memory.calls].map(
    ([name, count]) => [name, count - (before.get(name) ?? 0)] as const,
  )
  return { reply, calls: calls.filter(([, count]) => count > 0), state: await stateOf(town) }
}

async function disturbed(one: Case, [method, nth, how]: readonly [string, number, Absence]) {
  const { town, before, press } = await opened(one)
  const untouched = await stateOf(town)
  town.memory.awayAt(method, (before.get(method) ?? 0) + nth, how)
  const first = await press()
  await town.pass(20_000)
  town.memory.comeBack()
  await town.pass(20_000)
  const after = await stateOf(town)
  const second = await press()
  return { first, untouched, after, second, state: await stateOf(town) }
}

describe.each(Object.entries(cases))('%s', (_, one) => {
  test.each(absences)('%s', { timeout: 60_000 }, async (how) => {
    const usual = await undisturbed(one)
    expect(usual.calls.length).toBeGreaterThan(0)
    for (const [method, count] of usual.calls) {
      for (const nth of new Set([0, count - 1])) {
        const at = `${method} ${nth}`
        const came = await disturbed(one, [method, nth, how])
        if (came.first.kind !== 'away') {
          // It was decided, and what was left to do has been done by now.
          expect(came.first.kind, at).toBe(usual.reply.kind)
          continue
        }
        if (method === 'takePending' && how.endsWith('after')) {
          // The question is gone with the answer, and the person is told to ask again.
          expect(came.after, at).toEqual(came.untouched)
          expect(came.second, at).toMatchObject({ refusal: { why: 'pending_gone' } })
        } else if (!came.first.mayBeDone) {
          expect(came.after, at).toEqual(came.untouched)
          expect(came.second.kind, at).toBe(usual.reply.kind)
          expect(came.state, at).toEqual(usual.state)
        } else expect(['away', 'repeat', 'broken'], at).not.toContain(came.second.kind)
      }
    }
  })
})

test('a bot that may have been deposed does nothing, asks nothing and says so', async () => {
  const town = await awayTown({ isTrusted: () => false })
  for (const { intent, over } of Object.values(cases)) {
    const ask = typeof intent === 'function' ? await intent(null, town) : intent
    const before = [...town.memory.calls]
    expect(await town.press(ask, over)).toEqual({ kind: 'away', mayBeDone: false })
    expect([...town.memory.calls]).toEqual(before)
  }
  expect(town.told).toEqual([])
})
