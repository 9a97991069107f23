/**
 * Begins planned mutes when their windows do, and tells their owners before. Each window begins in one plan together with its row,
 * so that a kill at any instant neither doubles nor loses it.
 */
import { setImmediate as breath } from 'node:timers/promises'
import { isGlob } from '../../../shared/glob.ts'
import { remainingMs } from '../../domain/base/set-clock.ts'
import { activeBySubject } from '../../domain/mute/mute.ts'
import {
  afterWindow,
  isFrequent,
  isMutedLonger,
  type MuteWindow,
  type PlannedMute,
  type PolicyMute,
  plannedDue,
  toldBeforeMs,
  withWindowTold,
} from '../../domain/mute/planned.ts'
import type { Subject } from '../../domain/mute/subject.ts'
import { type Limits, longestMs } from '../../domain/mute/until.ts'
import { serversAtOnceMax } from '../../domain/mute/wide.ts'
import { emptyPlan, type Plan } from '../../domain/plan.ts'
import { matching } from '../../domain/request/nearest.ts'
import { contain } from '../concurrency/contain.ts'
import { openWatch, type Watch } from '../concurrency/watch.ts'
import type { Clock, Ids, Logger } from '../ports/ports.ts'
import type { Store } from '../ports/store.ts'
import type { Servers } from '../servers.ts'
import { inChannels } from './places.ts'
import { beginEntry, plannedNews, soonClosed } from './planned-notices.ts'
import { keepPolicy } from './planned-policy.ts'
import { planStarts } from './starts.ts'

/** Checks at least this often: the clock may jump. */
const lookEveryMs = 30_000
/** A list of servers that cannot be read is tried again, if none is known that is meant. */
const unreadAgainMs = 15_000
/** Whose mutes those of the policy file are, in the words of every list. */
const policyOwner = 'the policy'

export type PlannedPorts = {
  readonly store: Pick<
    Store,
    'auditById' | 'channelsWithOpen' | 'commit' | 'mutes' | 'openAlerts' | 'planned' | 'switchesOf'
  >
  readonly servers: Pick<Servers, 'book' | 'unread'>
  readonly clock: Clock
  readonly logger: Logger
  readonly ids: Ids
  /** When the open alerts were last read; null before the first time. */
  readonly lastPollMs: () => number | null
  readonly onChanged: () => void
}

export type PlannedOptions = {
  readonly maintenance: readonly PolicyMute[]
  /** Of today, for what people planned before. */
  readonly limits: Pick<Limits, 'accountMuteMaxMs' | 'muteMaxMs'>
  /** Where what the policy plans is told. */
  readonly channel: string
}

export function openPlanned(ports: PlannedPorts, options: PlannedOptions): Watch {
  const { store, clock, logger } = ports
  let isPolicyKept = false

  async function round(): Promise<number> {
    isPolicyKept ||= await keepPolicy(ports, options)
    if (!isPolicyKept) return 0
    let nextMs = clock.nowMs() + lookEveryMs
    for (const planned of await store.planned()) {
      const facts = { plannedId: planned.plannedId }
      const untilMs = await contain(
        { kind: 'mute', logger, facts },
        () => carryOn(ports, planned, options),
        () => null,
      )
      nextMs = Math.min(nextMs, untilMs ?? nextMs)
    }
    return remainingMs(nextMs, clock.nowMs(), lookEveryMs)
  }

  return openWatch('mute', { clock, logger }, round)
}

/** Does what is due, and answers when it is due next; null: not before the next look. */
async function carryOn(
  ports: PlannedPorts,
  planned: PlannedMute,
  { limits }: PlannedOptions,
): Promise<number | null> {
  const { clock, logger, lastPollMs } = ports
  const nowMs = clock.nowMs()
  const due = plannedDue(planned, nowMs)
  switch (due.do) {
    case 'wait':
      return due.untilMs
    case 'over':
      return null
    case 'missed':
      await write(
        ports,
        planned,
        due.window,
        plannedNews(planned, due.window, { act: 'planned_missed', why: 'missed' }, ports),
      )
      logger.warn('mute:missed', { plannedId: planned.plannedId, windows: due.count })
      return nowMs
    case 'tell':
      // What is open may have closed long ago.
      if (lastPollMs() === null) return null
      await tellBefore(ports, planned, due.window)
      return nowMs
    case 'begin':
      return begin(ports, planned, withinLimits(planned, due.window, { nowMs, limits }))
  }
}

/** What people planned ends no later than what they mute now. The policy's own is as long as it says. */
function withinLimits(
  { what, userId }: PlannedMute,
  window: MuteWindow,
  { nowMs, limits }: Pick<PlannedOptions, 'limits'> & { readonly nowMs: number },
): MuteWindow {
  if (userId === null) return window
  const maxMs = longestMs(limits, what.of === 'account')
  return { ...window, endMs: Math.min(window.endMs, nowMs + maxMs) }
}

async function begin(ports: PlannedPorts, planned: PlannedMute, window: MuteWindow): Promise<number> {
  const { store, servers, clock, logger } = ports
  const { what, plannedId, userId, reason, channel, cardId } = planned
  const meant = await meantBy(planned, servers)
  if (meant.length === 0 && servers.unread() !== null) return clock.nowMs() + unreadAgainMs
  const { mutes } = await store.mutes(what.of === 'alert' ? null : meant)
  const live = activeBySubject(mutes)
  const isLonger = (subject: Subject) => {
    const mute = live.get(subject)
    return mute !== undefined && isMutedLonger(mute, window)
  }
  const subjects = meant.filter((subject) => !isLonger(subject))
  if (subjects.length === 0) {
    const why = meant.length === 0 ? 'no_match' : 'longer'
    await write(ports, planned, window, plannedNews(planned, window, { act: 'planned_missed', why }, ports))
    return clock.nowMs()
  }
  const isOfAlert = what.of === 'alert'
  const about = what.of === 'account' ? null : namesOf(subjects)
  const names = isOfAlert ? [] : namesOf(subjects)
  const left = isOfAlert ? [] : namesOf(meant.filter(isLonger))
  const open = isOfAlert ? [] : await store.channelsWithOpen(about)
  // What is open may have closed long ago.
  const hides = ports.lastPollMs() === null ? 0 : (await store.openAlerts(about)).length
  const place = { channel, cardId }
  const starts = await planStarts(ports, mutes, {
    subjects,
    alert: isOfAlert ? what.muted : null,
    terms: { mode: 'timed', untilMs: window.endMs, userId: userId ?? policyOwner, reason },
    place,
    places: [place, ...inChannels(open.filter((one) => one !== channel))],
    entry: beginEntry(planned, window, { servers: names, left, hides }, ports),
    isPlanned: true,
  })
  const isBegun = await write(ports, planned, window, starts)
  if (isBegun) logger.info('mute:begun', { plannedId, subjects: subjects.length, untilMs: window.endMs })
  return clock.nowMs()
}

function namesOf(subjects: readonly Subject[]): string[] {
  return subjects.flatMap((subject) => subject ?? [])
}

/**
 * Its owner, in the thread. Not of what was planned a moment ago, nor of what comes night after night and hides nothing now:
 * everybody knows.
 */
async function tellBefore(ports: PlannedPorts, planned: PlannedMute, window: MuteWindow): Promise<void> {
  const { store, servers, clock } = ports
  const { what, plannedId } = planned
  const meant = namesOf(await meantBy(planned, servers))
  const { length: open } = await store.openAlerts(what.of === 'account' ? null : meant)
  const isNews = planned.doneMs < window.startMs - toldBeforeMs
  const isTold = isNews && (!isFrequent(planned) || open > 0)
  const of = { act: 'planned_soon', open, ...(what.of === 'servers' ? { servers: meant } : {}) } as const
  await commit(ports, {
    ...emptyPlan(clock.nowMs()),
    ...(isTold ? plannedNews(planned, window, of, ports) : {}),
    planned: [{ plannedId, next: withWindowTold(planned, window), was: planned.version }],
  })
}

/** The row goes on behind this window, or goes with it. */
async function write(
  ports: PlannedPorts,
  planned: PlannedMute,
  window: MuteWindow,
  rest: Partial<Plan>,
): Promise<boolean> {
  const { plannedId, version } = planned
  const soon = await soonClosed(planned, window, ports.store)
  return commit(ports, {
    ...emptyPlan(ports.clock.nowMs()),
    ...rest,
    audit: [...(rest.audit ?? []), ...soon.audit],
    dirtyCards: soon.dirtyCards,
    planned: [{ plannedId, next: afterWindow(planned, window), was: version }],
  })
}

/** Stale: somebody changed it, or a mute of it, meanwhile; the next look decides anew. */
async function commit({ store, onChanged }: PlannedPorts, plan: Plan): Promise<boolean> {
  const isSaved = (await store.commit(plan)) === 'saved'
  onChanged()
  return isSaved
}

/** A glob means the servers that are known now; those that come later in the window are not muted. */
async function meantBy({ what }: PlannedMute, servers: PlannedPorts['servers']): Promise<readonly Subject[]> {
  if (what.of === 'account') return [null]
  if (what.of === 'alert') return [what.subject]
  if (!what.names.some(isGlob)) return what.names
  const book = await servers.book()
  const found = new Set<string>()
  for (const name of what.names) {
    for (const one of isGlob(name) ? matching(name, book.names) : [name]) found.add(one)
    // Many globs among thousands of names take time, and somebody else may be waiting for an answer.
    await breath()
  }
  return [...found].slice(0, serversAtOnceMax)
}
