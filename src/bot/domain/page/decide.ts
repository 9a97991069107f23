/** Decides for which alerts somebody is called, and when that is over. Pure. */
import type { Alert } from '../alert/alert.ts'
import { isMatch } from '../alert/match.ts'
import type { ReminderStep } from '../card/reminders.ts'
import { isMutedByPeople } from '../mute/hiding.ts'
import type { Mute } from '../mute/mute.ts'
import { asPolicySays } from '../oncall/mention.ts'
import { type Page, quiet, ring } from './page.ts'

/** An alert that nobody has, with the card that announced it, and since when people could know of it. */
export type Callable = {
  readonly alert: Alert
  readonly cardId: string
  readonly kind: 'alert' | 'summary' | 'storm'
  readonly channel: string
  readonly mention: string | null
  readonly isFold: boolean
  readonly sinceMs: number
}

type Known = {
  readonly waiting: readonly Callable[]
  /** The pages that ring, and their alerts as they are now. */
  readonly ringing: readonly { readonly page: Page; readonly alerts: readonly Alert[] }[]
  /** Pages that rang before, by key. */
  readonly earlier: ReadonlyMap<string, Page>
  readonly mutes: readonly Mute[]
}

type Rules = {
  readonly steps: readonly ReminderStep[]
  readonly flapSettleMs: number | null
  readonly nowMs: number
  readonly newId: () => string
}

export type PageChange = { readonly page: Page; readonly was: number | null }

/** As many alerts of one channel, each with a card of its own, are called for one by one at a time; more share a page, as a storm does. */
const aloneMax = 5

/** The key of an alert's own page. */
export function keyOfAlert({ alertId }: Pick<Alert, 'alertId'>): string {
  return `monbot:${alertId}`
}

/** The keys that a decision about these may need in `earlier`. */
export function keysOf(waiting: readonly Callable[]): readonly string[] {
  return [...new Set(waiting.flatMap((one) => [ownKey(one), sharedKey(one)]))]
}

function ownKey({ kind, alert, cardId }: Callable): string {
  return kind === 'alert' ? keyOfAlert(alert) : `monbot:${cardId}`
}

function sharedKey({ alert }: Callable): string {
  return `${keyOfAlert(alert)}:and-others`
}

/** The pages that change: those that are over first. */
export function decidePages(known: Known, rules: Rules): readonly PageChange[] {
  const cards = Map.groupBy(known.waiting, ({ alert }) => alert.alertId)
  const ended = known.ringing.flatMap((one) => moved(one.page, ending(one, known, rules), cards))
  const isOver = new Set(ended.flatMap(({ page }) => (page.isRinging ? [] : [page.key])))
  const left = new Map(known.ringing.map(({ page }) => [page.key, page]))
  for (const { page } of ended) left.set(page.key, page)
  const ringing = [...left.values()].filter(({ key }) => !isOver.has(key))
  const due = dueCalls(known.waiting, rules)
  const changes = new Map(ended.map((change) => [change.page.key, change]))
  for (const { key, of, known: page } of grouped(due, ringing)) {
    const before = page ?? changes.get(key)?.page ?? known.earlier.get(key) ?? null
    const next = called(before, key, of, rules)
    if (next === null) continue
    const was = changes.get(key)?.was ?? before?.version ?? null
    // Written once, whatever else was decided about it.
    changes.set(key, { page: { ...next, version: (was ?? 0) + 1 }, was })
  }
  return [...changes.values()]
}

/**
 * The change, on the card where its alerts stand now, and with whom its route mentions: a channel that was archived or lost its route
 * shows nobody that the call fails. `cards`: those of each alert that waits. A page keeps the card that it had while one of its alerts
 * stands there, or none waits.
 */
function moved(
  ringing: Page,
  change: PageChange | null,
  cards: ReadonlyMap<string, readonly Callable[]>,
): readonly PageChange[] {
  const [page, was] = [change?.page ?? ringing, ringing.version]
  const unchanged = change === null ? [] : [change]
  const known = page.isRinging ? page.alertIds.flatMap((alertId) => cards.get(alertId) ?? []) : []
  const to = known.find(({ cardId }) => cardId === page.cardId) ?? known[0]
  if (to === undefined) return unchanged
  const { cardId, channel, mention } = to
  if (cardId === page.cardId && asPolicySays(mention) === asPolicySays(page.mention)) return unchanged
  return [{ page: { ...page, cardId, channel, mention, version: was + 1 }, was }]
}

/** What became of a page that rings: null for nothing, fewer alerts, or it is over. */
function ending(
  { page, alerts }: Known['ringing'][number],
  { mutes }: Known,
  { nowMs, newId }: Rules,
): PageChange | null {
  const left = alerts.filter((alert) => !isSettled(alert, mutes))
  if (left.length === page.alertIds.length) return null
  const was = page.version
  if (left.length > 0) {
    return { page: { ...page, alertIds: left.map(({ alertId }) => alertId), version: was + 1 }, was }
  }
  const acked = alerts.filter(({ ackedBy }) => ackedBy !== null)
  const last = acked.toSorted((a, b) => (b.ackedMs ?? 0) - (a.ackedMs ?? 0))[0]
  return { page: quiet(page, last?.ackedBy ?? null, { nowMs, newId }), was }
}

/**
 * Nobody need be called for it: somebody has it, it is over, or somebody decided that nobody is to hear of it. One of which nothing
 * is known (`isLost`) may be open: it goes on.
 */
export function isSettled(alert: Alert, mutes: readonly Mute[]): boolean {
  const { state, ackedBy } = alert
  if (ackedBy !== null || (state !== 'open' && state !== 'unreported')) return true
  return isMutedByPeople(alert, mutes)
}

type Due = Callable & { readonly steps: readonly number[] }

function dueCalls(waiting: readonly Callable[], rules: Rules): readonly Due[] {
  const once = new Map(waiting.map((one) => [one.alert.alertId, one]))
  return [...once.values()].flatMap((one) => {
    const steps = dueSteps(one, rules)
    return steps.length === 0 ? [] : [{ ...one, steps }]
  })
}

function dueSteps(one: Callable, rules: Rules): readonly number[] {
  return pageTimes(one, rules)
    .filter(({ dueMs }) => dueMs <= rules.nowMs)
    .map(({ afterMs }) => afterMs)
}

/** The steps that call for this alert, and when each is due. */
function pageTimes(one: Callable, { steps, flapSettleMs }: Pick<Rules, 'steps' | 'flapSettleMs'>) {
  // One that flaps calls at night no sooner than it is announced again.
  const leastMs = isBack(one) ? (flapSettleMs ?? 0) : 0
  return pageSteps(steps, one.alert).map(({ afterMs }) => ({
    afterMs,
    dueMs: one.sinceMs + Math.max(afterMs, leastMs),
  }))
}

function pageSteps(steps: readonly ReminderStep[], alert: Alert): readonly ReminderStep[] {
  return steps.filter(({ page, match }) => page === true && (match === undefined || isMatch(alert, match)))
}

/** It came back on the card that it had, and nobody had it since. */
function isBack({ alert, isFold }: Callable): boolean {
  const { ownershipConfirmedMs, firstSeenMs, reopenedMs } = alert
  return (
    (isFold || reopenedMs !== null) && (ownershipConfirmedMs ?? 0) <= Math.max(firstSeenMs, reopenedMs ?? 0)
  )
}

/** When the next of these steps is due, epoch milliseconds; null: none is to come. */
export function nextDueMs(
  waiting: readonly Callable[],
  { nowMs, ...policy }: Omit<Rules, 'newId'>,
): number | null {
  const times = waiting.flatMap((one) => pageTimes(one, policy).map(({ dueMs }) => dueMs))
  return times.reduce<number | null>(
    (next, ms) => (ms > nowMs && (next === null || ms < next) ? ms : next),
    null,
  )
}

type Group = { readonly key: string; readonly of: readonly Due[]; readonly known: Page | null }

/** An alert belongs to the page that rings for it, else to that of its list, else it has its own. */
function grouped(due: readonly Due[], ringing: readonly Page[]): readonly Group[] {
  const holders = new Map(ringing.flatMap((page) => page.alertIds.map((alertId) => [alertId, page] as const)))
  const byKey = new Map(ringing.map((page) => [page.key, page]))
  const holderOf = (one: Due) => holders.get(one.alert.alertId) ?? byKey.get(ownKey(one)) ?? null
  const held = Map.groupBy(due, holderOf)
  const groups: Group[] = []
  for (const [page, of] of held) if (page !== null) groups.push({ key: page.key, of, known: page })
  const fresh = Map.groupBy(held.get(null) ?? [], ownKey)
  const alone = [...fresh].filter(([, [one]]) => one?.kind === 'alert')
  for (const [key, of] of fresh) if (of[0]?.kind !== 'alert') groups.push({ key, of, known: null })
  for (const same of Map.groupBy(alone, ([, [one]]) => one?.channel).values()) {
    const all = same.flatMap(([, of]) => of)
    const [first] = all
    if (all.length > aloneMax && first !== undefined)
      groups.push({ key: sharedKey(first), of: all, known: null })
    else for (const [key, of] of same) groups.push({ key, of, known: null })
  }
  return groups
}

/** Null: these call nobody anew. */
function called(page: Page | null, key: string, of: readonly Due[], rules: Rules): Page | null {
  const { nowMs, newId } = rules
  const [first] = of
  if (first === undefined) return null
  const ids = of.map(({ alert }) => alert.alertId)
  const { cardId, channel, mention, kind } = first
  const stepsNow = pageTimesOf(rules)
  if (page?.isRinging === true) {
    const all = [...new Set([...page.alertIds, ...ids])]
    const steps = [...new Set(of.flatMap((one) => uncalledSteps(page, one, rules)))]
    if (steps.length > 0) return ring(page, { ...page, alertIds: all, steps, stepsNow }, { nowMs, newId })
    return all.length === page.alertIds.length ? null : { ...page, alertIds: all }
  }
  const steps = [...new Set(of.flatMap((one) => one.steps))]
  const isOfList = kind !== 'alert' || ids.length > 1
  const given = { key, alertIds: ids, isOfList, cardId, channel, mention, steps, stepsNow }
  return ring(page, given, { nowMs, newId })
}

/**
 * The due steps of this alert that have not called, also if the policy has given a step another time since: a time that called and
 * that no step has counts for the first step that the policy has got since and that the alert lacks, as with reminders.
 */
function uncalledSteps(
  { steps: taken, stepsAtFirst = [] }: Page,
  one: Due,
  rules: Pick<Rules, 'steps'>,
): readonly number[] {
  const now = pageTimesOf(rules)
  const lost = taken.filter((ms) => !now.includes(ms))
  const times = pageSteps(rules.steps, one.alert).map(({ afterMs }) => afterMs)
  const left = times.filter((ms) => !taken.includes(ms))
  const moved = left.filter((ms) => !stepsAtFirst.includes(ms)).slice(0, lost.length)
  return left.filter((ms) => one.steps.includes(ms) && !moved.includes(ms))
}

/** The times of the steps that call, for whichever alert. */
function pageTimesOf({ steps }: Pick<Rules, 'steps'>): readonly number[] {
  return steps.filter(({ page }) => page === true).map(({ afterMs }) => afterMs)
}
