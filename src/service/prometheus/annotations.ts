/** What the author of a rule wrote about its alerts, made fit to be shown: title, description, links. Pure. */
import type { AlertLink } from '../alerts/alert-records.ts'
import type { Labels } from './naming.ts'

export type Words = {
  /** One line; empty if no annotation has one. */
  readonly title: string
  /** With its line breaks, whole; empty if there is none. */
  readonly description: string
  readonly links: readonly AlertLink[]
}

const titleCharsMax = 500
/** Far more than anybody reads; a template that lists a whole table must not fill the ledger. */
const descriptionCharsMax = 10_000
const linksMax = 5
const linkTextCharsMax = 75
const linkUrlCharsMax = 2_000

/** The title is the summary, else the description; the older `message` stands in for whichever of them is missing. */
export function wordsOf(annotations: Labels): Words {
  const { summary = '', description = '', message = '' } = annotations
  const heading = [summary, description, message].find((text) => text.trim() !== '') ?? ''
  const more = [description, message].find((text) => text.trim() !== '') ?? ''
  return {
    title: oneLine(heading, titleCharsMax),
    // A message that is the title already says nothing more.
    description: more === heading && more === message ? '' : paragraphs(more),
    links: linksOf(annotations),
  }
}

/** Without control characters and superfluous blanks, and at most so long: a longer one ends in `…`. */
export function oneLine(text: string, charsMax: number): string {
  return shortened(text.replace(/[\p{Cc}\s]+/gu, ' ').trim(), charsMax)
}

/** At most so many UTF-16 code units, with no half character at the end. */
export function shortened(text: string, charsMax: number): string {
  const whole = text.toWellFormed()
  if (whole.length <= charsMax) return whole
  return `${whole.slice(0, charsMax - 1).replace(/[\ud800-\udbff]$/, '')}…`
}

function paragraphs(text: string): string {
  const readable = text.replace(/\r\n?/g, '\n').replace(/[^\P{Cc}\n\t]/gu, '')
  return shortened(readable.trim(), descriptionCharsMax)
}

/** The usual ones first, then all others that are one address, by name. */
function linksOf(annotations: Labels): readonly AlertLink[] {
  const usual = ['runbook_url', 'dashboard_url']
  const others = Object.keys(annotations)
    .filter((name) => !usual.includes(name))
    .sort()
  const found = new Map<string, string>()
  for (const name of [...usual, ...others]) {
    const url = (Object.hasOwn(annotations, name) ? (annotations[name] ?? '') : '').trim()
    if (isAddress(url) && !found.has(url)) found.set(url, linkTextOf(name))
  }
  return [...found].slice(0, linksMax).map(([url, text]) => ({ text, url }))
}

/** One that names a user looks like another host than it leads to, and may be a secret. */
function isAddress(text: string): boolean {
  if (text.length > linkUrlCharsMax || !/^https?:\/\/[^/\\\s\p{Cc}][^\s\p{Cc}]*$/iu.test(text)) return false
  const url = URL.parse(text)
  return url !== null && url.hostname !== '' && url.username === '' && url.password === ''
}

/** `runbook_url` is "Runbook". */
function linkTextOf(name: string): string {
  const words = name.replace(/[\p{Cc}\s_-]+/gu, ' ').trim()
  const bare = words.replace(/ (?:url|uri|link)$/i, '') || 'Link'
  return oneLine(bare.charAt(0).toUpperCase() + bare.slice(1), linkTextCharsMax)
}
