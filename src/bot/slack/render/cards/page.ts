/** Renders one reply in the thread of a card of many alerts: a line for each, in the longest form that fits for all. */
import type { Alert } from '../../../domain/alert/alert.ts'
import { alertsPerPage } from '../../../domain/card/card.ts'
import type { CardView } from '../../../domain/card/kinds.ts'
import { linesOf, type StormLine } from '../../../domain/card/storm.ts'
import { briefHeadline, headline } from '../text/headline.ts'
import { shortId } from '../text/list-lines.ts'
import { type Rendered, sectionCharsMax, sectionsOf } from '../text/message-parts.ts'
import { calledWords } from '../text/on-call-words.ts'
import { inBlocks, person } from '../text/phrases.ts'

/** Slack refuses a message whose blocks hold more text than about this. */
const pageCharsMax = 9_000
/** `chat.update` refuses a text above 4,000 characters. */
const listCharsMax = 3_700

export function renderPage(view: CardView<'page'>): Rendered {
  const { alerts, page, pages, mention } = view
  const lines = linesOf(alerts)
  const open = lines.filter(({ alert }) => alert.state === 'open').length
  const called = calledWords(mention).map(
    (words) => `${words}${words.endsWith('>') ? '' : ' ·'} more alerts:`,
  )
  const recent = `${page}/${Math.max(page, pages)}: ${open} open\n`
  return {
    text: [...called, `${recent}${spoken(lines)}`].join(' '),
    blocks: sectionsOf([...called, ...shown(lines.slice(0, alertsPerPage)), ...more(lines.length)]),
  }
}

function more(count: number): string[] {
  return count > alertsPerPage ? [`and ${count - alertsPerPage} more`] : []
}

/** The lines with age and links, with links alone, or without either, whichever fits; else each is cut to its share. */
function shown(lines: readonly StormLine[]): string[] {
  const share = Math.min(sectionCharsMax, Math.floor(pageCharsMax / Math.max(1, lines.length)) - 1)
  for (const form of [whole, linked, bare]) {
    const all = lines.map((line) => form(line))
    const chars = all.reduce((sum, line) => sum + line.length + 1, 0)
    if (chars <= pageCharsMax && all.every((line) => line.length <= sectionCharsMax)) return all
  }
  return lines.map((line) => bare(line, share))
}

function whole({ alert, times }: StormLine): string {
  return [`${headline(alert, inBlocks)}${oftenWords(times)}`, ...shortId(alert)].join(' · ')
}

function linked(line: StormLine): string {
  return `${briefHeadline(line.alert, { isLinked: true }, sectionCharsMax)}${tail(line)}`
}

function bare(line: StormLine, charsMax = sectionCharsMax): string {
  // An id from outside may be long too; then it is left out.
  const ends = [tail(line), ackWords(line.alert)]
  const end = ends.find(({ length }) => length <= charsMax / 2) ?? ''
  return `${briefHeadline(line.alert, { isLinked: false }, charsMax - end.length)}${end}`
}

/** How often the alert occurred, who is on it, and its id for commands. */
function tail({ alert, times }: StormLine): string {
  return [`${oftenWords(times)}${ackWords(alert)}`, ...shortId(alert)].join(' · ')
}

function oftenWords(times: number): string {
  return times > 1 ? ` · ×${times}` : ''
}

function ackWords({ ackedBy }: Alert): string {
  return ackedBy === null ? '' : ` · 👀 ${person(ackedBy)}`
}

/** The lines for the message's text, as many as fit, and how many are left out. */
function spoken(lines: readonly StormLine[]): string {
  const said: string[] = []
  let chars = 0
  for (const line of lines) {
    const words = bare(line)
    chars += words.length + 1
    if (chars > listCharsMax) return [...said, `and ${lines.length - said.length} more`].join('\n')
    said.push(words)
  }
  return said.join('\n')
}
