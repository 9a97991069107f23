/**
 * Makes one poll: recalls the stored state, reads the API, decides, and writes one plan. The outbox shows what the plan wrote.
 */
import { type Change, ignoredAtOnce } from '../../domain/alert/change.ts'
import {
  gradeOf,
  type IgnoreRule,
  isIgnored,
  type Route,
  type SeverityRule,
} from '../../domain/alert/match.ts'
import { reconciling } from '../../domain/alert/reconcile.ts'
import type { Snapshot } from '../../domain/alert/snapshot.ts'
import type { Seen } from '../../domain/alert/unreadable.ts'
import { HistoryUnread, OutsideFailure } from '../../domain/base/failure.ts'
import { isWithin } from '../../domain/base/set-clock.ts'
import { asking, deciding, type ExistingCards, type Questions } from '../../domain/card/decide.ts'
import { episodesWithinMs } from '../../domain/card/fold.ts'
import { routesNow } from '../../domain/card/reach.ts'
import type { Images } from '../../domain/delivery/picture.ts'
import type { Plan } from '../../domain/plan.ts'
import { stepByStep } from '../concurrency/in-turns.ts'
import { retryWhenStale } from '../concurrency/retry-when-stale.ts'
import type { AlertSource } from '../ports/alert-source.ts'
import type { Clock, Logger } from '../ports/ports.ts'
import type { Store } from '../ports/store.ts'
import type { RoleBook } from './roles.ts'

const triesMax = 5
/** Log lines that are written before other work has its turn. */
const linesPerTurn = 200
/** An idle poll writes nothing, except a note this often that the bot was running. */
export const notedEveryMs = 5 * 60_000
/** The last poll is noted every few minutes, so a longer gap at a start is an absence, or a database that was restored. */
const copyAgeMinMs = notedEveryMs + 60_000

export type PollOptions = {
  readonly images: Images
  readonly routes: readonly Route[]
  readonly severity?: readonly SeverityRule[]
  readonly ignore?: readonly IgnoreRule[]
  /** The longest time between two polls as they are scheduled. */
  readonly gapMs?: number
  readonly defaultChannel: string | null
  /** Channels that can take nothing now; what belongs there goes elsewhere. */
  readonly gone?: () => ReadonlySet<string>
  /** Whom `oncall` mentions. */
  readonly onCallNow?: () => string
}

/** What a poll needs from the store: recall what was there, see what is on which card, and write one plan. */
export type PollStore = Pick<
  Store,
  | 'recall'
  | 'recallByNumbers'
  | 'recallEnds'
  | 'newestStartMs'
  | 'carded'
  | 'cardsOf'
  | 'noticesOf'
  | 'listsOf'
  | 'mutes'
  | 'episodes'
  | 'queues'
  | 'commit'
>

export type PollPorts = {
  readonly source: AlertSource
  readonly store: PollStore
  readonly clock: Clock
  readonly logger: Logger
  readonly roleBook: RoleBook
}

export type PollReport = Seen & {
  readonly requests: number
  /** Bad records of all pages together. */
  readonly skipped: number
  readonly changes: number
  readonly saved: boolean
}

/**
 * Throws an `OutsideFailure` if the API could not be read. What was read before the failure is written anyway: an open alert
 * does not wait for a failing history.
 */
export type Poll = () => Promise<PollReport>

export function openPoll(ports: PollPorts, options: PollOptions): Poll {
  const compare = openCompare(ports, options)
  let readMs: number | null = null
  let isFirst = true

  async function once(): Promise<{ report: PollReport; failure: OutsideFailure | null } | 'stale'> {
    const { source, store, clock, logger } = ports
    // Recall first, then read the API: an alert changed by somebody meanwhile makes our plan stale, and it is not written.
    const recalled = await store.recall()
    const snapshot = await source.snapshot({ ...store, ...recalled, readMs })
    const {
      nowMs,
      catchingUp,
      learned,
      failure,
      coverage,
      unreadable,
      leftOut = 0,
      doubt,
      requests,
      skipped,
    } = snapshot
    const changes = await compare(snapshot)
    const { images } = options
    const routes = routesNow(options)
    const gone = options.gone?.() ?? new Set()
    const questions = await stepByStep(clock, asking(changes, { ...options, routes, gone }))
    const existing = await load(ports, changes, questions, catchingUp)
    const decided = await stepByStep(
      clock,
      deciding(changes, questions, existing, { nowMs, catchingUp, images, routes }),
    )
    for (const alertId of decided.unrouted) logger.error('alert:unrouted', { alertId })
    // The database may be older than what Slack shows, and the people on the cards may not have the alerts any more.
    const isOld = isFirst && nowMs - (recalled.facts.polledMs ?? nowMs) > copyAgeMinMs
    // A note from the future was written before the clock was set back; if it stayed, no absence would be noticed until then.
    const isNoted =
      !catchingUp && changes.length === 0 && isWithin(recalled.facts.polledMs ?? 0, nowMs, notedEveryMs - 1)
    const facts = { ...learned.facts, ...(isNoted ? {} : { polledMs: nowMs }) }
    const plan = { ...decided.plan, ...learned, facts, dirtySubjects: isOld ? [null] : [] }
    const seen = { coverage, unreadable, leftOut, ...(doubt === undefined ? {} : { doubt }) }
    const report = { ...seen, requests, skipped, changes: changes.length }
    const saved = !isIdle(plan)
    if (saved && (await store.commit(plan)) === 'stale') return 'stale'
    if (failure === null || failure instanceof HistoryUnread) readMs = nowMs
    if (saved) isFirst = false
    await tell(ports, changes)
    for (const { came, ...facts } of decided.storms) logger.info(`storm:${came}`, facts)
    return { report: { ...report, saved }, failure }
  }

  return async () => {
    const polled = await retryWhenStale(triesMax, async (tries) => {
      const came = await once()
      // Somebody acted during the decision, so it is made again.
      if (came === 'stale') ports.logger.info('poll:stale', { tries })
      return came
    })
    // Nothing is lost: the next poll sees it again. If it persists, it is reported like any failing poll.
    if (polled === 'stale')
      throw new OutsideFailure('unreachable', 'what was read kept changing while it was written down')
    if (polled.failure !== null) throw polled.failure
    return polled.report
  }
}

/** Compares with the stored alerts, and applies the policy's severities. */
function openCompare(
  { clock, roleBook }: PollPorts,
  { severity = [], ignore = [], gapMs }: PollOptions,
): (snapshot: Snapshot) => Promise<readonly Change[]> {
  const isNew = ({ was, kind, alert }: Change) =>
    kind === 'named' ? alert.roles.length === 0 : was === null && kind !== 'recorded'
  /** Applies the severity once roles are known, because a rule may name one. */
  const graded = (change: Change): Change =>
    change.was !== null && change.kind !== 'named'
      ? change
      : { ...change, alert: { ...change.alert, severity: gradeOf(change.alert, severity) } }

  return async (snapshot) => {
    const changes = await stepByStep(clock, reconciling(snapshot, { severity, ignore }, gapMs))
    const rolesOf = await roleBook.rolesOf(changes.filter(isNew).map(({ alert }) => alert.hostname))
    return changes
      .map((one) =>
        isNew(one) ? { ...one, alert: { ...one.alert, roles: rolesOf(one.alert.hostname) } } : one,
      )
      .map(graded)
      .map((one) => (one.was === null && isIgnored(one.alert, ignore) ? ignoredAtOnce(one) : one))
  }
}

/** Answers everything that the decision asks, once. */
async function load(
  { store }: PollPorts,
  changes: readonly Change[],
  { candidates, becameCritical, shown, listed }: Questions,
  catchingUp: boolean,
): Promise<ExistingCards> {
  // Read after the API, which may take long, and before all else: a mute that changes from here on makes the plan stale. Otherwise
  // an alert hidden by a mute that has since ended would never be announced, or on its own card and in what the mute's end told.
  const { mutes, muteEpoch } = await store.mutes()
  const carded = await store.carded(changes.map(({ alert }) => alert.alertId))
  const cards = shown.length === 0 ? [] : await store.cardsOf(shown)
  const lists = listed.length === 0 ? [] : await store.listsOf(listed)
  const announced = becameCritical.length === 0 ? [] : await store.noticesOf('became_critical')
  const announcedCritical = new Set(announced.flatMap(({ alertIds }) => alertIds))
  const fresh = [...candidates.byChannel.values()]
    .flat()
    .flatMap(({ alert }) => (alert.state === 'oneoff' ? [] : alert))
  const firstMs = fresh.reduce((least, alert) => Math.min(least, alert.startedMs), Number.MAX_SAFE_INTEGER)
  const episodes =
    catchingUp || fresh.length === 0 ? [] : await store.episodes(fresh, firstMs - episodesWithinMs)
  // Read last: a waiting card that is being sent when it is to be withdrawn makes the plan stale too.
  const queues = await store.queues([...candidates.byChannel.keys()])
  return { carded, cards, lists, announcedCritical, mutes, muteEpoch, episodes, queues }
}

async function tell({ clock, logger }: PollPorts, changes: readonly Change[]): Promise<void> {
  for (const [at, { kind, alert }] of changes.entries()) {
    if (at % linesPerTurn === linesPerTurn - 1) await clock.wait(0)
    // A first start may record thousands; one line covers them.
    if (kind === 'recorded') continue
    const { alertId, hostname, plugin } = alert
    logger.info(`alert:${kind}`, { alertId, hostname, plugin })
  }
  const recorded = changes.filter(({ kind }) => kind === 'recorded').length
  if (recorded > 0) logger.info('history:recorded', { alerts: recorded })
}

function isIdle(plan: Plan): boolean {
  const { alerts, keptEnds, droppedEndIds, cards, facts } = plan
  const parts = [alerts, keptEnds, droppedEndIds, cards, Object.keys(facts)]
  return parts.every((part) => part.length === 0)
}
