/** Plans mutes for later, skips their windows and cancels them. */
import { isGlob } from '../../../shared/glob.ts'
import { dayMs, minuteMs } from '../../domain/base/duration.ts'
import { momentsOf, wallClock } from '../../domain/base/wall-clock.ts'
import { changeNotice } from '../../domain/card/thread-cards.ts'
import type { AskedOnce, AskedPlan } from '../../domain/command/plan-text.ts'
import { muteMinMs } from '../../domain/mute/mute.ts'
import {
  lengthMsOf,
  type MuteWindow,
  newPlanned,
  nextWindow,
  type PlannedMute,
  type PlannedRule,
  type PlannedWhat,
  planKey,
  plannedMax,
  recurringMaxMs,
  type Weekday,
  windowAfter,
  windowAt,
  windowOn,
  withWindowSkipped,
} from '../../domain/mute/planned.ts'
import { type Limits, longestMs, nextClock } from '../../domain/mute/until.ts'
import { emptyPlan, type Plan } from '../../domain/plan.ts'
import type { ChangeOf } from '../../domain/request/actions.ts'
import type { Refusal } from '../../domain/request/reply.ts'
import { attempt } from '../attempt.ts'
import { retryWhenStale } from '../concurrency/retry-when-stale.ts'
import { plannedDetail, plannedTitle, soonClosed } from '../mute/planned-notices.ts'
import { triesMax } from './alert-actions.ts'
import {
  type Acted,
  type ActionContext,
  type ActPorts,
  entryOf,
  keptChanging,
  notTried,
  refused,
  replyOnly,
} from './context.ts'
import { serversOf } from './mute.ts'
import { meantBy } from './mute-alert.ts'
import { unknownServers } from './target.ts'

type PlanMute = ChangeOf<'plan_mute'>

/** What is to be muted, with what that hides now; `open` null: nobody knows. */
type Meant = { readonly what: PlannedWhat; readonly servers: readonly string[]; readonly open: number | null }

export async function planMute(
  ports: ActPorts,
  context: ActionContext,
  change: PlanMute,
  limits: Limits,
): Promise<Acted> {
  const { store, clock, directory, ids } = ports
  const isAccount = change.of.of === 'account'
  const reason = change.reason.trim()
  if (isAccount && reason === '') return refused({ why: 'reason_missing' })
  const zone = await attempt(() => directory.zoneOf(context.request.userId))
  if (!zone.ok) return notTried(context, zone.failure)
  const maxMs = longestMs(limits, isAccount)
  const rule = ruleOf(change.plan, { nowMs: context.askedMs, zone: zone.value, maxMs })
  if ('why' in rule) return refused(rule)
  const meant = await meantNow(ports, context, change)
  if ('reply' in meant) return meant
  const nowMs = clock.nowMs()
  const { plan } = change
  // Of what comes again a form gives the day of the first one too. Half a day before it none begins, whatever daylight saving does.
  const beforeMs =
    plan.is === 'moment' && rule.is === 'weekly' && plan.startMs > nowMs ? plan.startMs - dayMs / 2 : null
  const window =
    beforeMs === null ? windowAt(rule, zone.value, nowMs) : windowAfter(rule, zone.value, beforeMs)
  // It was confirmed so late that its time has passed.
  if (window === null) return refused({ why: 'too_short', minMs: muteMinMs })
  const { userId } = context.request
  const decided = { plannedId: ids.make(), what: meant.what, rule, zone: zone.value, reason, userId }
  const planned = { ...newPlanned({ ...decided, ...context.place }, window, nowMs), skippedMs: beforeMs }
  const others = await store.planned()
  const same = others.find((one) => one.userId !== null && planKey(one) === planKey(planned))
  if (same !== undefined) {
    const next = nextWindow(same) ?? window
    return replyOnly({ kind: 'done', act: 'plan_mute', planned: same, window: next, isAlready: true })
  }
  if (others.filter((one) => one.userId !== null).length >= plannedMax)
    return refused({
      why: 'invalid',
      expected: `at most ${plannedMax} planned mutes: cancel one in /mon mutes first`,
      came: '',
    })
  if (change.isConfirmed === undefined && isWidePlan(planned, change)) {
    const pendingId = ids.make()
    await store.keepPending({
      pendingId,
      userId,
      change: { ...change, isConfirmed: true },
      atMs: context.askedMs,
    })
    const { servers, open } = meant
    return replyOnly({ kind: 'confirm_planned', planned, window, servers, open, pendingId })
  }
  return written(ports, context, planned, window)
}

async function written(
  { store, clock }: ActPorts,
  context: ActionContext,
  planned: PlannedMute,
  window: MuteWindow,
): Promise<Acted> {
  const atMs = clock.nowMs()
  const { auditId, subject, place } = context
  const about = { ...subject, ...plannedTitle(planned.what) }
  const detail = {
    ...subject.detail,
    ...plannedDetail(planned, window),
    ...plannedTitle(planned.what).detail,
  }
  const row = { outcome: 'done', why: null, detail } as const
  const entry = entryOf({ ...context, subject: { ...about, detail } }, row, { auditId, atMs })
  const card = changeNotice(entry, place)
  const next = { ...planned, cardId: place.cardId ?? card.cardId }
  await store.commit({
    ...emptyPlan(atMs),
    planned: [{ plannedId: planned.plannedId, next, was: null }],
    audit: [entry],
    cards: [card],
  })
  return replyOnly({ kind: 'done', act: 'plan_mute', planned: next, window })
}

/** What comes again hides without an end; the rest as for a mute that begins now. */
function isWidePlan({ rule, what }: PlannedMute, { of }: PlanMute): boolean {
  if (rule.is === 'weekly' || what.of === 'account' || lengthMsOf(rule) > dayMs) return true
  if (of.of === 'alert') return of.matchers !== undefined
  return what.of === 'servers' && (what.names.length > 1 || what.names.some(isGlob))
}

/** Names are checked, as a mistyped one would be found out at night. Globs stay globs. */
async function meantNow(ports: ActPorts, context: ActionContext, { of }: PlanMute): Promise<Meant | Acted> {
  const { store, servers } = ports
  switch (of.of) {
    case 'account':
      return { what: { of: 'account' }, servers: [], open: (await store.openAlerts(null)).length }
    case 'alert': {
      const meant = await meantBy(ports, context, { alert: of.alert, matchers: of.matchers })
      if ('reply' in meant) return meant
      const { subject, muted, open } = meant
      return { what: { of: 'alert', subject, muted }, servers: [], open }
    }
    case 'servers': {
      const found = await serversOf({ servers: of.servers, shown: null }, ports)
      if ('changed' in found) return refused({ why: 'unknown_card' })
      if (!found.ok) return refused(found.refusal)
      const globs = of.servers.flatMap((ref) => (ref.by === 'name' && isGlob(ref.name) ? [ref.name] : []))
      const named = of.servers.every(({ by }) => by === 'name')
        ? of.servers.flatMap((ref) => (ref.by === 'name' ? [ref.name.trim()] : []))
        : found.found
      const unknown = await unknownIn(globs.length > 0 ? [] : found.found, servers)
      if (unknown !== null) return refused(unknown)
      const open = (await store.openAlerts(found.found)).length
      return { what: { of: 'servers', names: [...new Set(named)] }, servers: found.found, open }
    }
  }
}

/** A list that cannot be read does not prove that there is no such server. */
async function unknownIn(names: readonly string[], servers: ActPorts['servers']): Promise<Refusal | null> {
  const book = await servers.book()
  const unknown = names.filter((name) => !book.has(name))
  if (unknown.length === 0 || servers.unread() !== null) return null
  return unknownServers({ act: 'mute_server', unread: null }, unknown, servers)
}

type RuleOf = { readonly nowMs: number; readonly zone: string; readonly maxMs: number }

/** The rule that is meant, in the person's zone, or why it cannot be. */
export function ruleOf(plan: AskedPlan, { nowMs, zone, maxMs }: RuleOf): PlannedRule | Refusal {
  const rule =
    plan.is === 'weekly' ? plan : plan.is === 'once' ? onceOf(plan, nowMs, zone) : ofMoment(plan, zone)
  if (rule === null || (rule.is === 'once' && rule.startMs <= nowMs)) {
    const expected = 'a beginning that is still to come, such as from 22:00 for 2h: that time has passed'
    return { why: 'invalid', expected, came: '' }
  }
  const ms = lengthMsOf(rule)
  if (ms < muteMinMs) return { why: 'too_short', minMs: muteMinMs }
  if (ms > maxMs) return { why: 'too_long', maxMs }
  if (rule.is === 'weekly' && ms >= recurringMaxMs) {
    return { why: 'invalid', expected: 'less than a day for what comes again and again', came: '' }
  }
  return rule
}

/** Null: that day is over, or its time is. */
function onceOf({ day, ...times }: AskedOnce, nowMs: number, zone: string): PlannedRule | null {
  const wallOf = wallClock(zone)
  const today = Math.floor(wallOf(nowMs) / dayMs) * dayMs
  const once = (dayWallMs: number): PlannedRule => ({ is: 'once', ...windowOn(dayWallMs, times, wallOf) })
  if (day === null) {
    const startMs = nextClock(Math.floor(times.minute / 60), times.minute % 60, nowMs, zone)
    return once(Math.floor(wallOf(startMs) / dayMs) * dayMs)
  }
  if ('dateMs' in day) return once(day.dateMs)
  if ('inDays' in day) return once(today + day.inDays * dayMs)
  const ahead = (day.weekday - new Date(today).getUTCDay() + 7) % 7
  const first = once(today + ahead * dayMs)
  // On that weekday after its time, the next one is meant.
  return first.is === 'once' && first.startMs > nowMs ? first : once(today + (ahead + 7) * dayMs)
}

/** A form gives a moment: what comes again has its time of the day, and perhaps its day. */
function ofMoment(
  { startMs, days, length }: Extract<AskedPlan, { is: 'moment' }>,
  zone: string,
): PlannedRule | null {
  const wallOf = wallClock(zone)
  const wallMs = wallOf(startMs)
  const day = Math.floor(wallMs / dayMs) * dayMs
  const minute = Math.floor((wallMs - day) / minuteMs)
  if (days !== null) {
    const own = [new Date(day).getUTCDay() as Weekday]
    return { is: 'weekly', days: days === 'same' ? own : days, nth: null, minute, length }
  }
  if ('ms' in length) return { is: 'once', startMs, endMs: startMs + length.ms }
  const ends = [0, 1, 2].flatMap((more) =>
    momentsOf(day + more * dayMs + length.untilMinute * minuteMs, wallOf),
  )
  return { is: 'once', startMs, endMs: Math.min(...ends.filter((ms) => ms > startMs)) }
}

/** Its window is left out: nothing is muted in it, and the plan goes on. */
export async function skipPlanned(
  ports: ActPorts,
  context: ActionContext,
  { plannedId, startMs }: ChangeOf<'skip_planned'>,
): Promise<Acted> {
  return changed(ports, context, plannedId, (planned) => {
    const { doneMs, skippedMs } = planned
    if (skippedMs !== null && startMs > doneMs && startMs <= skippedMs)
      return { why: 'planned_changed', is: 'skipped' }
    const window = nextWindow(planned)
    if (window === null || window.startMs !== startMs) return { why: 'planned_changed', is: 'begun' }
    const next = withWindowSkipped(planned, window)
    const after = nextWindow(next)
    return {
      next: after === null && planned.userId !== null ? null : next,
      window,
      reply: { act: 'skip_planned', planned, skipped: window, window: after },
    }
  })
}

export async function cancelPlanned(
  ports: ActPorts,
  context: ActionContext,
  { plannedId }: ChangeOf<'cancel_planned'>,
): Promise<Acted> {
  return changed(ports, context, plannedId, (planned) => {
    if (planned.userId === null) return { why: 'planned_changed', is: 'of_policy' }
    return { next: null, window: nextWindow(planned), reply: { act: 'cancel_planned', planned } }
  })
}

type Decided = {
  readonly next: PlannedMute | null
  readonly window: MuteWindow | null
  readonly reply: Extract<
    Parameters<typeof replyOnly>[0],
    { kind: 'done'; act: 'skip_planned' | 'cancel_planned' }
  > extends infer Done
    ? Omit<Done, 'kind'>
    : never
}

async function changed(
  { store, clock }: ActPorts,
  context: ActionContext,
  plannedId: string,
  decide: (planned: PlannedMute) => Decided | Refusal,
): Promise<Acted> {
  const saved = await retryWhenStale(triesMax, async (): Promise<'stale' | Acted> => {
    const planned = (await store.planned()).find((one) => one.plannedId === plannedId)
    if (planned === undefined) return refused({ why: 'planned_changed', is: 'gone' })
    const refusal = planned.what.of === 'account' ? await context.may('mute_account') : null
    if (refusal !== null) return refused(refusal)
    const decided = decide(planned)
    if ('why' in decided) return refused(decided)
    const atMs = clock.nowMs()
    const { next, window, reply } = decided
    const title = plannedTitle(planned.what)
    const detail = { ...(window === null ? {} : plannedDetail(planned, window)), ...title.detail }
    const row = { outcome: 'done', why: null, detail } as const
    const subject = { ...context.subject, ...title, detail }
    const entry = entryOf({ ...context, subject }, row, { auditId: context.auditId, atMs })
    const soon = window === null ? null : await soonClosed(planned, window, store)
    const plan: Plan = {
      ...emptyPlan(atMs),
      planned: [{ plannedId, next, was: planned.version }],
      audit: [entry, ...(soon?.audit ?? [])],
      cards: [changeNotice(entry, planned)],
      dirtyCards: soon?.dirtyCards ?? [],
    }
    if ((await store.commit(plan)) === 'stale') return 'stale'
    return replyOnly({ kind: 'done', ...reply } as Parameters<typeof replyOnly>[0])
  })
  return saved === 'stale' ? keptChanging(context, 'the planned mute kept changing meanwhile') : saved
}
