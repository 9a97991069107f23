/** What one poll reads: what is remembered, then open alerts, then ended ones, as far as each can be read. */
import type { Alert, AlertRecord } from '../../domain/alert/alert.ts'
import { isOfAny, numberOf } from '../../domain/alert/episode.ts'
import { isCatchingUp } from '../../domain/alert/history.ts'
import type { CloseStyle, End } from '../../domain/alert/pairing.ts'
import type { Memory } from '../../domain/alert/snapshot.ts'
import { brokenAt, OutsideFailure } from '../../domain/base/failure.ts'
import { isWithin } from '../../domain/base/set-clock.ts'
import { contain } from '../concurrency/contain.ts'
import { inTurns, othersFirst } from '../concurrency/in-turns.ts'
import type { Clock, Logger, Monitor } from '../ports/ports.ts'
import type { Recalled, Store } from '../ports/store.ts'
import { type History, notRead, openHistory } from './history.ts'
import { type OpenList, openOpenList } from './open-list.ts'
import type { Listing } from './sweep.ts'

/** What a poll remembered and saw. */
export type Observation = {
  readonly recalled: Recalled
  /** The above, and what is remembered of everything that was seen. */
  readonly memory: Memory
  readonly open: OpenList
  readonly all: History
  /** How the API closes alerts, as far as it was known before. */
  readonly form: CloseStyle | null
  readonly nowMs: number
  readonly catchingUp: boolean
}

type ObservePorts = {
  readonly monitor: Monitor
  readonly store: Pick<Store, 'recall' | 'recallByNumbers' | 'recallEnds' | 'newestStartMs'>
  readonly clock: Clock
  readonly logger: Logger
}

/** An API lists what ended for 30 days (docs/api.md#alerts); a day less, as its clock differs from ours. */
const listedForMs = 29 * 24 * 60 * 60_000
/** After so long of nothing but empty lists it may be true: somebody deleted everything. */
const emptyMaxMs = 24 * 60 * 60_000

/** Throws an `OutsideFailure` if no open alert at all could be read, or if both lists lost everything. */
export function openObserve(
  ports: ObservePorts,
  options: { readonly lifecycle: CloseStyle | 'auto'; readonly absenceMs: number },
): () => Promise<Observation> {
  const { store, clock, logger } = ports
  const history = openHistory(ports)
  const readOpen = openOpenList(ports)
  let emptySinceMs: number | null = null

  /**
   * What closes stays listed, so lists without a single record, where one began lately, are another account's, or those of a copy
   * that has lost its data.
   */
  async function refuseEmptied(lists: readonly Listing[], nowMs: number): Promise<void> {
    const isEmpty = lists.every(({ alertRecords, skipped }) => alertRecords.length + skipped === 0)
    if (!isEmpty) emptySinceMs = null
    if (!isEmpty || lists.some(({ requests }) => requests === 0)) return
    emptySinceMs ??= nowMs
    if (!isWithin(emptySinceMs, nowMs, emptyMaxMs)) return
    const newestMs = await store.newestStartMs()
    if (newestMs === null || nowMs - newestMs > listedForMs) return
    throw new OutsideFailure(
      'unreachable',
      'the monitoring API lists nothing at all, not even what ended lately',
    )
  }

  return async () => {
    // Recall first, then read the API: an alert changed by somebody meanwhile makes our plan stale, and it is not written.
    const recalled = await store.recall()
    const openIds = [...recalled.alerts.values()].flatMap((alert) =>
      alert.state === 'open' ? numberOf(alert.alertId) : [],
    )
    const form = options.lifecycle === 'auto' ? recalled.facts.form : options.lifecycle
    const open = await readOpen(openIds)
    await othersFirst(clock, open.alertRecords.length)
    // An API that has just failed gets no further requests.
    const all =
      open.failure === null
        ? await contain(
            { kind: 'poll', logger },
            () => history.read(recalled, open, form),
            (errorId) => notRead(brokenAt('what is over', errorId)),
          )
        : notRead(open.failure)
    const nowMs = clock.nowMs()
    if (all.failure === null && open.failure === null) await refuseEmptied([open, all], nowMs)
    const catchingUp = isCatchingUp(recalled.facts, nowMs, options.absenceMs)
    const memory = {
      alerts: await recallSeen(ports, recalled, open.alertRecords, all.known, nowMs),
      ends: [...new Map([...recalled.ends.map(keyed), ...all.knownEnds]).values()],
    }
    await othersFirst(clock, memory.alerts.size)
    return { recalled, memory, open, all, form, nowMs, catchingUp }
  }
}

async function recallSeen(
  { store, clock }: Pick<ObservePorts, 'store' | 'clock'>,
  recalled: Recalled,
  open: readonly AlertRecord[],
  known: History['known'],
  nowMs: number,
): Promise<Recalled['alerts']> {
  const alerts = new Map(known)
  for (const [alertId, alert] of recalled.alerts) alerts.set(alertId, alert)
  // If the record belongs to an open alert, no other episode of its number matters.
  const notOf = (open: (seen: AlertRecord) => readonly Alert[]) => (some: readonly AlertRecord[]) =>
    some.filter((seen) => isOfAny(open(seen), seen, { isOpen: true, nowMs }) === null)
  // Usually each belongs to the first episode of its number.
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

function keyed(end: End): [string, End] {
  return [end.record.alertId, end]
}
