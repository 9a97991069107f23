/** Says what hides alerts elsewhere: silences that somebody made at the Alertmanager, and alerts that inhibit others. */
import type { MutedBy } from '../../../domain/alert/details.ts'
import type { MutedElsewhere, Silence } from '../../../domain/mute/hiding.ts'
import { escapedWithin } from '../../mrkdwn.ts'
import { capital, counted, listed, name, type When } from './phrases.ts'

const whyLengthMax = 300
const inhibitorsShown = 3

/**
 * `🔕 silenced at the Alertmanager by ana until 15:00: reason`, `🔕 inhibited by NodeDown on node-3`; what is unknown is left out.
 * Of several the first one, and how many more. Nothing where there is none.
 */
export function elsewhereLine(some: readonly MutedBy[], when: When): string[] {
  const [first, ...others] = some
  if (first === undefined) return []
  return [`🔕 ${mutedByWords(first, when)}${others.length === 0 ? '' : ` (and ${others.length} more)`}`]
}

/** The same in few words, for lists: without the reason. */
export function elsewhereFacts([first]: readonly MutedBy[], when: When): string[] {
  return first === undefined ? [] : [`🔕 ${mutedByWords({ ...first, why: null }, when)}`]
}

/** `silenced at the Alertmanager by ana until 15:00: reason`; what is unknown is left out. */
export function mutedByWords({ kind, by, untilMs, why, isOurs }: Omit<MutedBy, 'id'>, when: When): string {
  const what = kind === 'inhibition' ? 'inhibited' : isOurs ? 'muted' : 'silenced at the Alertmanager'
  const who = name(by ?? '')
  const reason = escapedWithin(why ?? '', whyLengthMax)
  return [what, ...(who === '' ? [] : [`by ${who}`]), ...(untilMs === null ? [] : [`until ${when(untilMs)}`])]
    .join(' ')
    .concat(reason === '' ? '' : `: ${reason}`)
}

/** A silence in a list of mutes: `🔕 *Silenced at the Alertmanager* by ana until 15:00: reason · hides 3 open alerts`. */
export function silenceLine(silence: Silence, when: When): string {
  const what = silence.isOurs ? 'Muted' : 'Silenced at the Alertmanager'
  const words = capital(mutedByWords(silence, when)).slice(what.length)
  const state = silence.isEnding ? ' · over: shown in a few minutes' : ''
  return `🔕 *${what}*${words} · hides ${counted(silence.alerts, 'open alert')}${state}`
}

/** `60 open alerts are inhibited, by NodeDown on node-3`; nothing where none is. */
export function inhibitedLines({ inhibited, inhibitors }: MutedElsewhere): string[] {
  if (inhibited === 0) return []
  const by = inhibitors.length === 0 ? '' : `, by ${listed(inhibitors.map(name), inhibitorsShown)}`
  return [`🔕 ${counted(inhibited, 'open alert')} ${inhibited === 1 ? 'is' : 'are'} inhibited${by}`]
}

/** For a first line: `2 silenced elsewhere`, `60 inhibited`. */
export function elsewhereParts({ silenced, inhibited }: MutedElsewhere): string[] {
  return [
    ...(silenced === 0 ? [] : [`${silenced} silenced elsewhere`]),
    ...(inhibited === 0 ? [] : [`${inhibited} inhibited`]),
  ]
}
