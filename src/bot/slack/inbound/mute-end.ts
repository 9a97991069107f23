/** When a mute should end, as chosen on a card or typed into a form. */

import { hourMs } from '../../domain/base/duration.ts'
import { endText, parseAskedMute } from '../../domain/command/mute-text.ts'
import { leadingClock } from '../../domain/command/time-text.ts'
import type { MuteEnd } from '../../domain/request/named.ts'
import { muteChoices } from '../vocabulary.ts'

type MuteChoice = (typeof muteChoices)[number]

const ends: Readonly<Record<MuteChoice, MuteEnd>> = {
  '30m': { kind: 'for', ms: hourMs / 2 },
  '1h': { kind: 'for', ms: hourMs },
  '4h': { kind: 'for', ms: 4 * hourMs },
  '24h': { kind: 'for', ms: 24 * hourMs },
  healthy: { kind: 'healthy' },
  unmuted: { kind: 'unmuted' },
}

/** The words of each choice. */
export const muteChoiceWords: Readonly<Record<MuteChoice, string>> = {
  '30m': '30 min',
  '1h': '1 h',
  '4h': '4 h',
  '24h': '24 h',
  healthy: 'until healthy',
  unmuted: 'until unmuted',
}

/** The end that was chosen; null for a value that the select does not offer. */
export function chosenEnd(value: string | null): MuteEnd | null {
  const choice = muteChoices.find((one) => one === value)
  return choice === undefined ? null : ends[choice]
}

/** The formats that `typedEnd` accepts. */
export const endExpected = 'a duration such as 90m or 2h30m, or a time such as until 15:00'

/** The end that was typed; null if it does not match `endExpected`. A time alone means until then. */
export function typedEnd(text: string): MuteEnd | null {
  const trimmed = text.trim()
  const isClock = leadingClock(trimmed)?.end === trimmed.length
  const asked = parseAskedMute(isClock ? `until ${trimmed}` : trimmed)
  return 'why' in asked || asked.reason !== '' || asked.end.kind === 'default' ? null : asked.end
}

/**
 * Splits what a command gave before its form was opened into the form's fields; text that is not an end counts as the reason.
 */
export function saidBefore(text: string): { readonly end: string; readonly reason: string } {
  const asked = parseAskedMute(text)
  if ('why' in asked) return { end: '', reason: text }
  const { end, reason } = asked
  return { end: endText(end), reason }
}
