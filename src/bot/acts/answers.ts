/** Answers of any length: pages with buttons to the others, within Slack's limits; and the usual ways to say no. */
import type { Button, KnownBlock } from '@slack/types'
import { ApiFailure } from '../api/port.ts'
import { day, minute } from '../clock.ts'
import { actions, button, context, section, sections, viewOfBlocks } from '../view/blocks.ts'
import { escaped, plain } from '../view/words.ts'
import { type Reply, refuse } from './action.ts'
import { lengthMs } from './grammar/time.ts'

/** Slack counts all texts of a message together, and refuses more than about 13,000 characters (docs/slack.md#limits-of-messages). */
const linesCharsMax = 10_000
/** The API lists no older alerts. */
const spanMaxMs = 30 * day

export type Page<T> = { readonly items: readonly T[]; readonly page: number; readonly pages: number }

/** `alerts closed page 2`: the words without the page, and which one. */
export function readPage(words: string): { readonly rest: string; readonly page: number } {
  const [, rest = words, page] = /^(.*?)\s*\bpage\s+(\d{1,4})$/is.exec(words.trim()) ?? []
  return { rest: rest.trim(), page: Math.max(1, Number(page ?? 1)) }
}

/** What `handoff` and `report` are about: `8h csv`. `command` asks for the same again. */
export type Span = { readonly forMs: number; readonly isCsv: boolean; readonly command: string }

export function readSpan(words: string, name: string, usualMs: number): Span {
  const [, length = words, csv] = /^(.*?)\s*\b(csv)?$/i.exec(words.trim()) ?? []
  const forMs = length === '' ? usualMs : lengthMs(length)
  if (forMs !== null && forMs >= minute && forMs <= spanMaxMs)
    return { forMs, isCsv: csv !== undefined, command: `${name} ${length}`.trim() }
  const text = forMs === null ? `I don't understand ${code(length)}` : 'I look back at most 30 days'
  return refuse(`${text}. Try \`/mon ${name} 12h\``)
}

export function pageOf<T>(all: readonly T[], wanted: number, size: number): Page<T> {
  const pages = Math.max(1, Math.ceil(all.length / size))
  const page = Math.min(wanted, pages)
  return { items: all.slice((page - 1) * size, page * size), page, pages }
}

/** `command`: as it is typed after `/mon`, without its page. */
export function pageBlocks({ page, pages }: Page<unknown>, command: string): KnownBlock[] {
  if (pages === 1) return []
  const near = [page - 1, page + 1].filter((other) => other >= 1 && other <= pages)
  const label = (other: number) => (other < page ? `◀ Page ${other}` : `Page ${other} ▶`)
  const toPage = (other: number) => commandButton(`page_${other}`, label(other), `${command} page ${other}`)
  return [...context([`Page ${page} of ${pages}`]), ...actions('pages', near.map(toPage))]
}

export type Listing = { readonly page: number; readonly size: number; readonly command: string }

export function sayLines<T>(
  title: string,
  items: readonly T[],
  lineOf: (item: T) => string,
  { page, size, command }: Listing,
): Reply {
  const shown = pageOf(items, page, size)
  return say([
    section(title),
    ...fittingSections(shown.items.map(lineOf)),
    ...pageBlocks(shown, command.trim()),
  ])
}

export function commandButton(id: string, label: string, command: string): Button {
  return button({ id, label, value: { words: command } })
}

/** Lines in as few sections as they need; those that do not fit into a message are counted. */
export function fittingSections(lines: readonly string[]): KnownBlock[] {
  let chars = 0
  const fitting = lines.findIndex((line) => {
    chars += line.length + 1
    return chars > linesCharsMax
  })
  if (fitting === -1) return sections(lines)
  return sections([...lines.slice(0, fitting), `… and ${lines.length - fitting} more`])
}

export function say(said: string | readonly KnownBlock[]): Reply {
  return { kind: 'say', render: () => viewOfBlocks(typeof said === 'string' ? sections([said]) : said) }
}

/** Refuses where the API fails; anything else is a bug. */
export async function readable<T>(what: string, reading: Promise<T>): Promise<T> {
  try {
    return await reading
  } catch (error) {
    if (!(error instanceof ApiFailure)) throw error
    return refuse(`Couldn't read ${what}: ${escaped(error.message)}.`)
  }
}

export function noSuch(text: string, similar: readonly string[], commandOf: (name: string) => string): never {
  const names = similar.map((name) => escaped(name)).join(', ')
  const offers = similar.map((name) => ({ label: name, command: commandOf(name) }))
  return refuse(names === '' ? `${text}.` : `${text}. Did you mean ${names}?`, offers)
}

/** As it was typed, in code, where nothing formats: what could end it or begin a link is made harmless. */
export function code(text: string): string {
  const harmless = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '`': '\u02cb' } as const
  return `\`${plain(text).replace(/[&<>`]/g, (char) => harmless[char as '&'])}\``
}
