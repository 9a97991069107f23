/**
 * A planned mute: a row that says what should be muted in which windows of time, once or again and again. When a window begins,
 * ordinary mutes are made of it, which end as all mutes do.
 */
import { dayMs, minuteMs } from '../base/duration.ts'
import { momentsOf, wallClock } from '../base/wall-clock.ts'
import { type Mute, type MutedAlert, muteMinMs } from './mute.ts'

/** 0 is Sunday. */
export type Weekday = 0 | 1 | 2 | 3 | 4 | 5 | 6

/** What a mute of monbot's is planned for. Names of servers may be globs: they mean the servers there are when a window begins. */
export type PlannedWhat =
  | { readonly of: 'servers'; readonly names: readonly string[] }
  | { readonly of: 'alert'; readonly subject: string; readonly muted: MutedAlert }
  | { readonly of: 'account' }

/** Of every window: so long, or until a clock shows this (minutes after midnight), which may be on the next day. */
export type PlannedLength = { readonly ms: number } | { readonly untilMinute: number }

/** `minute`: when it begins, minutes after midnight by the clock of the zone. `nth`: only on the first, second … such day of a month. */
export type PlannedRule =
  | { readonly is: 'once'; readonly startMs: number; readonly endMs: number }
  | {
      readonly is: 'weekly'
      readonly days: readonly Weekday[]
      readonly nth: 1 | 2 | 3 | 4 | 'last' | null
      readonly minute: number
      readonly length: PlannedLength
    }

export type PlannedMute = {
  readonly plannedId: string
  readonly what: PlannedWhat
  readonly rule: PlannedRule
  /** IANA: whose clock the rule means. */
  readonly zone: string
  readonly reason: string
  /** Null: the policy file. */
  readonly userId: string | null
  /** Where it is spoken of: in the thread of the message that told of the plan. */
  readonly channel: string
  readonly cardId: string | null
  /** Windows that began up to here are over, under way or missed: none of them begins again. */
  readonly doneMs: number
  /** Windows that begin up to here are left out: skipped by somebody, or before the day that was chosen for the first one. */
  readonly skippedMs: number | null
  /** When the window begins of which its owner was told before. */
  readonly toldMs: number | null
  readonly version: number
}

/** What the policy file plans. */
export type PolicyMute = {
  readonly names: readonly string[]
  readonly rule: PlannedRule
  readonly zone: string
  readonly reason: string
}

/** From when to when, epoch milliseconds. */
export type MuteWindow = { readonly startMs: number; readonly endMs: number }

/** So many may be planned by people. */
export const plannedMax = 100
/** A window that comes again is shorter than that, so that it never runs into the next one. */
export const recurringMaxMs = dayMs
/** Its owner is told so long before. */
export const toldBeforeMs = 10 * minuteMs
/** The longest time between two windows of a rule is that of a day of a month, with room. */
const daysLookedAhead = 70
/** Done up to so far ahead was written by a wrong clock. */
const aheadMaxMs = dayMs

/** The next window that begins after then; null: there is none. */
export function windowAfter(rule: PlannedRule, zone: string, afterMs: number): MuteWindow | null {
  if (rule.is === 'once') return rule.startMs > afterMs ? { startMs: rule.startMs, endMs: rule.endMs } : null
  const wallOf = wallClock(zone)
  const today = Math.floor(wallOf(afterMs) / dayMs) * dayMs
  for (let ahead = -1; ahead <= daysLookedAhead; ahead += 1) {
    const day = today + ahead * dayMs
    if (!isDayOf(rule, day)) continue
    const window = windowOn(day, rule, wallOf)
    if (window.startMs > afterMs) return window
  }
  return null
}

/**
 * The window of one day, by the clock of the zone. Where daylight saving skips its beginning, it begins with the leap; where a
 * clock shows it twice, the first time. Where nothing is left of it, it keeps its length.
 */
export function windowOn(
  dayWallMs: number,
  { minute, length }: { readonly minute: number; readonly length: PlannedLength },
  wallOf: (ms: number) => number,
): MuteWindow {
  const startMs = Math.min(...momentsOf(dayWallMs + minute * minuteMs, wallOf))
  if ('ms' in length) return { startMs, endMs: startMs + length.ms }
  const nominalMs = nominalMsOf(minute, length.untilMinute)
  const ends = momentsOf(dayWallMs + minute * minuteMs + nominalMs, wallOf).filter((ms) => ms > startMs)
  return { startMs, endMs: ends.length === 0 ? startMs + nominalMs : Math.min(...ends) }
}

/** As a clock that nobody sets counts it. */
function nominalMsOf(minute: number, untilMinute: number): number {
  return (untilMinute - minute) * minuteMs + (untilMinute > minute ? 0 : dayMs)
}

/** How long a window of it lasts, but for daylight saving. */
export function lengthMsOf(rule: PlannedRule): number {
  if (rule.is === 'once') return rule.endMs - rule.startMs
  return 'ms' in rule.length ? rule.length.ms : nominalMsOf(rule.minute, rule.length.untilMinute)
}

function isDayOf(
  { days, nth }: Pick<Extract<PlannedRule, { is: 'weekly' }>, 'days' | 'nth'>,
  dayMsOf: number,
): boolean {
  const date = new Date(dayMsOf)
  if (!days.some((day) => day === date.getUTCDay())) return false
  if (nth === null) return true
  const inAWeek = new Date(dayMsOf + 7 * dayMs)
  return nth === 'last'
    ? inAWeek.getUTCMonth() !== date.getUTCMonth()
    : Math.ceil(date.getUTCDate() / 7) === nth
}

/** The window that is under way or comes next at that moment; null: all are over. */
export function windowAt(rule: PlannedRule, zone: string, nowMs: number): MuteWindow | null {
  const fromMs = rule.is === 'once' ? Number.NEGATIVE_INFINITY : nowMs - recurringMaxMs - dayMs
  let window = windowAfter(rule, zone, fromMs)
  while (window !== null && window.endMs <= nowMs) window = windowAfter(rule, zone, window.startMs)
  return window
}

/** The next one that is to begin, with all that was skipped left out. */
export function nextWindow(planned: PlannedMute, afterMs = planned.doneMs): MuteWindow | null {
  const { rule, zone, skippedMs } = planned
  return windowAfter(rule, zone, Math.max(afterMs, skippedMs ?? afterMs))
}

export type Coming = { readonly planned: PlannedMute; readonly window: MuteWindow }

/** Those of which a window is still to come, by when it begins. */
export function comingFirst(all: readonly PlannedMute[]): readonly Coming[] {
  return all
    .flatMap((planned) => {
      const window = nextWindow(planned)
      return window === null ? [] : [{ planned, window }]
    })
    .toSorted((a, b) => a.window.startMs - b.window.startMs)
}

/** A plan before its first window, which begins at once if it is under way. */
export function newPlanned(
  decided: Omit<PlannedMute, 'doneMs' | 'skippedMs' | 'toldMs' | 'version'>,
  window: MuteWindow,
  nowMs: number,
): PlannedMute {
  const doneMs = Math.min(nowMs, window.startMs - 1)
  return { ...decided, doneMs, skippedMs: null, toldMs: null, version: 1 }
}

/** The same for plans that mute the same at the same times. */
export function planKey({ what, rule, zone }: Pick<PlannedMute, 'what' | 'rule' | 'zone'>): string {
  return JSON.stringify([what, rule, zone])
}

/** Had this window begun when its mute was planned? What is left of it is muted at once. */
export function isUnderWay({ doneMs }: Pick<PlannedMute, 'doneMs'>, { startMs }: MuteWindow): boolean {
  return doneMs >= startMs - 1
}

/**
 * - `begin`: for what is left of it
 * - `missed`: so many are over, and this is the last of them
 * - `tell`: its owner is to be told that it begins soon
 * - `over`: no window is left
 */
export type PlannedDue =
  | { readonly do: 'begin' | 'tell'; readonly window: MuteWindow }
  | { readonly do: 'missed'; readonly window: MuteWindow; readonly count: number }
  | { readonly do: 'wait'; readonly untilMs: number }
  | { readonly do: 'over' }

export function plannedDue(planned: PlannedMute, nowMs: number): PlannedDue {
  const { toldMs } = planned
  let window = nextWindow(planned, planned.doneMs > nowMs + aheadMaxMs ? nowMs : planned.doneMs)
  let missed: MuteWindow | null = null
  let count = 0
  while (window !== null && window.startMs <= nowMs && window.endMs - nowMs < muteMinMs) {
    missed = window
    count += 1
    window = nextWindow(planned, window.startMs)
  }
  if (missed !== null) return { do: 'missed', window: missed, count }
  if (window === null) return { do: 'over' }
  const { startMs } = window
  if (startMs <= nowMs) return { do: 'begin', window }
  const tellMs = startMs - toldBeforeMs
  if (toldMs === startMs) return { do: 'wait', untilMs: startMs }
  return tellMs <= nowMs ? { do: 'tell', window } : { do: 'wait', untilMs: tellMs }
}

/** Does it come so often that what goes as planned is not told beforehand? */
export function isFrequent({ rule }: Pick<PlannedMute, 'rule'>): boolean {
  return rule.is === 'weekly' && rule.nth === null && rule.days.length > 2
}

/** Would the window shorten this mute, or is it open to its end? Such a mute stays as it is. */
export function isMutedLonger(mute: Mute, { endMs }: MuteWindow): boolean {
  return mute.state === 'active' && (mute.mode !== 'timed' || mute.untilMs === null || mute.untilMs >= endMs)
}

/** Up to and with this window nothing begins any more. Null: no window is left, and the plan is over. */
export function afterWindow(planned: PlannedMute, { startMs }: MuteWindow): PlannedMute | null {
  const next = { ...planned, doneMs: startMs, version: planned.version + 1 }
  return planned.userId !== null && nextWindow(next) === null ? null : next
}

export function withWindowSkipped(planned: PlannedMute, { startMs }: MuteWindow): PlannedMute {
  return { ...planned, skippedMs: startMs, version: planned.version + 1 }
}

export function withWindowTold(planned: PlannedMute, { startMs }: MuteWindow): PlannedMute {
  return { ...planned, toldMs: startMs, version: planned.version + 1 }
}
