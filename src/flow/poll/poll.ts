/** One poll: remember, look, decide, write one plan. What it writes, `deliver` shows. */
import type { Alert, AlertRecord } from '../../domain/alert/alert.ts'
import { isOfAny, numberOf } from '../../domain/alert/episode.ts'
import { factsAfter, isCatchingUp } from '../../domain/alert/history.ts'
import type { End, Form } from '../../domain/alert/pairing.ts'
import { type Change, reconciling } from '../../domain/alert/reconcile.ts'
import type { Route } from '../../domain/alert/route.ts'
import type { Seen } from '../../domain/alert/unreadable.ts'
import { brokenAt, HistoryUnread, OutsideFailure } from '../../domain/base/failure.ts'
import { type Kept, listedLately } from '../../domain/base/retention.ts'
import { type Announcement, announcing, joinNews, newsIn, routeNews } from '../../domain/card/announce.ts'
import { type Earlier, episodesWithinMs } from '../../domain/card/fold.ts'
import { type Images, picturesFor } from '../../domain/delivery/picture.ts'
import { emptyPlan, type Plan } from '../../domain/plan.ts'
import { contain } from '../concurrency/contain.ts'
import { inTurns, othersFirst, stepByStep } from '../concurrency/in-turns.ts'
import { retryWhenStale } from '../concurrency/retry-when-stale.ts'
import type { Clock, Logger, Monitor } from '../ports/ports.ts'
import type { CardPlace, Recalled, Store } from '../ports/store.ts'
import { type History, notRead, openHistory } from './history.ts'
import { type OpenList, openOpenList } from './open-list.ts'
import { openRoleBook, type RoleBook } from './roles.ts'

const triesMax = 5

export type PollOptions = {
  readonly images: Images
  readonly lifecycle: Form | 'auto'
  readonly routes: readonly Route[]
  readonly defaultChannel: string | null
  /** Away for longer than this, the bot catches up. */
  readonly absenceMs: number
  /** How long what is over is remembered; as a rule as `domain/base/retention.ts` has it. */
  readonly kept?: Kept
}

export type PollPorts = {
  readonly monitor: Monitor
  readonly store: Store
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
 * Throws an `OutsideFailure` when the API could not be read. What could be read until then is written all the same: an
 * alert that is open does not wait for a history that fails.
 */
export type Poll = () => Promise<PollReport>

export function openPoll(ports: PollPorts, options: PollOptions): Poll {
  const history = openHistory(ports)
  const readOpen = openOpenList(ports)
  const { roleBook = openRoleBook(ports) } = ports

  async function once(): Promise<{ report: PollReport; failure: OutsideFailure | null } | 'stale'> {
    const { store, clock } = ports
    // Remember first, look second: whoever changes an alert while we look makes our plan stale, and it is not written.
    const recalled = await store.recall()
    const openIds = [...recalled.alerts.values()].flatMap((alert) =>
      alert.state === 'open' ? numberOf(alert.alertId) : [],
    )
    const open = await readOpen(openIds)
    await othersFirst(clock, open.alertRecords.length)
    // An API that has just failed is not asked for more.
    const all =
      open.failure === null
        ? await contain(
            { kind: 'poll', logger: ports.logger },
            () => history.read(recalled, open, formNow(recalled, options)),
            (errorId) => notRead(brokenAt('what is over', errorId)),
          )
        : notRead(open.failure)
    const nowMs = clock.nowMs()
    const memory = {
      alerts: await recallSeen(ports, recalled, open.alertRecords, all.known, nowMs),
      ends: [...new Map([...recalled.ends.map(keyed), ...all.knownEnds]).values()],
    }
    await othersFirst(clock, memory.alerts.size)
    const known = new Set([
      ...[...memory.alerts.keys()].map(numberOf),
      ...memory.ends.map(({ record }) => numberOf(record.alertId)),
      ...open.alertRecords.map(({ alertId }) => alertId),
    ])
    const times = { nowMs, newestMs: await store.newestStartMs() }
    const lately = listedLately(all.alertRecords, (alertId) => known.has(alertId), times, options.kept)
    await othersFirst(clock, known.size)
    const { facts } = recalled
    const catchingUp = isCatchingUp(facts, nowMs, options.absenceMs)
    const steps = reconciling(memory, {
      // A record that could not be read may be the very one that seems to be missing.
      open: { alertRecords: open.alertRecords, complete: open.complete && open.skipped === 0 },
      all: {
        alertRecords: lately,
        whole: all.whole,
        endsSeen: all.failure === null && (all.whole || all.newestFirst),
        lacks: all.lacks,
      },
      nowMs,
      form: formNow(recalled, options),
      isFormFixed: options.lifecycle !== 'auto',
      catchingUp,
      historyMs: facts.historyMs,
    })
    const decided = await stepByStep(clock, steps)
    const changes = await withRoles(decided.changes)
    await othersFirst(clock, changes.length)
    const nextFacts = factsAfter(facts, {
      nowMs,
      catchingUp,
      listed: { ...all, isFailed: all.failure !== null },
      hasChanges: changes.length > 0,
      learned: options.lifecycle === 'auto' ? decided.form : null,
    })
    const { plan, storms } = await planFor(changes, { ...decided, nowMs, catchingUp, facts: nextFacts })
    const seen = seenOf(open, all)
    const report = {
      ...seen,
      requests: open.requests + all.requests,
      skipped: open.skipped + all.skipped,
      changes: changes.length,
    }
    const failure = open.failure ?? (all.failure === null ? null : new HistoryUnread(all.failure, seen))
    if (isIdle(plan)) return { report: { ...report, saved: false }, failure }
    if ((await store.commit(plan)) === 'stale') return 'stale'
    await tell(changes)
    for (const { came, ...facts } of storms) ports.logger.info(`storm:${came}`, facts)
    return { report: { ...report, saved: true }, failure }
  }

  async function tell(changes: readonly Change[]): Promise<void> {
    await inTurns(ports.clock, changes, (some) => {
      for (const { kind, alert } of some) {
        // A first start may record thousands; one line says so.
        if (kind === 'recorded') continue
        const { alertId, hostname, plugin } = alert
        ports.logger.info(`alert:${kind}`, { alertId, hostname, plugin })
      }
    })
    const recorded = changes.filter(({ kind }) => kind === 'recorded').length
    if (recorded > 0) ports.logger.info('history:recorded', { alerts: recorded })
  }

  async function withRoles(changes: readonly Change[]): Promise<Change[]> {
    const isNew = ({ was, kind }: Change) => was === null && kind !== 'recorded'
    const rolesOf = await roleBook.rolesOf(changes.filter(isNew).map(({ alert }) => alert.hostname))
    return changes.map((change) =>
      isNew(change)
        ? { ...change, alert: { ...change.alert, roles: rolesOf(change.alert.hostname) } }
        : change,
    )
  }

  async function planFor(
    changes: readonly Change[],
    decided: Pick<Plan, 'keptEnds' | 'droppedEndIds' | 'facts'> & { nowMs: number; catchingUp: boolean },
  ): Promise<{ plan: Plan; storms: Announcement['storms'] }> {
    const { nowMs, catchingUp, ...rest } = decided
    const { store, logger } = ports
    const carded = await store.carded(changes.map(({ alert }) => alert.alertId))
    const standing = await store.cardsOf(turned(changes))
    // Read after the look, which may take long: a mute that changes from here on makes the plan stale. Otherwise an alert
    // that was hidden by a mute that has ended meanwhile would be told by nobody.
    const { mutes, muteEpoch } = await store.mutes()
    const fresh = newsIn(changes, { carded, mutes })
    await othersFirst(ports.clock, fresh.length)
    const news = joinNews(await inTurns(ports.clock, fresh, (some) => routeNews(some, options)))
    const episodes = catchingUp ? [] : await episodesOf(fresh.filter(({ state }) => state !== 'oneoff'))
    // Last of all: a card that waits here, and that is being sent when it is to be withdrawn, makes the plan stale as well.
    const queues = await store.queues([...news.byChannel.keys()])
    const steps = announcing(changes, news, {
      nowMs,
      catchingUp,
      summaryId: nowMs,
      carded,
      episodes,
      queues,
    })
    const told = await stepByStep(ports.clock, steps)
    await othersFirst(ports.clock, changes.length)
    for (const alertId of news.unrouted) logger.error('alert:unrouted', { alertId })
    const plan = {
      ...emptyPlan(nowMs),
      ...rest,
      alerts: changes.map(({ alert, was }) => ({ alert, was })),
      cards: told.cards,
      folds: told.folds,
      joins: told.joins,
      withdrawn: told.withdrawn,
      dirty: told.dirty,
      pictures: picturesFor(pictured(changes, told, standing), options.images),
      muteEpoch: mutes.length > 0 && changes.length > 0 ? muteEpoch : null,
    }
    return { plan, storms: told.storms }
  }

  async function episodesOf(fresh: readonly Alert[]): Promise<readonly Earlier[]> {
    if (fresh.length === 0) return []
    const firstMs = fresh.reduce((least, alert) => Math.min(least, alert.startedMs), Number.MAX_SAFE_INTEGER)
    return ports.store.episodes(fresh, firstMs - episodesWithinMs)
  }

  return async () => {
    const polled = await retryWhenStale(triesMax, async (tries) => {
      const came = await once()
      if (came === 'stale') ports.logger.warn('poll:stale', { tries })
      return came
    })
    // Nothing is lost: the next poll sees it again. If that goes on, it is reported as any poll that fails.
    if (polled === 'stale')
      throw new OutsideFailure('unreachable', 'what was read kept changing while it was written down')
    if (polled.failure !== null) throw polled.failure
    return polled.report
  }
}

function seenOf(open: OpenList, all: History): Seen {
  return {
    isWhole: open.complete,
    isPastWhole: all.complete,
    unreadable: {
      open: open.skipped,
      listed: open.alertRecords.length + open.skipped,
      past: Math.max(0, all.skipped - open.skipped),
    },
  }
}

/** Alerts whose pictures have changed with them. */
function turned(changes: readonly Change[]): string[] {
  return changes
    .filter(({ kind }) => kind === 'closed' || kind === 'reopened')
    .map(({ alert }) => alert.alertId)
}

/** Every card that shows one alert and whose picture has changed with it; `standing` are those that are there already. */
function pictured(
  changes: readonly Change[],
  told: Announcement,
  standing: readonly CardPlace[],
): { cardId: string; alert: Alert }[] {
  const alerts = new Map(changes.map(({ alert }) => [alert.alertId, alert]))
  const withdrawn = new Set(told.withdrawn)
  const shown = [
    ...told.cards.filter(({ kind }) => kind === 'alert'),
    ...told.folds.map(({ cardId, alertId }) => ({ cardId, alertIds: [alertId] })),
    ...standing.filter(({ cardId }) => !withdrawn.has(cardId)),
  ]
  return shown.flatMap(({ cardId, alertIds }) => {
    const alert = alerts.get(alertIds.at(-1) ?? '')
    return alert === undefined ? [] : [{ cardId, alert }]
  })
}

function keyed(end: End): [string, End] {
  return [end.record.alertId, end]
}

function formNow({ facts }: Recalled, options: PollOptions): Form | null {
  return options.lifecycle === 'auto' ? facts.form : options.lifecycle
}

async function recallSeen(
  { store, clock }: Pick<PollPorts, 'store' | 'clock'>,
  recalled: Recalled,
  open: readonly AlertRecord[],
  known: History['known'],
  nowMs: number,
): Promise<Recalled['alerts']> {
  const alerts = new Map(known)
  for (const [alertId, alert] of recalled.alerts) alerts.set(alertId, alert)
  // Where the record is of an alert that is open, no other episode of its number matters.
  const notOf = (open: (seen: AlertRecord) => readonly Alert[]) => (some: readonly AlertRecord[]) =>
    some.filter((seen) => isOfAny(open(seen), seen, { isOpen: true, nowMs }) === null)
  // As a rule each is of the first episode of its number.
  const first = ({ alertId }: AlertRecord) => [recalled.alerts.get(alertId) ?? []].flat()
  const unsure = (await inTurns(clock, open, notOf(first))).flat()
  const openOf = Map.groupBy(unsure.length === 0 ? [] : recalled.alerts.values(), ({ alertId }) =>
    numberOf(alertId),
  )
  const strangers = notOf(({ alertId }) => openOf.get(alertId) ?? [])(unsure)
  const numbers = [...new Set(strangers.map(({ alertId }) => alertId))]
  for (const alert of await store.recallByNumbers(numbers)) alerts.set(alert.alertId, alert)
  return alerts
}

function isIdle(plan: Plan): boolean {
  const { alerts, keptEnds, droppedEndIds, cards, facts } = plan
  const parts = [alerts, keptEnds, droppedEndIds, cards, Object.keys(facts)]
  return parts.every((part) => part.length === 0)
}
