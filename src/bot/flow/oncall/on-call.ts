/**
 * Knows who is on call: reads the calendar every few minutes, keeps what it said on disk for when it cannot be read, and has the
 * channels told of each change of shift.
 */
import type { OutsideFailure } from '../../domain/base/failure.ts'
import { isWithin, remainingMs } from '../../domain/base/set-clock.ts'
import { keptText, parseKept } from '../../domain/oncall/kept.ts'
import { onCallMention } from '../../domain/oncall/mention.ts'
import { type Duty, dutiesOf, type ListedShifts, nextEdgeMs, type OnCall } from '../../domain/oncall/shift.ts'
import { emptyPlan } from '../../domain/plan.ts'
import { attempt } from '../attempt.ts'
import { type Job, openWatch } from '../concurrency/watch.ts'
import { within } from '../concurrency/within.ts'
import type { Clock, EmailBook, Ids, Logger, OnCallSource } from '../ports/ports.ts'
import type { Store } from '../ports/store.ts'
import { findPeople, keyOf, type PeopleFound } from './people.ts'
import { onCallState, tellShift } from './tell-shift.ts'

const readEveryMs = 5 * 60_000
const retryMs = 60_000
const retryMaxMs = 60 * 60_000
/** Long enough to know who is on call while the calendar cannot be read for weeks. */
const aheadMs = 31 * 24 * 3_600_000
const behindMs = 24 * 3_600_000
/** What is kept on disk: fewer days of shifts that change by the hour. */
const dutiesMax = 250
/** How long the first start of all waits for the calendar, so that the first cards know whom to mention. */
const firstReadMs = 15_000
/** What has not changed is written again this often, because it is good for a month from when it was read. */
const keptForMs = 60 * 60_000

type OnCallPorts = {
  readonly store: Pick<Store, 'commit' | 'state'>
  readonly source: OnCallSource
  readonly directory: EmailBook
  readonly clock: Clock
  readonly logger: Logger
  readonly ids: Ids
  readonly onChanged: () => void
}

export type OnCallWatch = Job & {
  /** Takes up what is on disk; the first time of all it reads the calendar. */
  load(): Promise<void>
  now(): OnCall
  /** Whom `oncall` mentions now, as a card keeps it. */
  mention(): string
}

/** `people`: user ids by e-mail or name, in lower case. `channels`: where a change of shift is told, with the handoff or without, and boards may be. */
export function openOnCall(
  ports: OnCallPorts,
  {
    people,
    channels,
    handoff,
  }: {
    readonly people: ReadonlyMap<string, string>
    readonly channels: readonly string[]
    readonly handoff: boolean
  },
): OnCallWatch {
  const { store, source, clock, logger, onChanged } = ports
  let known: OnCall = nothingKnown(source.from)
  let dueMs = 0
  let keptMs = 0
  let reading: Promise<void> | null = null

  async function load(): Promise<void> {
    const kept = parseKept((await store.state(onCallState)).get('calendar'), source.id)
    if (kept !== null) known = { ...kept, from: source.from }
    // Slack or the calendar may hang, and alerts do not wait for them.
    else await within(clock, firstReadMs, readOnce())
  }

  function readOnce(): Promise<void> {
    reading ??= read().finally(() => {
      reading = null
    })
    return reading
  }

  async function read(): Promise<void> {
    const nowMs = clock.nowMs()
    const came = await attempt(() => readOnCall(ports, { people, duties: known.duties }, nowMs))
    if (!came.ok) {
      const { message: why, retryAfterMs } = came.failure
      const isNews = known.failing?.why !== why
      logger[isNews ? 'warn' : 'debug']('oncall:unread', { why })
      known = { ...known, failing: { sinceMs: known.failing?.sinceMs ?? nowMs, why } }
      dueMs = nowMs + Math.min(retryMaxMs, Math.max(retryMs, retryAfterMs ?? 0))
      if (isNews) await keep(nowMs)
      return
    }
    const before = known
    known = came.value.known
    const { lookUpFailed: why } = known
    if (why !== null && why !== before.lookUpFailed) logger.warn('oncall:not_looked_up', { why })
    const { failure } = came.value
    dueMs = nowMs + (failure === null || failure.kind === 'forbidden' ? readEveryMs : retryMs)
    const isBack = before.readMs === null || before.failing !== null
    const { duties, skipped } = known
    logger[isBack ? 'info' : 'debug']('oncall:read', { duties: duties.length, skipped })
    const isSame = shownText(before) === shownText(known)
    if (!isSame || !isWithin(keptMs, nowMs, keptForMs)) await keep(nowMs)
  }

  async function keep(nowMs: number): Promise<void> {
    const state = [{ name: `${onCallState}calendar`, value: keptText(known, source.id) }]
    if ((await store.commit({ ...emptyPlan(nowMs), state })) === 'saved') keptMs = nowMs
    onChanged()
  }

  const watch = openWatch('oncall', ports, async () => {
    if (remainingMs(dueMs, clock.nowMs(), retryMaxMs) === 0) await readOnce()
    if (await tellShift(known, { channels, handoff }, ports)) onChanged()
    const nowMs = clock.nowMs()
    return Math.max(0, Math.min(dueMs, nextEdgeMs(known, nowMs) ?? dueMs) - nowMs)
  })
  return { ...watch, load, now: () => known, mention: () => onCallMention(known, clock.nowMs()) }
}

/**
 * What is known after one reading, and why Slack could not be asked of everybody; null if it could. `people` as for `openOnCall`;
 * `duties`: those known so far, for who they are in Slack. May throw an `OutsideFailure`.
 */
export async function readOnCall(
  { source, directory }: Pick<OnCallPorts, 'source' | 'directory'>,
  { people, duties }: { readonly people: ReadonlyMap<string, string>; readonly duties: readonly Duty[] },
  nowMs: number,
): Promise<{ readonly known: OnCall; readonly failure: OutsideFailure | null }> {
  const listed = await source.shifts({ fromMs: nowMs - behindMs, toMs: nowMs + aheadMs })
  const named = listed.shifts.map(({ who }) => who)
  const asked = await findPeople(named, { listed: people, duties }, directory)
  return { known: knownFrom(listed, asked, { from: source.from, nowMs }), failure: asked.failure }
}

function knownFrom(
  { shifts, skipped, skippedWhy = null }: ListedShifts,
  { found, failure }: PeopleFound,
  { from, nowMs }: { readonly from: string; readonly nowMs: number },
): OnCall {
  const all = dutiesOf(
    shifts.flatMap(({ who, ...shift }) => {
      const person = found.get(keyOf(who))
      return person === undefined ? [] : [{ ...shift, person }]
    }),
  ).filter(({ endMs }) => endMs > nowMs - behindMs)
  const duties = all.slice(0, dutiesMax)
  const knownUntilMs = all.length > dutiesMax ? (duties.at(-1)?.endMs ?? nowMs) : nowMs + aheadMs
  const lookUpFailed = failure?.message ?? null
  return { from, readMs: nowMs, knownUntilMs, duties, skipped, skippedWhy, failing: null, lookUpFailed }
}

function nothingKnown(from: string): OnCall {
  const none = { readMs: null, knownUntilMs: 0, duties: [], skipped: 0, failing: null, lookUpFailed: null }
  return { from, ...none }
}

/** All that anybody sees of it. */
function shownText(known: OnCall): string {
  return keptText({ ...known, readMs: 0, knownUntilMs: 0 }, '')
}
