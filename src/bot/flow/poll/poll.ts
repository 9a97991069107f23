/** One poll: recall, read the API, decide, write one plan. `deliver` shows what the plan wrote. */
import type { Alert } from '../../domain/alert/alert.ts'
import type { Change } from '../../domain/alert/change.ts'
import { numberOf } from '../../domain/alert/episode.ts'
import { factsAfter, notedEveryMs } from '../../domain/alert/history.ts'
import { gradeOf, type Route, type SeverityRule } from '../../domain/alert/match.ts'
import type { CloseStyle, End } from '../../domain/alert/pairing.ts'
import { type Reconciled, reconciling } from '../../domain/alert/reconcile.ts'
import type { Seen } from '../../domain/alert/unreadable.ts'
import { HistoryUnread, OutsideFailure } from '../../domain/base/failure.ts'
import { type Kept, listedLately } from '../../domain/base/retention.ts'
import { newsIn, routeNews } from '../../domain/card/announce.ts'
import { type Earlier, episodesWithinMs } from '../../domain/card/fold.ts'
import { closedOrReopened, type ExistingCards, planning } from '../../domain/card/planning.ts'
import { becameCritical, criticalNotices } from '../../domain/card/reminders.ts'
import type { Images } from '../../domain/delivery/picture.ts'
import type { Plan } from '../../domain/plan.ts'
import { inTurns, othersFirst, stepByStep } from '../concurrency/in-turns.ts'
import { retryWhenStale } from '../concurrency/retry-when-stale.ts'
import type { CardPlace } from '../ports/card-store.ts'
import type { Clock, Logger, Monitor } from '../ports/ports.ts'
import type { Store } from '../ports/store.ts'
import type { History } from './history.ts'
import { type Observation, openObserve } from './observe.ts'
import type { OpenList } from './open-list.ts'
import { openRoleBook, type RoleBook } from './roles.ts'

const triesMax = 5
/** The last poll is noted every few minutes: a longer gap at a start is an absence, or a memory that was restored. */
const copyAgeMinMs = notedEveryMs + 60_000

export type PollOptions = {
  readonly images: Images
  readonly lifecycle: CloseStyle | 'auto'
  readonly routes: readonly Route[]
  readonly severity?: readonly SeverityRule[]
  readonly defaultChannel: string | null
  /** Channels that can take nothing now; what belongs there goes elsewhere. */
  readonly gone?: () => ReadonlySet<string>
  /** After an absence longer than this, the bot catches up. */
  readonly absenceMs: number
  /** How long ended things are remembered; usually as in `domain/base/retention.ts`. */
  readonly kept?: Kept
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
  readonly monitor: Monitor
  readonly store: PollStore
  readonly clock: Clock
  readonly logger: Logger
  readonly roleBook?: RoleBook
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
  const observe = openObserve(ports, options)
  const compare = openCompare(ports, options)
  const load = openLoad(ports, options)
  let readMs: number | null = null
  let isFirst = true

  async function once(): Promise<{ report: PollReport; failure: OutsideFailure | null } | 'stale'> {
    const { store, clock, logger } = ports
    const observed = await observe()
    const { recalled, open, all, nowMs, catchingUp } = observed
    const { changes, keptEnds, droppedEndIds, form } = await compare(observed, readMs)
    await othersFirst(clock, changes.length)
    const facts = factsAfter(recalled.facts, {
      nowMs,
      catchingUp,
      listed: { ...all, isFailed: all.failure !== null },
      hasChanges: changes.length > 0,
      learned: options.lifecycle === 'auto' ? form : null,
    })
    const standing = await load(changes, catchingUp)
    const decided = await stepByStep(
      clock,
      planning(changes, standing, { nowMs, catchingUp, images: options.images }),
    )
    for (const alertId of standing.news.unrouted) logger.error('alert:unrouted', { alertId })
    // The memory may be an older copy than what Slack shows: whoever the cards name may not have them any more.
    const isOld = isFirst && nowMs - (recalled.facts.polledMs ?? nowMs) > copyAgeMinMs
    const dirtyServers = isOld ? [null] : []
    const plan = { ...decided.plan, keptEnds, droppedEndIds, facts, dirtyServers }
    const seen = seenOf(open, all, keptEnds)
    const report = {
      ...seen,
      requests: open.requests + all.requests,
      skipped: open.skipped + all.skipped,
      changes: changes.length,
    }
    const noteRead = () => {
      if (open.failure === null) readMs = nowMs
    }
    const failure = open.failure ?? (all.failure === null ? null : new HistoryUnread(all.failure, seen))
    if (isIdle(plan)) noteRead()
    if (isIdle(plan)) return { report: { ...report, saved: false }, failure }
    if ((await store.commit(plan)) === 'stale') return 'stale'
    noteRead()
    isFirst = false
    await tell(ports, changes)
    for (const { came, ...facts } of decided.storms) logger.info(`storm:${came}`, facts)
    return { report: { ...report, saved: true }, failure }
  }

  return async () => {
    const polled = await retryWhenStale(triesMax, async (tries) => {
      const came = await once()
      // Somebody acted while it was decided: that happens, and it is decided anew.
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

/** What has changed since the last poll, as the policy judges it. */
function openCompare(
  ports: PollPorts,
  options: PollOptions,
): (observed: Observation, readMs: number | null) => Promise<Reconciled> {
  const { store, clock, roleBook = openRoleBook(ports) } = ports

  async function withRoles(changes: readonly Change[]): Promise<Change[]> {
    const isNew = ({ was, kind, alert }: Change) =>
      kind === 'named' ? alert.roles.length === 0 : was === null && kind !== 'recorded'
    const rolesOf = await roleBook.rolesOf(changes.filter(isNew).map(({ alert }) => alert.hostname))
    return changes.map((change) =>
      isNew(change)
        ? { ...change, alert: { ...change.alert, roles: rolesOf(change.alert.hostname) } }
        : change,
    )
  }

  /** Once its roles are known: a rule may ask for one. */
  function graded(change: Change): Change {
    if (change.was !== null && change.kind !== 'named') return change
    const severity = gradeOf(change.alert, options.severity ?? [])
    return { ...change, alert: { ...change.alert, severity } }
  }

  return async ({ recalled, memory, open, all, form, nowMs, catchingUp }, readMs) => {
    const known = new Set([
      ...[...memory.alerts.keys()].map(numberOf),
      ...memory.ends.map(({ record }) => numberOf(record.alertId)),
      ...open.alertRecords.map(({ alertId }) => alertId),
    ])
    const times = { nowMs, newestMs: await store.newestStartMs() }
    const lately = listedLately(all.alertRecords, (alertId) => known.has(alertId), times, options.kept)
    await othersFirst(clock, known.size)
    const snapshot = {
      // A record that could not be read may be the one that seems to be missing.
      open: { alertRecords: open.alertRecords, complete: open.complete && open.skipped === 0 },
      all: {
        alertRecords: lately,
        whole: all.whole,
        endsSeen: all.failure === null && (all.whole || all.newestFirst),
        lacks: all.lacks,
      },
      nowMs,
      polledMs: readMs ?? recalled.facts.polledMs,
      form,
      isFormFixed: options.lifecycle !== 'auto',
      catchingUp,
      historyMs: recalled.facts.historyMs,
    }
    const reconciled = await stepByStep(clock, reconciling(memory, snapshot, options.severity))
    return { ...reconciled, changes: (await withRoles(reconciled.changes)).map(graded) }
  }
}

/** What the plan depends on besides the changes themselves. */
function openLoad(
  { store, clock }: PollPorts,
  options: PollOptions,
): (changes: readonly Change[], catchingUp: boolean) => Promise<ExistingCards> {
  /** Announces each alert's change to critical once, however often its severity changes. */
  async function notYetAnnounced(critical: readonly Alert[]): Promise<readonly Alert[]> {
    const said = critical.length === 0 ? [] : await store.noticesOf('became_critical')
    const told = new Set(said.flatMap(({ alertIds }) => alertIds))
    return critical.filter(({ alertId }) => !told.has(alertId))
  }

  /** All that shows them: cards of their own, and lists. */
  async function placesOf(alerts: readonly Alert[]): Promise<readonly CardPlace[]> {
    const ids = alerts.map(({ alertId }) => alertId)
    return ids.length === 0 ? [] : [...(await store.cardsOf(ids)), ...(await store.listsOf(ids))]
  }

  async function episodesOf(fresh: readonly Alert[]): Promise<readonly Earlier[]> {
    if (fresh.length === 0) return []
    const firstMs = fresh.reduce((least, alert) => Math.min(least, alert.startedMs), Number.MAX_SAFE_INTEGER)
    return store.episodes(fresh, firstMs - episodesWithinMs)
  }

  return async (changes, catchingUp) => {
    const carded = await store.carded(changes.map(({ alert }) => alert.alertId))
    const cards = await store.cardsOf(closedOrReopened(changes))
    // Read after the API, which may take long: a mute that changes from here on makes the plan stale. Otherwise an alert
    // hidden by a mute that has since ended would never be announced.
    const { mutes, muteEpoch } = await store.mutes()
    const fresh = newsIn(changes, { carded, mutes })
    const standing = await placesOf(fresh.filter(({ alertId }) => carded.has(alertId)))
    const critical = await notYetAnnounced(becameCritical(changes, mutes))
    const worsened = criticalNotices(critical, await placesOf(critical), options.routes)
    await othersFirst(clock, fresh.length)
    const news = await stepByStep(
      clock,
      routeNews(fresh, { ...options, gone: options.gone?.() ?? new Set(), standing }),
    )
    const episodes = catchingUp ? [] : await episodesOf(fresh.filter(({ state }) => state !== 'oneoff'))
    // Last of all: a card that waits here, and is being sent when it is to be withdrawn, makes the plan stale as well.
    const queues = await store.queues([...news.byChannel.keys()])
    return { carded, cards, muteEpoch: mutes.length > 0 ? muteEpoch : null, worsened, news, episodes, queues }
  }
}

async function tell({ clock, logger }: PollPorts, changes: readonly Change[]): Promise<void> {
  await inTurns(clock, changes, (some) => {
    for (const { kind, alert } of some) {
      // A first start may record thousands; one line covers them.
      if (kind === 'recorded') continue
      const { alertId, hostname, plugin } = alert
      logger.info(`alert:${kind}`, { alertId, hostname, plugin })
    }
  })
  const recorded = changes.filter(({ kind }) => kind === 'recorded').length
  if (recorded > 0) logger.info('history:recorded', { alerts: recorded })
}

function seenOf(open: OpenList, all: History, keptEnds: readonly End[]): Seen {
  return {
    isWhole: open.complete,
    isPastWhole: all.complete,
    isPastSettled: keptEnds.every(({ decided }) => decided),
    unreadable: {
      open: open.skipped,
      listed: open.alertRecords.length + open.skipped,
      past: Math.max(0, all.skipped - open.skipped),
    },
  }
}

function isIdle(plan: Plan): boolean {
  const { alerts, keptEnds, droppedEndIds, cards, facts } = plan
  const parts = [alerts, keptEnds, droppedEndIds, cards, Object.keys(facts)]
  return parts.every((part) => part.length === 0)
}
