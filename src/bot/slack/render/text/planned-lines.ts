/** Planned mutes in words: what, in which window, how often, by whom and why. */
import { isGlob } from '../../../../shared/glob.ts'
import { formatDuration, minuteMs } from '../../../domain/base/duration.ts'
import { alertWords } from '../../../domain/mute/mute.ts'
import type {
  Coming,
  MuteWindow,
  PlannedMute,
  PlannedRule,
  PlannedWhat,
  Weekday,
} from '../../../domain/mute/planned.ts'
import { printable } from '../../mrkdwn.ts'
import { alertThing, code, listed, name, person, reasonWords, serverName, type When } from './phrases.ts'

const namesShown = 4
const reasonCharsMax = 120
const dayNames = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'] as const
const nthWords = { 1: '1st', 2: '2nd', 3: '3rd', 4: '4th', last: 'last' } as const

/** Names as they were given, globs as code. */
export function plannedNames(names: readonly string[]): string {
  return listed(
    names.map((one) => (isGlob(one) ? code(one) : serverName(one))),
    namesShown,
  )
}

export function plannedThing(what: PlannedWhat): string {
  if (what.of === 'account') return serverName(null)
  return what.of === 'alert' ? alertThing(alertWords(what.muted)) : plannedNames(what.names)
}

/** For labels and screen readers: not escaped. */
export function plainPlanned(what: PlannedWhat): string {
  if (what.of === 'account') return 'the whole account'
  return what.of === 'alert' ? alertWords(what.muted) : listed(what.names, namesShown)
}

export function windowWords({ startMs, endMs }: MuteWindow, when: When): string {
  return `from ${when(startMs)} to ${when(endMs)}`
}

/** `every Tue 02:00–04:00 (Europe/Berlin)`; empty for what happens once. */
export function ruleWords(rule: PlannedRule, zone: string): string {
  if (rule.is === 'once') return ''
  const { days, nth, minute, length } = rule
  const end =
    'ms' in length
      ? `${clockText(minute)} for ${formatDuration(length.ms)}`
      : `${clockText(minute)}–${clockText(length.untilMinute)}`
  const which = nth === null ? daysWords(days) : `${nthWords[nth]} ${daysWords(days)}`
  return `every ${which} ${end} (${name(zone)})`
}

function daysWords(days: readonly Weekday[]): string {
  if (days.length === 7) return 'day'
  if (days.length === 5 && !days.includes(0) && !days.includes(6)) return 'weekday'
  return days.map((day) => dayNames[day]).join(', ')
}

function clockText(minute: number): string {
  return new Date(minute * minuteMs).toISOString().slice(11, 16)
}

/** The next window, and by whom. */
export function plannedLine({ planned, window }: Coming, when: When): string {
  const { what, rule, zone, userId, reason } = planned
  const facts = [ruleWords(rule, zone), `planned by ${userId === null ? 'the policy' : person(userId)}`]
  const why = reasonWords(printable(reason, reasonCharsMax))
  return `🗓️ ${plannedThing(what)} will be muted ${windowWords(window, when)} · ${facts.filter(Boolean).join(' · ')}${why}`
}

/** What the audit and announcements say of a plan. */
export function plannedRuleOf({ rule, zone }: Partial<Pick<PlannedMute, 'rule' | 'zone'>>): string {
  const words = rule === undefined ? '' : ruleWords(rule, zone ?? '')
  return words === '' ? '' : `, ${words}`
}
