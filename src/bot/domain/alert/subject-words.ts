/**
 * Puts into words what an alert or a chart is about, without repeating a word: `CPU busy`, `Disk /: used`, `Load Average: last
 * minute`.
 */
import type { Alert } from './alert.ts'
import { factsOfTitle } from './title-facts.ts'

const charsMax = 200
const percent: ReadonlySet<string> = new Set(['percent', 'pct', '%'])
/** Shorter words (`of`, `in`) may well stand twice. */
const wordCharsMin = 3
/** What a person would spell out. */
const acronyms: ReadonlySet<string> = new Set([
  'cpu',
  'io',
  'http',
  'tcp',
  'udp',
  'dns',
  'ssl',
  'tls',
  'api',
  'id',
])
/** A key of the API; any other name was written by people. */
const key = /^[a-z0-9]+(?:[_.-][a-z0-9]+)*$/

/** Of a metric without an alert, the title is not known. */
type Subject = Pick<Alert, 'plugin' | 'metric'> & Partial<Pick<Alert, 'title'>>

/** Not escaped; empty if the alert names neither a plugin nor a metric. */
export function subjectWords({ plugin, metric, title = '' }: Subject): string {
  const thing = plugin.slice(0, charsMax).trim()
  const facts = factsOfTitle(title)
  // A rule of Prometheus has one name for both.
  if (facts === null && metric === plugin) return thing
  const measured = facts?.what ?? metricWords(metric ?? '')
  const known = keysOf(thing)
  const words = measured.split(' ').filter((word) => word !== '')
  const rest = words.filter((word, at) => {
    const [key = ''] = keysOf(word)
    // It stands behind the value.
    if (at > 0 && at === words.length - 1 && percent.has(key)) return false
    return key.length < wordCharsMin || !known.includes(key)
  })
  if (thing === '') return capital(rest.join(' '))
  if (rest.length === 0) return thing
  const own = keysOf(measured)
  const goesOn = known.every((key, at) => key === own[at])
  return goesOn ? `${thing} ${rest.join(' ')}` : `${thing}: ${uncapital(rest.join(' '))}`
}

/** Does the metric's name say that it is a percentage? */
export function isPercentage(metric: string | null): boolean {
  return percent.has(keysOf(metricWords(metric ?? '')).at(-1) ?? '')
}

/** `disk_used_percent` and `requestsPerSecond` as words; acronyms are written large. */
export function metricWords(metric: string): string {
  const name = metric.slice(0, charsMax)
  if (key.test(name)) {
    return name
      .split(/[_.-]/)
      .map((word) => (acronyms.has(word) ? word.toUpperCase() : word))
      .join(' ')
  }
  return name
    .replace(/(?<=\p{Ll})\p{Lu}(?=\p{Ll})/gu, (letter) => ` ${letter.toLowerCase()}`)
    .replace(/[_\s]+/g, ' ')
    .trim()
}

function keysOf(words: string): string[] {
  return words
    .toLowerCase()
    .split(/[\s_:]+/)
    .filter((word) => word !== '')
}

function capital(words: string): string {
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`
}

/** Not what is written in capitals: `TCP retries` keeps them. */
function uncapital(words: string): string {
  return /^\p{Lu}\p{Ll}/u.test(words) ? `${words.slice(0, 1).toLowerCase()}${words.slice(1)}` : words
}
