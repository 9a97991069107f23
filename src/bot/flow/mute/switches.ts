/**
 * The one worker that tells the API how notifications should be. Whoever decides writes a row; this asks, one request a subject at a
 * time and several subjects side by side, for as long as it takes, and writes what came of it.
 */

import { numberOf } from '../../domain/alert/episode.ts'
import { backoffMs } from '../../domain/base/backoff.ts'
import {
  Deposed,
  failsForAll,
  mayHaveBeenDone,
  type OutsideFailure,
  StoreFailure,
} from '../../domain/base/failure.ts'
import { remainingMs } from '../../domain/base/set-clock.ts'
import { isByMonbot, type Mute } from '../../domain/mute/mute.ts'
import { isTroubleSubject, type Subject } from '../../domain/mute/subject.ts'
import { askSwitch, isSaid, isSettled, isUnasked, type Switch, waitMsOf } from '../../domain/mute/switch.ts'
import { type Attempt, attempt } from '../attempt.ts'
import { contain } from '../concurrency/contain.ts'
import { orNote } from '../concurrency/or-note.ts'
import { retryWhenStale } from '../concurrency/retry-when-stale.ts'
import { type Job, openWatch, type Watch } from '../concurrency/watch.ts'
import { within } from '../concurrency/within.ts'
import type { Clock, Logger, Monitor } from '../ports/ports.ts'
import type { Store } from '../ports/store.ts'
import { clickWaitsMs } from './answer-notices.ts'
import { type Answered, type AnswerPorts, openSettle, type Settle } from './answers.ts'
import { openWriter, type Told, writtenMax, writtenWithinMs } from './writer.ts'

/** Checks at least this often: the clock may jump. */
const lookEveryMs = 30_000
/** Whether a server is gone is known only while open alerts can be read: what is left from before waits this long for the first poll. */
export const firstPollMaxMs = 20_000
/** How many calls are under way at the same time, so that one that hangs does not hold up the others; as many for people. */
const lanesMax = 4
/** Somebody decides anew between reading and writing, but not so often in a row. */
const triesMax = 5

export type Switches = Job & {
  /** Call it when something may have been decided. */
  wake(): void
  /** Tells the API of these now, for somebody who waits; answers after ten seconds at the latest, and goes on. */
  tell(subjects: readonly Subject[]): Promise<ReadonlyMap<Subject, Told>>
  /** Resolves once the API has answered all of them for good, or when the signal aborts. */
  answered(subjects: readonly Subject[], signal: AbortSignal): Promise<void>
}

export type SwitchPorts = AnswerPorts & {
  readonly monitor: Pick<
    Monitor,
    'endMute' | 'muteAlert' | 'setAccountNotifications' | 'setServerNotifications'
  >
  readonly store: AnswerPorts['store'] & Pick<Store, 'noteAsked' | 'noteLateSwitch' | 'switches'>
  readonly clock: Clock
  readonly logger: Logger
  /** Called when something was written that others show. */
  readonly onChanged: () => void
}

export function openSwitches(ports: SwitchPorts): Switches {
  const { store, clock, logger, lastPollMs } = ports
  const asking = openAsking(ports)
  const lanes = new Set<Promise<unknown>>()
  /** At which monbot broke: how often, and until when each rests. None is given up, as its server would stay silent. */
  const broken = new Map<Subject, { readonly times: number; readonly untilMs: number }>()
  /** The API has failed in a way that stands for all, and has not answered since: one of them probes it. */
  let isAway = false
  let startedMs: number | null = null

  async function round(): Promise<number> {
    const nowMs = clock.nowMs()
    startedMs ??= nowMs
    const firstMs = remainingMs(startedMs + firstPollMaxMs, nowMs, firstPollMaxMs)
    if (lastPollMs() === null && firstMs > 0) return firstMs
    let nextMs = lookEveryMs
    const due: Switch[] = []
    for (const row of await store.switches()) {
      if (asking.isUnderWay(row.subject)) continue
      const restMs = remainingMs(broken.get(row.subject)?.untilMs ?? 0, nowMs, lookEveryMs)
      const waitMs = Math.max(restMs, waitMsOf(row, nowMs) ?? lookEveryMs)
      if (waitMs === 0) due.push(row)
      else nextMs = Math.min(nextMs, waitMs)
    }
    for (const row of due.sort(byUrgency)) {
      if (lanes.size >= (isAway ? 1 : lanesMax) || watch.isStopping()) break
      const lane = follow(row, due).then(() => {
        lanes.delete(lane)
        watch.wake()
      })
      lanes.add(lane)
    }
    return nextMs
  }

  async function follow(row: Switch, due: readonly Switch[]): Promise<void> {
    const { subject, muteId } = row
    const work = async () => {
      const came = await asking.ask(subject, 'background')
      broken.delete(subject)
      const failure = failureIn(came)
      if (came.kind !== 'waiting') isAway = failure !== null && standsForAll(failure)
      if (failure === null || !isAway) return
      const others = due.filter((one) => one.subject !== subject && one.attempts <= row.attempts)
      await asking.failed(others, failure)
    }
    await contain({ kind: 'mute', logger, facts: { muteId, hostname: subject } }, work, () => {
      const times = (broken.get(subject)?.times ?? 0) + 1
      broken.set(subject, { times, untilMs: clock.nowMs() + Math.min(backoffMs(times), lookEveryMs) })
    })
  }

  const watch = openWatch('mute', { clock, logger }, round)
  const people = openPeople(ports, asking, watch)
  return {
    start: watch.start,
    wake: watch.wake,
    stop: async () => {
      await watch.stop()
      await Promise.allSettled(lanes)
      await people.idle()
    },
    tell: people.tell,
    answered: async (subjects, signal) => {
      while (!signal.aborted) {
        const rows = await store.switchesOf(subjects)
        if (rows.every(isSaid)) return
        await clock.wait(writtenWithinMs, signal)
      }
    },
  }
}

/** A time-out of one may be that server's own; what is refused, away or full is so for all. */
function standsForAll(failure: OutsideFailure): boolean {
  const isHanging = failure.status === null && mayHaveBeenDone(failure)
  return failsForAll(failure) && !isHanging
}

function failureIn(came: Told): OutsideFailure | null {
  return 'failure' in came ? came.failure : null
}

/** The account's hides everything, so it comes first; what was not tried yet, lest those that hang take all lanes; `on`; the oldest. */
function byUrgency(a: Switch, b: Switch): number {
  if ((a.subject === null) !== (b.subject === null)) return a.subject === null ? -1 : 1
  if ((a.attempts === 0) !== (b.attempts === 0)) return a.attempts === 0 ? -1 : 1
  if (a.wanted !== b.wanted) return a.wanted === 'on' ? -1 : 1
  return a.notBeforeMs - b.notBeforeMs
}

/** What a person waits for: asked in lanes of its own, while the background goes on with the rest. */
function openPeople(
  { store, clock }: SwitchPorts,
  asking: Asking,
  { wake, isStopping }: Pick<Watch, 'wake' | 'isStopping'>,
) {
  const working = new Set<Promise<unknown>>()

  /** A few at a time, until the API fails for one as it would for all. */
  async function askAll(subjects: readonly Subject[], told: Map<Subject, Told>): Promise<void> {
    const queue = [...subjects]
    const lane = async () => {
      const written: Promise<void>[] = []
      while (queue.length > 0 && !isStopping()) {
        const subject = queue.shift() ?? null
        const { failed, came } = asking.begin(subject, 'people')
        const kept = came.then((one) => void told.set(subject, one))
        void quietly(kept)
        written.push(kept)
        const failure = await failed
        if (failure === null || !failsForAll(failure)) continue
        const rest = queue.splice(0)
        if (!standsForAll(failure)) break
        const others = await asking.failed(await store.switchesOf(rest), failure)
        for (const [one, what] of others) told.set(one, what)
      }
      await Promise.all(written)
    }
    const all = await Promise.allSettled(Array.from({ length: lanesMax }, lane))
    for (const one of all) if (one.status === 'rejected') throw one.reason
  }

  return {
    tell: async (subjects: readonly Subject[]): Promise<ReadonlyMap<Subject, Told>> => {
      const told = new Map<Subject, Told>()
      const work = askAll(subjects, told).finally(() => {
        working.delete(work)
        wake()
      })
      working.add(work)
      // Whoever waited may be gone by then, and the rows say what is left to do.
      void quietly(work)
      await within(clock, clickWaitsMs, work)
      const rows = new Map((await store.switchesOf(subjects)).map((row) => [row.subject, row]))
      const isDone = (one: Subject) => {
        const row = rows.get(one)
        return row === undefined || isSaid(row)
      }
      // Another request said it for this one.
      const now = (one: Subject) => (isDone(one) ? ({ kind: 'said', answer: '' } as const) : waiting)
      return new Map(
        subjects.map((one) => {
          const came = told.get(one) ?? waiting
          return [one, came.kind === 'waiting' || came.kind === 'overtaken' ? now(one) : came]
        }),
      )
    },
    idle: async () => {
      await Promise.allSettled(working)
    },
  }
}

type Asking = ReturnType<typeof openAsking>

const waiting = { kind: 'waiting' } as const

/** Once it is over, whatever came of it. */
function quietly(work: Promise<unknown>): Promise<void> {
  const over = () => undefined
  return work.then(over, over)
}

/** The alert's mute that it tells of: the service keeps its terms. Null: of a server or the account. */
async function alertMuteOf(
  store: Pick<Store, 'muteById'>,
  { subject, muteId }: Switch,
): Promise<Mute | null> {
  if (!isTroubleSubject(subject) || muteId === null) return null
  const mute = await store.muteById(muteId)
  return mute?.alert == null ? null : mute
}

/** Without what monbot hides by itself: that needs no API, and fails with none. */
async function askedOfApi(
  store: Pick<Store, 'muteById'>,
  rows: readonly Switch[],
): Promise<readonly Switch[]> {
  const asked: Switch[] = []
  for (const row of rows) {
    const mute = await alertMuteOf(store, row)
    if (mute === null || !isByMonbot(mute)) asked.push(row)
  }
  return asked
}

/** `mute`: the mute of an alert that is told; null for a server and the account. */
function switchAt(
  monitor: SwitchPorts['monitor'],
  { subject, wanted }: Pick<Switch, 'subject' | 'wanted'>,
  mute: Mute | null,
): Promise<string> {
  const on = wanted === 'on'
  if (mute !== null && mute.alert !== null) {
    const { muteId, alert, untilMs, userId, reason } = mute
    if (on) return monitor.endMute(muteId)
    const { about, matchers } = alert
    // Matchers that somebody wrote say all: the alert has some of its own.
    const named = matchers !== null || about === null ? null : numberOf(about.alertId)
    return monitor.muteAlert({ muteId, alert: named, matchers, untilMs, by: userId, why: reason })
  }
  return subject === null ? monitor.setAccountNotifications(on) : monitor.setServerNotifications(subject, on)
}

/** What a person waits for has lanes of its own. */
type Lane = 'people' | 'background'

function openAsking(ports: SwitchPorts) {
  const { monitor, store, clock, onChanged } = ports
  const settle = openSettle(ports)
  const underWay = new Map<Subject, Promise<unknown>>()
  const writers = { people: openWriter(settle, clock), background: openWriter(settle, clock) }

  /** `failed`: why, or null; `came`: once that is written. Both reject if monbot broke at it. */
  function begin(subject: Subject, lane: Lane) {
    const before = underWay.get(subject) ?? Promise.resolve()
    const writer = writers[lane]
    const asked = before.then(() => writer.during(call(subject, lane)))
    const written = asked.then(async (one) => {
      if (one === null) return waiting
      const came = await orNote(
        () => writer.written(one),
        () => store.noteLateSwitch(subject),
      )
      onChanged()
      return came
    })
    const came = written.then(undefined, (error: unknown) => takeBack(error, asked))
    const over = quietly(came)
    underWay.set(subject, over)
    void over.then(() => {
      if (underWay.get(subject) === over) underWay.delete(subject)
    })
    const failed = asked.then((one) => (one === null || one.answer.ok ? null : one.answer.failure))
    void quietly(failed)
    return { failed, came }
  }

  /** Null: nothing is to be said, or it is being changed so often that the next round asks. */
  async function call(
    subject: Subject,
    lane: Lane,
  ): Promise<(Answered & { readonly row: Switch; readonly mute: Mute | null }) | null> {
    const row = await retryWhenStale(triesMax, () => noteAsked(subject, lane))
    if (row === null || row === 'stale') return null
    const mute = await alertMuteOf(store, row)
    const isSettled = isUnasked(row) || (mute !== null && isByMonbot(mute))
    const answer: Attempt<string> = isSettled
      ? { ok: true, value: '' }
      : await attempt(() => switchAt(monitor, row, mute))
    return { subject, revision: row.revision, answer, wasAsked: true, row, mute }
  }

  /** On disk before the request. */
  async function noteAsked(subject: Subject, lane: Lane): Promise<Switch | null | 'stale'> {
    const [row] = await store.switchesOf([subject])
    // Nobody waits for what is only repeated.
    if (row === undefined || isSettled(row) || (lane === 'people' && isSaid(row))) return null
    if (isUnasked(row)) return row
    const next = askSwitch(row, clock.nowMs())
    return (await store.noteAsked(next, row.version)) === 'stale' ? 'stale' : next
  }

  /** The disk is full, and the next start that could end this mute may be far off: it is not begun. */
  async function takeBack(error: unknown, asked: ReturnType<typeof call>): Promise<never> {
    const one =
      error instanceof StoreFailure && !(error instanceof Deposed)
        ? await asked.then(
            (it) => it,
            () => null,
          )
        : null
    const isBegun = one?.answer.ok === true && one.row.wanted === 'off' && one.row.saidRevision === 0
    if (isBegun) {
      const { row, mute } = one
      await attempt(() => switchAt(monitor, { ...row, wanted: 'on' }, mute))
    }
    throw error
  }

  return {
    begin,
    ask: (subject: Subject, lane: Lane): Promise<Told> => begin(subject, lane).came,
    isUnderWay: (subject: Subject) => underWay.has(subject),
    /** The failure of another stands for these, which were not asked. */
    failed: async (rows: readonly Switch[], failure: OutsideFailure): Promise<ReadonlyMap<Subject, Told>> => {
      const waiting = rows.filter((row) => !isSaid(row) && !underWay.has(row.subject))
      const told = await settleFailed(settle, await askedOfApi(store, waiting), failure)
      onChanged()
      return told
    },
  }
}

/** What the failure of another means for these, a plan's worth at a time. */
async function settleFailed(
  settle: Settle,
  rows: readonly Switch[],
  failure: OutsideFailure,
): Promise<ReadonlyMap<Subject, Told>> {
  const answer = { ok: false, failure } as const
  const told = new Map<Subject, Told>()
  for (let from = 0; from < rows.length; from += writtenMax) {
    const some = rows.slice(from, from + writtenMax)
    const answered = some.map(({ subject, revision }) => ({ subject, revision, answer, wasAsked: false }))
    const came = await settle(answered)
    for (const [at, { subject }] of some.entries()) {
      const one = came[at]
      if (one !== undefined) told.set(subject, one)
    }
  }
  return told
}
