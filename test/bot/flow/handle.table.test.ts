/**
 * The table: every change × every answer of the API, and every permission × whom it lets in; what is said, written, asked of the
 * API and left.
 */
import { describe, expect, test } from 'vitest'
import { OutsideFailure } from '../../../src/bot/domain/base/failure.ts'
import { type Mute, standingOf } from '../../../src/bot/domain/mute/mute.ts'
import type { Change, ChangeKind } from '../../../src/bot/domain/request/actions.ts'
import type { Audience, GuardedAct, Permissions } from '../../../src/bot/domain/request/authorise.ts'
import type { Directory } from '../../../src/bot/flow/ports/ports.ts'
import {
  type ApiAnswer,
  actingWorld,
  answers,
  aSilence,
  hourMs,
  muting,
  mutingAccountOver,
  undoing,
} from '../../support/acting-world.ts'
import { everyone } from '../../support/bot-in-memory.ts'
import { anAlert, opening } from '../../support/delivery-world.ts'

type Row = {
  /** The permission that it needs. */
  readonly guard: GuardedAct
  /** The change; of this mute where it needs one. */
  readonly change: (mute: Mute | undefined) => Change
  readonly done: string
  /** What the audit says of it; absent: `done`. */
  readonly audit?: string
  /** `server`: the API may not know it; `api`: it is asked about something else; `none`: it is not asked. */
  readonly asks: 'server' | 'api' | 'none'
  /** It is decided by monbot, which tells the API for as long as it takes. */
  readonly isDecided?: true
  /** Mutes that are left once it was done, and where it is not known whether it was. */
  readonly left?: { readonly done: string[]; readonly unknown: string[] }
  /** A mute of web-1 that is there before. */
  readonly before?: boolean
  /** Ben acknowledged the alert before. */
  readonly isAcked?: boolean
}

const web1 = { by: 'name', name: 'web-1' } as const
const rows: Record<ChangeKind, Row> = {
  mute_server: {
    guard: 'mute_server',
    change: () => muting('web-1'),
    done: 'muted',
    asks: 'server',
    isDecided: true,
    left: { done: ['web-1 active'], unknown: ['web-1 asked'] },
  },
  unmute_server: {
    guard: 'mute_server',
    change: () => ({ kind: 'unmute_server', server: web1 }),
    done: 'unmuted',
    audit: 'nothing not_muted',
    asks: 'server',
    isDecided: true,
  },
  mute_alert: {
    guard: 'mute_server',
    change: () => ({
      kind: 'mute_alert',
      alert: '#1',
      end: { kind: 'for', ms: hourMs },
      reason: 'known',
      shown: null,
    }),
    done: 'muted',
    asks: 'none',
    left: { done: ['alert active'], unknown: [] },
  },
  unmute_alert: {
    guard: 'mute_server',
    change: () => ({ kind: 'unmute_alert', alert: '#1' }),
    done: 'refused alert_not_muted',
    audit: 'refused alert_not_muted',
    asks: 'none',
  },
  mute_account: {
    guard: 'mute_account',
    change: () => mutingAccountOver(1),
    done: 'account_muted',
    asks: 'api',
    isDecided: true,
    left: { done: ['account active'], unknown: ['account asked'] },
  },
  unmute_account: {
    guard: 'mute_account',
    change: () => ({ kind: 'unmute_account' }),
    done: 'unmuted',
    audit: 'nothing not_muted',
    asks: 'api',
    isDecided: true,
  },
  extend_mute: {
    guard: 'mute_server',
    change: (mute) => ({ kind: 'extend_mute', muteId: mute?.muteId ?? 'none', ms: hourMs }),
    done: 'extended',
    asks: 'none',
    before: true,
    left: { done: ['web-1 active'], unknown: [] },
  },
  undo_mute: {
    guard: 'mute_server',
    change: undoing,
    done: 'undone',
    asks: 'none',
    before: true,
    left: { done: ['web-1 active'], unknown: [] },
  },
  plan_mute: {
    guard: 'mute_server',
    change: () => ({
      kind: 'plan_mute',
      of: { of: 'servers', servers: [web1] },
      plan: { is: 'once', day: null, minute: 120, length: { ms: hourMs } },
      reason: 'backup',
    }),
    done: 'done plan_mute',
    asks: 'none',
  },
  skip_planned: {
    guard: 'mute_server',
    change: () => ({ kind: 'skip_planned', plannedId: 'none', startMs: 1 }),
    done: 'refused planned_changed',
    audit: 'refused planned_changed',
    asks: 'none',
  },
  cancel_planned: {
    guard: 'mute_server',
    change: () => ({ kind: 'cancel_planned', plannedId: 'none' }),
    done: 'refused planned_changed',
    audit: 'refused planned_changed',
    asks: 'none',
  },
  add_roles: {
    guard: 'add_roles',
    change: () => ({ kind: 'add_roles', server: web1, roles: ['db'] }),
    done: 'done add_roles',
    asks: 'server',
  },
  add_marker: {
    guard: 'add_marker',
    change: () => ({ kind: 'add_marker', text: 'deploy' }),
    done: 'done add_marker',
    asks: 'api',
  },
  acknowledge: {
    guard: 'acknowledge',
    change: () => ({ kind: 'acknowledge', alert: '#1' }),
    done: 'done acknowledge',
    asks: 'none',
  },
  acknowledge_all: {
    guard: 'acknowledge',
    change: () => ({ kind: 'acknowledge_all', cardId: 'alert:1:C0OPS', shown: 1 }),
    done: 'done acknowledge_all',
    asks: 'none',
  },
  take_over: {
    guard: 'acknowledge',
    change: () => ({ kind: 'take_over', of: { by: 'alert', alert: '#1' } }),
    done: 'done take_over',
    asks: 'none',
    isAcked: true,
  },
  unacknowledge: {
    guard: 'acknowledge',
    change: () => ({ kind: 'unacknowledge', of: { by: 'card', cardId: 'alert:1:C0OPS' } }),
    done: 'done unacknowledge',
    asks: 'none',
    isAcked: true,
  },
  hand_to: {
    guard: 'acknowledge',
    change: () => ({
      kind: 'hand_to',
      of: { by: 'alert', alert: '#1' },
      to: 'U0CLEO',
      note: '',
      shownMs: null,
    }),
    done: 'done hand_to',
    asks: 'none',
  },
  still_on_it: {
    guard: 'acknowledge',
    change: () => ({ kind: 'still_on_it', of: { by: 'alert', alert: '1' } }),
    done: 'stale',
    audit: 'nothing acknowledged',
    asks: 'none',
    isAcked: true,
  },
  add_note: {
    guard: 'add_note',
    change: () => ({ kind: 'add_note', alert: '1', text: 'disk' }),
    done: 'done add_note',
    asks: 'none',
  },
  post_timeline: {
    guard: 'add_note',
    change: () => ({ kind: 'post_timeline', of: { by: 'alert', alert: '1' } }),
    done: 'done post_timeline',
    asks: 'none',
  },
  rate_alert: {
    guard: 'acknowledge',
    change: () => ({ kind: 'rate_alert', of: { by: 'alert', alert: '1' }, verdict: 'noise' }),
    done: 'done rate_alert',
    asks: 'none',
  },
  set_no_data: {
    guard: 'set_no_data',
    change: () => ({ kind: 'set_no_data', server: 'web-1', group: 'ops' }),
    done: 'done set_no_data',
    asks: 'api',
  },
  end_silence: {
    guard: 'mute_server',
    change: () => ({ kind: 'end_silence', id: 's1', shown: '[["alertname=\\"Disk\\""],false]' }),
    done: 'done end_silence',
    asks: 'api',
  },
  delete_server: {
    guard: 'delete_server',
    change: () => ({ kind: 'delete_server', server: 'web-1', typed: 'web-1' }),
    done: 'done delete_server',
    asks: 'server',
  },
  delete_metrics: {
    guard: 'delete_metric',
    change: () => ({ kind: 'delete_metrics', names: ['a', 'b'], typed: 'a,b' }),
    done: 'done delete_metrics',
    asks: 'api',
  },
}

type Permitted = {
  readonly audience: Audience
  readonly membersOf: Directory['membersOf']
  readonly refusal: string | null
}
const zoneOf = async () => 'Etc/UTC'
const group = async () => new Set(['U0ANA'])
const otherGroup = async () => new Set(['U0BEN'])
const groupsAway = async () => {
  throw new OutsideFailure('unreachable', 'Slack did not answer within 10 s')
}
const groupGone = async () => {
  throw new OutsideFailure('unreachable', 'Slack could not look it up', { code: 'no_such_subteam' })
}
const permissions = {
  everyone: { audience: 'everyone', membersOf: groupsAway, refusal: null },
  nobody: { audience: 'nobody', membersOf: group, refusal: 'not_permitted' },
  'a listed user': { audience: ['S0OPS', 'U0ANA'], membersOf: groupsAway, refusal: null },
  'a member of a group': { audience: ['S0OPS'], membersOf: group, refusal: null },
  'no member of a group': { audience: ['U0BEN', 'S0OPS'], membersOf: otherGroup, refusal: 'not_permitted' },
  'a group that was deleted': { audience: ['S0OPS'], membersOf: groupGone, refusal: 'not_permitted' },
  'a group that cannot be read': { audience: ['S0OPS'], membersOf: groupsAway, refusal: 'groups_unread' },
} satisfies Record<string, Permitted>

/** In words: the reply and its why, the audit's outcome and why, calls to the API, and the mutes that are left. */
type Outcome = { reply: string; audit: string; calls: number; mutes: string[] }

function expected(row: Row, { refusal }: Permitted, answer: ApiAnswer): Outcome {
  const untouched = row.before === true ? ['web-1 active'] : []
  if (refusal !== null) {
    return { reply: `refused ${refusal}`, audit: `refused ${refusal}`, calls: 0, mutes: untouched }
  }
  const isAsked = row.asks !== 'none'
  if (!isAsked || answer === 200) {
    const { audit = 'done', done, left } = row
    return { reply: done, audit, calls: isAsked ? 1 : 0, mutes: left?.done ?? untouched }
  }
  const kind = answers[answer]?.kind ?? ''
  if (row.isDecided && kind === 'unreachable') {
    return { reply: row.done, audit: `unknown ${kind}`, calls: 1, mutes: row.left?.unknown ?? untouched }
  }
  if (answer === 503 || answer === 'time-out') {
    const mutes = row.left?.unknown ?? untouched
    return { reply: 'failed unknown', audit: `unknown ${kind}`, calls: 1, mutes }
  }
  if (answer === 404 && row.asks === 'server') {
    return { reply: 'refused unknown_server', audit: 'failed unknown_server', calls: 1, mutes: untouched }
  }
  return { reply: 'failed', audit: `failed ${kind}`, calls: 1, mutes: untouched }
}

async function happened(
  kind: ChangeKind,
  row: Row,
  permitted: Permitted,
  answer: ApiAnswer,
): Promise<Outcome> {
  const { audience, membersOf } = permitted
  const first = await actingWorld()
  const { store } = first
  await store.commit(opening([anAlert('1', { hostname: 'web-1' })], 'C0OPS', first.clock.nowMs()))
  if (row.before === true) {
    await first.does(muting('web-1', { end: { kind: 'for', ms: 2 * hourMs } }))
    await first.does(muting('web-1'))
  }
  if (row.isAcked === true) await first.does({ kind: 'acknowledge', alert: '1' }, { userId: 'U0BEN' })
  const [mute] = await first.mutes()
  const before = new Set((await first.audit()).map(({ auditId }) => auditId))

  // What was there before was anybody's to do; this one request is guarded.
  const guarded: Permissions = { ...everyone, [row.guard]: audience }
  const world = await actingWorld({
    store,
    permissions: guarded,
    directory: { zoneOf, nameOf: zoneOf, membersOf, personIs: async () => 'person' as const },
  })
  world.script.next = answer
  world.script.silences = [aSilence()]
  const reply = await world.does(row.change(mute))
  const [entry, ...others] = (await world.audit()).filter(({ auditId }) => !before.has(auditId))
  if (entry === undefined || others.length > 0) throw new Error(`${others.length + 1} audit rows, or none`)
  expect(entry).toMatchObject({ userId: 'U0ANA', act: kind, via: 'command', channel: 'C0OPS' })
  const isUnknown = reply.kind === 'failed' && reply.isUnknown
  const of = reply.kind === 'done' ? reply.act : isUnknown ? 'unknown' : ''
  const replyWhy = reply.kind === 'refused' ? reply.refusal.why : of
  return {
    reply: `${reply.kind} ${replyWhy}`.trim(),
    audit: `${entry.outcome} ${entry.why ?? ''}`.trim(),
    calls: world.calls.length,
    mutes: (await world.mutes()).map((one) => `${nameOf(one)} ${standingOf(one)}`),
  }
}

function nameOf({ subject, alert }: Mute): string {
  return alert === null ? (subject ?? 'account') : 'alert'
}

const apiAnswers = [200, 404, 422, 401, 503, 'time-out', 'refused'] as const satisfies readonly ApiAnswer[]

/** Each change with the permission that guards it; one of each guard stands for the others that it guards. */
const changes = Object.entries(rows) as [ChangeKind, Row][]
const oneOfEachGuard = [...Map.groupBy(changes, ([, { guard }]) => guard)].flatMap(([guard, [first]]) =>
  first === undefined ? [] : [[guard, ...first] as const],
)

describe.each(changes)('%s', (kind, row) => {
  test.each(apiAnswers)('when the API answers %s', async (answer) => {
    const { everyone: anybody } = permissions
    const outcome = await happened(kind, row, anybody, answer)
    expect(outcome).toEqual(expected(row, anybody, answer))
  })

  test('where nobody may: refused, and the API is not asked', async () => {
    const { nobody } = permissions
    expect(await happened(kind, row, nobody, 503)).toEqual(expected(row, nobody, 503))
  })
})

describe.each(oneOfEachGuard)('%s, which guards %s', (_, kind, row) => {
  test.each(Object.entries(permissions))('for %s', async (_, permitted) => {
    expect(await happened(kind, row, permitted, 200)).toEqual(expected(row, permitted, 200))
  })
})
