/** One poll: remember, look, decide, write one plan. What it writes, `deliver` shows. */
import type { Alert, Sighting } from '../domain/alert.ts'
import { announce } from '../domain/announce.ts'
import type { End, Form } from '../domain/correlate.ts'
import { type Images, pictureWay } from '../domain/picture.ts'
import type { Facts, Plan } from '../domain/plan.ts'
import { type Change, reconcile } from '../domain/reconcile.ts'
import type { Route } from '../domain/route.ts'
import { type History, openHistory, requestsMax } from './history.ts'
import type { Clock, Journal, Monitor, Recalled, Store } from './ports.ts'
import { openRoleBook } from './roles.ts'
import { sweep } from './sweep.ts'

/** Away for longer than this, the bot catches up: what is open is told at once, what is over is only recorded. */
export const absenceMs = 30 * 60_000
const triesMax = 3

export type PollOptions = {
  readonly lifecycle: Form | 'auto'
  readonly routes: readonly Route[]
  readonly defaultChannel: string | null
  readonly images: Images
  /** The scheme, host and port of the monitoring API. */
  readonly apiOrigin: string
}

export type PollPorts = { monitor: Monitor; store: Store; clock: Clock; journal: Journal }

export type PollReport = {
  readonly requests: number
  readonly skipped: number
  readonly changes: number
  readonly saved: boolean
}

/** Throws an `OutsideFailure` when the API could not be read; nothing was written then. */
export type Poll = () => Promise<PollReport>

export function openPoll(ports: PollPorts, options: PollOptions): Poll {
  const history = openHistory(ports)
  const roleBook = openRoleBook(ports)

  async function once(): Promise<PollReport | 'stale'> {
    const { monitor, store, clock } = ports
    // Remember first, look second: whoever changes an alert while we look makes our plan stale, and it is not written.
    const recalled = await store.recall()
    const open = await sweep((offset) => monitor.alerts({ lifecycle: 'start', offset }), { requestsMax })
    const all = await history.read(recalled, open, formNow(recalled, options))
    const nowMs = clock.nowMs()
    const memory = {
      alerts: await recallSeen(store, recalled, open.sightings, all.known),
      ends: [...new Map([...recalled.ends.map(keyed), ...all.knownEnds]).values()],
    }
    const catchingUp = isCatchingUp(recalled.facts, nowMs)
    const historyMs = catchingUp ? newestOf([...open.sightings, ...all.sightings]) : recalled.facts.historyMs
    const decided = reconcile(memory, {
      open,
      all: { sightings: all.sightings, whole: all.whole },
      nowMs,
      form: formNow(recalled, options),
      historyMs: historyMs ?? 0,
    })
    const changes = await withRoles(decided.changes)
    const plan = await planFor(changes, { ...decided, nowMs, catchingUp, historyMs, whole: all.whole })
    const report = {
      requests: open.requests + all.requests,
      skipped: open.skipped + all.skipped,
      changes: changes.length,
    }
    if (isIdle(plan, recalled.facts)) return { ...report, saved: false }
    if ((await store.commit(plan)) === 'stale') return 'stale'
    tell(changes)
    return { ...report, saved: true }
  }

  function tell(changes: readonly Change[]): void {
    for (const { kind, alert } of changes) {
      // A first start may record thousands; one line says so.
      if (kind === 'recorded') continue
      const { alertId, hostname, plugin } = alert
      ports.journal.info(`alert:${kind}`, { alertId, hostname, plugin })
    }
    const recorded = changes.filter(({ kind }) => kind === 'recorded').length
    if (recorded > 0) ports.journal.info('history:recorded', { alerts: recorded })
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
    decided: Pick<Plan, 'keptEnds' | 'droppedEndIds'> & {
      form: Form | null
      nowMs: number
      catchingUp: boolean
      historyMs: number | null
      whole: boolean
    },
  ): Promise<Plan> {
    const { nowMs, catchingUp, historyMs, form } = decided
    const told = announce(changes, {
      routes: options.routes,
      defaultChannel: options.defaultChannel,
      catchingUp,
      nowMs,
      carded: await ports.store.carded(changes.map(({ alert }) => alert.alertId)),
    })
    for (const alertId of told.unrouted) ports.journal.error('alert:unrouted', { alertId })
    const singles = new Set(
      told.cards.filter(({ kind }) => kind === 'alert').flatMap((card) => card.alertIds),
    )
    return {
      atMs: nowMs,
      alerts: changes.map(({ alert, was }) => ({ alert, was })),
      keptEnds: decided.keptEnds,
      droppedEndIds: decided.droppedEndIds,
      cards: told.cards,
      touched: told.touched,
      pictures: changes.flatMap(({ alert }) => (singles.has(alert.alertId) ? picturesOf(alert) : [])),
      facts: { form, historyMs, ...(decided.whole || changes.length > 0 ? { polledMs: nowMs } : {}) },
    }
  }

  function picturesOf(alert: Alert): Plan['pictures'] {
    if (alert.state === 'closed') return []
    const way = pictureWay(alert.sparklineUrl, options.images, options.apiOrigin)
    return way === null ? [] : [{ alertId: alert.alertId, way }]
  }

  return async () => {
    for (let tries = 1; tries <= triesMax; tries += 1) {
      const report = await once()
      if (report !== 'stale') return report
      ports.journal.warn('poll:stale', { tries })
    }
    throw new Error(`${triesMax} plans in a row were stale`)
  }
}

function keyed(end: End): [string, End] {
  return [end.record.alertId, end]
}

function formNow({ facts }: Recalled, options: PollOptions): Form | null {
  return options.lifecycle === 'auto' ? facts.form : options.lifecycle
}

async function recallSeen(
  store: Store,
  recalled: Recalled,
  open: readonly Sighting[],
  known: History['known'],
): Promise<Recalled['alerts']> {
  const alerts = new Map([...known, ...recalled.alerts])
  const strangers = open.map(({ alertId }) => alertId).filter((alertId) => !alerts.has(alertId))
  for (const alert of await store.recallByIds(strangers)) alerts.set(alert.alertId, alert)
  return alerts
}

function isCatchingUp(facts: Facts, nowMs: number): boolean {
  return facts.polledMs === null || nowMs - facts.polledMs > absenceMs
}

function newestOf(sightings: readonly Sighting[]): number {
  return sightings.reduce((newest, { timeMs }) => Math.max(newest, timeMs), 0)
}

function isIdle(plan: Plan, facts: Facts): boolean {
  const nothing =
    plan.alerts.length + plan.keptEnds.length + plan.droppedEndIds.length + plan.cards.length === 0
  const { form, historyMs, polledMs } = plan.facts
  return nothing && form === facts.form && historyMs === facts.historyMs && polledMs === undefined
}
