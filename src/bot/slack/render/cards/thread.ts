/** Renders messages in a card's thread: notes, and the end of a mute. */
import type { Alert } from '../../../domain/alert/alert.ts'
import type { CardView } from '../../../domain/card/kinds.ts'
import { escaped } from '../../mrkdwn.ts'
import { briefHeadline } from '../text/headline.ts'
import { hiddenWords, idOf, oneoffLines, underLines } from '../text/list-lines.ts'
import {
  context,
  type Rendered,
  section,
  sectionCharsMax,
  sectionsOf,
  textOf,
} from '../text/message-parts.ts'
import {
  capital,
  inBlocks,
  inText,
  mutedThing,
  onAgain,
  person,
  reasonWords,
  type When,
} from '../text/phrases.ts'

// A line of a note that is too long after escaping is cut into pieces of so many characters.
const pieceChars = 500
/** Slack refuses a message whose blocks hold much more; a note has at most 3,000 characters before it is escaped. */
const noteLengthMax = 9_000

export function renderNote({ note, about }: CardView<'note'>): Rendered {
  const which =
    about === null ? '' : ` on ${idOf(about)}, ${briefHeadline(about, { isLinked: false }, sectionCharsMax)}`
  const recent = `📝 Note by ${person(note.userId)}${which}`
  const lines = noteLines(note.text)
  return {
    text: textOf([`${recent}: ${lines[0] ?? ''}`, ...lines.slice(1)], '\n'),
    blocks: [section(recent), ...sectionsOf(lines.map((line) => `>${line}`))],
  }
}

/** What the author of an alert wrote about it. */
export function renderDescription({ details }: Alert): Rendered {
  const lines = noteLines((details?.description ?? '').trim())
  return { text: textOf(lines, '\n'), blocks: sectionsOf(lines) }
}

/** The note's lines, each short enough for a section; what is too much is left out. */
function noteLines(text: string): string[] {
  const lines = text.split(/\r\n|[\n\r\u2028\u2029]/).flatMap((line) => {
    const whole = escaped(line, Number.POSITIVE_INFINITY)
    return whole.length < sectionCharsMax ? [whole] : pieces(line).map((piece) => escaped(piece, pieceChars))
  })
  let length = 0
  const kept = lines.filter((line) => {
    length += line.length + 2
    return length <= noteLengthMax
  })
  return kept.length < lines.length ? [...kept, '…'] : kept
}

function pieces(line: string): string[] {
  const chars = [...line]
  return Array.from({ length: Math.ceil(chars.length / pieceChars) }, (_, n) =>
    chars.slice(n * pieceChars, (n + 1) * pieceChars).join(''),
  )
}

export function renderMuteEnded(view: CardView<'mute_ended'>): Rendered {
  const { mute } = view
  // Not an interrupted mute, because that hid nothing as far as is known.
  const wasOne = mute.endedBy !== 'interrupted'
  const lines = (when: When) => [`🔔 ${endedWords(view, when)}`, ...(wasOne ? leftLines(view, when) : [])]
  const rest = (when: When) =>
    wasOne
      ? `${capital(hiddenWords(view, 'while it was muted'))} · muted by ${person(mute.userId)} since ${when(mute.startedMs)}${reasonWords(mute.reason)}`
      : `Asked for by ${person(mute.userId)}, ${when(mute.startedMs)}${reasonWords(mute.reason)}`
  return {
    text: textOf([...lines(inText), rest(inText)], '\n'),
    blocks: [...sectionsOf(lines(inBlocks)), context(rest(inBlocks))],
  }
}

function leftLines(view: CardView<'mute_ended'>, when: When): string[] {
  return [...underLines(view, 'Still open', when), ...oneoffLines(view.oneoffs, when)]
}

/** The API did not say whether it muted it, and cannot be asked. */
const lateWords = 'It may still be muted late: the unmute is repeated for 30 min.'

function endedWords(view: CardView<'mute_ended'>, when: When): string {
  const { mute } = view
  const what = mutedThing(mute)
  const isOn = onAgain(view, when, mute.alert === null ? 'it' : 'alert')
  switch (mute.endedBy) {
    case 'person':
      return `${person(mute.endedByUserId)} unmuted ${what}: ${isOn}.`
    case 'undo':
      return `${person(mute.endedByUserId ?? mute.userId)} undid the mute of ${what}: ${isOn}.`
    case 'healthy':
      return `The mute of ${what} has ended: ${mute.alert === null ? 'nothing was open for 15 min' : 'it was not open for 10 min'}${view.accountMuted === undefined ? ',' : ';'} ${isOn}.`
    case 'interrupted':
      return `The monitoring API never confirmed the mute of ${what}, and it is over: ${isOn}. ${lateWords}`
    case 'gone':
      return `The mute of ${what} is over: the monitoring API does not know ${what} any more, so whether its notifications are on is not known.`
    case 'elsewhere':
      return `Somebody ended the mute of ${what} at the Alertmanager: ${isOn}.`
    case 'deadline':
    case null:
      return `The mute of ${what} has ended: ${isOn}.`
  }
}
