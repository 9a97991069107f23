/** One reply below the card of many alerts: a line for each of them, all in the fullest form for which there is room. */
import type { Alert } from '../../../domain/alert/alert.ts'
import { alertsPerPage } from '../../../domain/card/card.ts'
import type { CardView } from '../../../domain/card/kinds.ts'
import { linesOf, type StormLine } from '../../../domain/card/storm.ts'
import { escapedWithin, link } from '../../mrkdwn.ts'
import { type Rendered, sectionCharsMax, sectionsOf } from '../text/message-parts.ts'
import { inBlocks, person, serverOf } from '../text/phrases.ts'
import { headline, idOf, markOf } from './alert-card.ts'

/** Slack refuses a message whose blocks hold more text than about this. */
const pageCharsMax = 9_000
/** `chat.update` refuses a text above 4,000 characters. */
const listCharsMax = 3_700

export function renderPage(view: CardView<'page'>): Rendered {
  const { alerts, page, mention } = view
  const lines = linesOf(alerts)
  const open = lines.filter(({ alert }) => alert.state === 'open').length
  const called = mention === null ? [] : [`${mention} more alerts came:`]
  const recent = `Page ${page} of the list, ${open} of ${lines.length} open: `
  return {
    text: [...called, `${recent}${spoken(lines)}`].join(' '),
    blocks: sectionsOf([...called, ...shown(lines.slice(0, alertsPerPage)), ...more(lines.length)]),
  }
}

function more(count: number): string[] {
  return count > alertsPerPage ? [`and ${count - alertsPerPage} more`] : []
}

/** With times and links, with links alone, without either; else each line is cut to its share. */
function shown(lines: readonly StormLine[]): string[] {
  const share = Math.min(sectionCharsMax, Math.floor(pageCharsMax / Math.max(1, lines.length)) - 1)
  for (const form of [linkedWithTime, linked, bare]) {
    const all = lines.map((line) => `${form(line)}${tail(line)}`)
    const chars = all.reduce((sum, line) => sum + line.length + 1, 0)
    if (chars <= pageCharsMax && all.every((line) => line.length <= sectionCharsMax)) return all
  }
  return lines.map((line) => {
    const whole = `${bare(line)}${tail(line)}`
    return whole.length <= share ? whole : cut(line, share)
  })
}

function linkedWithTime(line: StormLine): string {
  const { state, startedMs } = line.alert
  return `${linked(line)}${state === 'open' ? ` · since ${inBlocks(startedMs)}` : ''}`
}

function linked({ alert }: StormLine): string {
  return headline(alert, (label) => link(alert.url, label))
}

function bare({ alert }: StormLine): string {
  return headline(alert, (label) => label)
}

/** How often it came, who is on it, and what commands know it by. */
function tail({ alert, times }: StormLine): string {
  const often = times > 1 ? ` · ×${times}` : ''
  return `${often}${ackWords(alert)} · ${idOf(alert)}`
}

function ackWords({ ackedBy }: Alert): string {
  return ackedBy === null ? '' : ` · 👀 ${person(ackedBy)}`
}

function cut(line: StormLine, charsMax: number): string {
  const { alert } = line
  const end = tail(line)
  // An id from outside may be long as well; the line does without it then.
  const kept = [end, ackWords(alert)].find(({ length }) => length <= charsMax / 2) ?? ''
  const partMax = Math.floor((charsMax - kept.length - `${markOf(alert)}  on  — `.length) / 3)
  const [plugin, server, title] = [alert.plugin, serverOf(alert), alert.title].map((part) =>
    escapedWithin(part, partMax),
  )
  return `${markOf(alert)} ${plugin} on ${server} — ${title}${kept}`
}

/** As many as a text may hold, and how many it leaves out. */
function spoken(lines: readonly StormLine[]): string {
  const said: string[] = []
  let chars = 0
  for (const line of lines) {
    const words = `${bare(line)}${tail(line)}`
    chars += words.length + 1
    if (chars > listCharsMax) return [...said, `and ${lines.length - said.length} more`].join('\n')
    said.push(words)
  }
  return said.join('\n')
}
