/** What is open under a mute, as the hand-back and its end tell it. */
import type { Alert } from '../../../domain/alert/alert.ts'
import type { Mute } from '../../../domain/mute/mute.ts'
import { idOf } from '../cards/alert-card.ts'
import { headline } from './headline.ts'
import { counted, type When } from './phrases.ts'

const linesShown = 5
const lineLengthMax = 500

/** `Still open (7):` and the newest of them, or the one sentence that there is none. */
export function openLines(
  open: readonly Alert[],
  words: { none: string; some: string; when: When },
): string[] {
  if (open.length === 0) return [words.none]
  const rest = open.length - linesShown
  return [
    `${words.some}${rest > 0 ? ` (${open.length})` : ''}:`,
    ...open.slice(0, linesShown).map((alert) => lineOf(alert, words.when)),
    ...(rest > 0 ? [`and ${rest} more`] : []),
  ]
}

/** What happened once under the mute, which no card tells of; nothing where nothing did. */
export function oneoffLines(oneoffs: readonly Alert[], when: When): string[] {
  return oneoffs.length === 0
    ? []
    : openLines(oneoffs, { none: '', some: 'Happened once while it was muted', when })
}

/** `7 alerts came while it was muted, 5 of them have closed again`. */
export function hiddenWords(
  under: {
    readonly mute: Mute
    readonly open: readonly Alert[]
    readonly hidden: number
    readonly oneoffs: readonly Alert[]
  },
  during: string,
): string {
  const { mute, open, hidden, oneoffs } = under
  if (hidden === 0) return `no alert came ${during}`
  const stillOpen = open.filter((alert) => alert.startedMs >= mute.startedMs).length
  const gone = Math.max(0, hidden - stillOpen - oneoffs.length)
  const fate =
    gone === 0
      ? ''
      : gone === hidden
        ? `, ${hidden === 1 ? 'it has' : 'all have'} closed again`
        : `, ${gone} of them ${gone === 1 ? 'has' : 'have'} closed again`
  return `${counted(hidden, 'alert')} came ${during}${fate}`
}

function lineOf(alert: Alert, when: When): string {
  const number = ` · ${idOf(alert)}`
  return `${headline(alert, when, lineLengthMax - number.length)}${number}`
}
