/** A sample of every reply and every answer: the compiler asks for those of a new one. */
import type { PlannedMute } from '../../domain/mute/planned.ts'
import type { OnCall } from '../../domain/oncall/shift.ts'
import type { Answer, HomeView } from '../../domain/request/answer.ts'
import type { Receipt, Refusal, Reply } from '../../domain/request/reply.ts'
import { aMute, anAlert, anEntry, minuteMs, several, startedMs, unwell } from './made-up.ts'
import { longestHappened, longestReport } from './reports.ts'

type ReplySamples = {
  readonly [Kind in Exclude<Reply['kind'], 'answer' | 'form' | 'repeat'>]: readonly Extract<
    Reply,
    { kind: Kind }
  >[]
}

/** More than a message has room for. */
const serversMax = 200

/** Every reply with `text` in each place that holds words from outside, and as many servers as there may be. */
export function replySamples(text: string): ReplySamples {
  const servers = several(serversMax, (n) => `${n}${text}`.slice(0, 253))
  const mutes = servers.map((subject, n) => aMute(text, { subject, muteId: `${n}`.padStart(36, '0') }))
  const [mute = aMute(text)] = mutes
  const alerts = several(20, (n) => anAlert(text, n))
  const [alert = anAlert(text, 0)] = alerts
  const pendingId = 'p'.repeat(36)
  const receipt: Receipt = {
    change: { kind: 'mute_server', servers: [], end: { kind: 'default' }, reason: text, shown: null },
    servers,
    mode: 'timed',
    untilMs: mute.untilMs,
    open: 123_456,
    lastWeek: 123_456,
    isDefaultEnd: true,
    others: mutes.slice(0, 20),
  }
  const muted = mutes.map((one) => ({ hostname: one.subject ?? '', mute: one, failure: null }))
  const failed = muted.map(({ hostname }) => ({ hostname, mute: null, failure: text }))
  const silence = { id: 's1', by: text, untilMs: startedMs, why: text, isOurs: false, matchers: servers }
  const window = { startMs: startedMs, endMs: startedMs + minuteMs }
  const planned = aPlannedMute(text, pendingId, servers)
  return {
    muted: [
      { kind: 'muted', results: muted, receipt, auditId: 'a1' },
      { kind: 'muted', results: failed, receipt },
    ],
    account_muted: [{ kind: 'account_muted', mute: aMute(text, { subject: null }), receipt }],
    unmuted: [
      {
        kind: 'unmuted',
        server: null,
        isSure: true,
        several: { servers, left: servers },
        accountMuted: mute,
      },
    ],
    extended: [{ kind: 'extended', mute }],
    undone: [
      { kind: 'undone', server: null, restored: null, isSure: true, several: { servers, left: servers } },
    ],
    done: [
      { kind: 'done', act: 'add_note', alert, text, isTold: true },
      { kind: 'done', act: 'take_over', alerts, owner: 'U0123ABC1' },
      { kind: 'done', act: 'plan_mute', planned, window },
    ],
    cancelled: [{ kind: 'cancelled' }],
    confirm: [
      { kind: 'confirm', receipt, pendingId },
      { kind: 'confirm', receipt: { ...receipt, servers: servers.slice(0, 1) }, pendingId },
    ],
    confirm_silence: [
      { kind: 'confirm_silence', silence: { ...silence, hides: 123_456 }, pendingId, isChanged: true },
    ],
    confirm_planned: [{ kind: 'confirm_planned', planned, window, servers, open: 123_456, pendingId }],
    confirm_roles: [
      {
        kind: 'confirm_roles',
        server: text,
        odd: several(8, () => ({ role: text.slice(0, 60), similar: text.slice(0, 60) })),
        pendingId,
        instead: { pendingId, roles: several(8, () => text) },
      },
    ],
    refused: refusals(text, servers).map((refusal) => ({
      kind: 'refused',
      health: unwell(text),
      refusal,
    })),
    stale: [
      { kind: 'stale', changed: { what: 'muted', mute }, nowMs: startedMs },
      { kind: 'stale', changed: { what: 'acknowledged', alert }, nowMs: startedMs },
    ],
    failed: [
      { kind: 'failed', doing: 'mute_server', words: text, isUnknown: false, pendingId },
      { kind: 'failed', doing: 'mute_server', words: text, isUnknown: true, server: text },
    ],
    broken: [{ kind: 'broken', errorId: 'e-7f3a', mayBeDone: true, isDatabaseError: true }],
    away: [{ kind: 'away', mayBeDone: true }],
  }
}

/** Those with buttons, and the longest. */
function refusals(text: string, servers: readonly string[]): Refusal[] {
  return [
    { why: 'many_alerts', server: text, alerts: several(20, (n) => anAlert(text, n)), note: text },
    { why: 'undo_too_late', mute: aMute(text, { subject: servers[0] ?? '' }) },
    { why: 'misplaced', what: 'server', came: text, command: `/mon ${text}` },
    {
      why: 'unknown_servers',
      act: 'mute_server',
      servers: servers.map((server) => ({ server, similar: [text, text, text] })),
      unread: text,
    },
  ]
}

type AnswerSamples = {
  readonly [Kind in Answer['kind']]: readonly Extract<Answer, { kind: Kind }>[]
}

/** Every answer, of more alerts and mutes than it has room for. */
export function answerSamples(text: string): AnswerSamples {
  const { open, mutes, health } = homeSample(text)
  const texts = several(80, () => text)
  const detail = { reason: text, text, group: text, names: texts, roles: texts, mode: 'open' } as const
  const entries = (['mute_server', 'add_roles', 'add_note', 'delete_metrics'] as const).flatMap((act) =>
    (['done', 'refused', 'failed', 'unknown'] as const).map((outcome) =>
      anEntry(act, { outcome, why: text, hostname: null, alertId: text, detail }),
    ),
  )
  const pages = { page: 3, pages: 9, total: 99 }
  const about = text.slice(0, 200)
  const drawing = { png: new Uint8Array(), alt: text }
  const { nowMs } = health
  return {
    help: [{ kind: 'help', topic: null }],
    status: [
      {
        kind: 'status',
        status: {
          ...health,
          open: 123_456,
          unacknowledged: 123_456,
          mutes,
          cards: new Map([['dead', 123_456]]),
          behind: 123_456,
          behindIn: new Map(several(50, (n) => [`C0123ABC${n}`, 123_456])),
        },
      },
    ],
    oncall: [{ kind: 'oncall', health: { ...health, onCall: longestOnCall(text, nowMs) } }],
    alerts: [
      {
        kind: 'alerts',
        ask: { kind: 'alerts', state: 'open', server: about, page: 3 },
        list: { items: open.slice(0, 10), ...pages },
        mutes,
        health,
      },
    ],
    mutes: [
      { kind: 'mutes', ask: { kind: 'mutes', page: 3 }, list: { items: mutes.slice(0, 10), ...pages } },
    ],
    roles: [
      {
        kind: 'roles',
        ask: { kind: 'roles', about: null, page: 3 },
        list: { items: several(20, () => ({ role: text, servers: texts })), ...pages },
      },
    ],
    triggers: [
      {
        kind: 'triggers',
        ask: { kind: 'triggers', filter: about, page: 3 },
        list: { items: several(20, () => ({ condition: text, metric: text })), ...pages },
      },
    ],
    handoff: [
      {
        kind: 'handoff',
        handoff: {
          nowMs,
          open,
          mutes,
          happened: longestHappened(text, nowMs),
          done: entries,
          storms: several(20, () => ({ atMs: nowMs, alerts: 123_456, open: 123_456 })),
          flaps: several(20, () => ({ server: text, plugin: text, times: 123_456 })),
          health,
        },
      },
    ],
    report: [
      {
        kind: 'report',
        report: longestReport(text, nowMs),
        ms: minuteMs,
        drawing,
        health,
      },
    ],
    file: [
      {
        ...{ kind: 'file', fromMs: startedMs, toMs: nowMs, rows: 10_000, total: 123_456, health },
        file: { name: text, bytes: new Uint8Array() },
        outage: { times: 123, ms: nowMs, isSure: false },
      },
    ],
    audit: [
      {
        kind: 'audit',
        ask: { kind: 'audit', server: about, page: 3 },
        list: { items: entries.slice(0, 15), ...pages },
      },
    ],
    metrics: [{ kind: 'metrics', server: text, ms: minuteMs, fitting: text, metrics: texts }],
    chart: [{ kind: 'chart', server: text, metric: text, drawing, alertId: text }],
  }
}

function longestOnCall(text: string, nowMs: number): OnCall {
  const duties = several(50, (n) => ({
    startMs: nowMs + n,
    endMs: nowMs + n + 1,
    person: { key: `${n}`, name: text, userId: null },
  }))
  return {
    from: 'the calendar',
    readMs: nowMs,
    knownUntilMs: nowMs + 1_000_000,
    duties,
    skipped: 123_456,
    skippedWhy: text,
    failing: { sinceMs: nowMs, why: text },
    lookUpFailed: text,
  }
}

function aPlannedMute(text: string, plannedId: string, servers: readonly string[]): PlannedMute {
  return {
    plannedId,
    what: { of: 'servers', names: servers.slice(0, 50) },
    rule: { is: 'weekly', days: [1, 3, 5], nth: null, minute: 120, length: { untilMinute: 240 } },
    zone: 'America/Argentina/ComodRivadavia',
    reason: text,
    userId: 'U0123ABC1',
    channel: 'C0123ABC1',
    cardId: null,
    doneMs: 0,
    skippedMs: null,
    toldMs: null,
    version: 1,
  }
}

/** What the Home tab shows of more alerts, storms, mutes and planned ones than it has room for. */
export function homeSample(text: string): HomeView {
  const open = several(200, (n) =>
    anAlert(text, n, { hostname: `${n}${text}`.slice(0, 253), ackedBy: 'U0123ABC1', ackedMs: startedMs }),
  )
  return {
    open,
    places: open.map(({ alertId }) => ({
      alertId,
      cardId: `alert:${alertId}:C0123ABC1`,
      channel: 'C0123ABC1',
      ts: '1763694000.000100',
    })),
    storms: several(10, (n) => ({
      kind: 'storm',
      cardId: `storm:${n}:C0123ABC1`,
      channel: 'C0123ABC1',
      ts: '1763694000.000100',
      open: open.slice(0, 80),
      count: 123_456,
    })),
    // A hostname in a button's value is cut by nobody; real ones have at most 253 characters.
    mutes: several(100, (n) =>
      aMute(text, { muteId: `m${n}`, subject: `${n}${text}`.slice(0, 253), mode: 'healthy' }),
    ),
    planned: several(10, (n) => aPlannedMute(text, `p${n}`, [`${n}${text}`.slice(0, 253)])),
    health: unwell(text),
  }
}
