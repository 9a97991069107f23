/**
 * Decides whether two alerts are the same problem. The same one may come and go on one card; a different one is news, whatever
 * they have in common.
 */
import type { Alert } from './alert.ts'
import { withoutRemark } from './remark.ts'
import { factsOfTitle } from './title-facts.ts'

type About = Pick<Alert, 'hostname' | 'plugin' | 'metric' | 'triggerId' | 'title' | 'value' | 'details'>

/** What an alert watches: a server, a plugin, a metric. Two triggers may watch the same subject for different reasons. */
export function subjectOf({ hostname, plugin, metric }: About): string {
  return JSON.stringify([hostname, plugin, metric])
}

/**
 * Equal for the same trouble under another number: by the service's own name for it, which knows the labels of two volumes or
 * pods apart. Without such a name, equal for the same trigger and thing: the subject, the trigger if the API names one, and the
 * title without the measured value. A level, a path or a limit in the title is part of the trouble: what is not known to be the
 * same is different, and so is one with a name from one without.
 */
export function troubleOf(alert: About): string {
  const name = alert.details?.trouble ?? null
  return name === null ? wordedTroubleOf(alert) : JSON.stringify([name])
}

/**
 * The same for what is only counted or cited: an alert that was remembered before its service named troubles is compared by its
 * words. What hides something must not guess, and takes `troubleOf`.
 */
export function isSameTrouble(one: About, other: About): boolean {
  return isSameByName(one, other) ?? wordedTroubleOf(one) === wordedTroubleOf(other)
}

/** By the service's names; null if one of the two has none. */
export function isSameByName(one: Pick<About, 'details'>, other: Pick<About, 'details'>): boolean | null {
  const [name, otherName] = [one.details?.trouble ?? null, other.details?.trouble ?? null]
  return name === null || otherName === null ? null : name === otherName
}

/** The trouble by what the alert says of itself. */
export function wordedTroubleOf(alert: About): string {
  const { hostname, plugin, metric, triggerId, title, value } = alert
  return JSON.stringify([hostname, plugin, metric, triggerId, withoutMeasured(withoutRemark(title), value)])
}

/**
 * Returns a function that gives an alert's kind of problem, on whatever server: plugin, metric and trigger. A trigger is known by
 * its number, or by the limit in the title if few differ in `among`: some services number triggers for each server, and servers
 * may have limits of their own. One-off alerts are of another kind than those that last.
 */
export function kindsAmong(among: readonly Alert[]): (alert: Alert) => string {
  const subjectKey = ({ plugin, metric }: Alert) => JSON.stringify([plugin, metric])
  const limitOf = ({ title }: Alert) => JSON.stringify(factsOfTitle(withoutRemark(title))?.limit ?? null)
  const tells = [limitOf, ({ triggerId }: Alert) => triggerId].map((namedBy) => {
    const seen = new Map<string, { readonly names: Set<string | null>; count: number }>()
    for (const alert of among) {
      const key = subjectKey(alert)
      const { names, count } = seen.get(key) ?? { names: new Set(), count: 0 }
      seen.set(key, { names: names.add(namedBy(alert)), count: count + 1 })
    }
    return (alert: Alert) => {
      const { names, count } = seen.get(subjectKey(alert)) ?? { names: new Set(), count: 0 }
      return names.size <= triggersMax && names.size * sharedMin <= count ? namedBy(alert) : null
    }
  })
  return (alert) => {
    const { plugin, metric, title, state, hostname, serverName } = alert
    // Without a metric nothing but the words says what it is.
    const words = metric === null ? withoutNames(withoutRemark(title), [hostname, serverName]) : null
    return JSON.stringify([plugin, metric, words, ...tells.map((tell) => tell(alert)), state === 'oneoff'])
  }
}

/** No more triggers watch one metric, each on so many of the servers that fire at once. */
const triggersMax = 3
const sharedMin = 4

/** Only plain words are left: whatever holds a digit or a sign is a value or a name. */
function withoutNames(title: string, names: readonly string[]): string {
  const words = title.slice(0, titleCharsMax).split(/\s+/)
  return words.filter((word) => /^\p{L}+[.,:;!?]?$/u.test(word) && !names.includes(word)).join(' ')
}

/** Numbers, but not those that are part of a name: `sda1`, `web-2`, `/mnt/3`. */
const numbers = /(?<![\p{L}\p{N}_/.]|[\p{L}\p{N}]-)\d+(?:[.,]\d+)*/gu
/** `increasing to 97.20%`, as the API writes its titles. */
const measuredAfter = /\b(?:increasing|decreasing) to $/
const limitAfter =
  /(?:\b(?:over|above|beyond|exceed(?:s|ed|ing)?|below|under|beneath|limit|threshold|max(?:imum)?|min(?:imum)?|than|least|most)\b|[<>≤≥=])\W*(?:(?:of|is)\W+)?$/i
/** How many characters before a number are searched. */
const wordsBefore = 24

/** No sentence about a value is longer; searching thousands of pages of text would keep everybody waiting. */
const titleCharsMax = 1_000

function withoutMeasured(title: string, value: number | null): string {
  if (title.length > titleCharsMax) return title
  return title.replace(numbers, (number, at: number) => {
    const before = title.slice(Math.max(0, at - wordsBefore), at)
    const isMeasured = measuredAfter.test(before) || (!limitAfter.test(before) && isOf(value, number))
    return isMeasured ? '#' : number
  })
}

/** Is it the value as titles show it: rounded or cut, or a share given as a percentage? */
function isOf(value: number | null, number: string): boolean {
  if (value === null) return false
  const plain = /^\d{1,3}(,\d{3})+(\.\d+)?$/.test(number)
    ? number.replaceAll(',', '')
    : number.replace(',', '.')
  const place = 10 ** -(plain.split('.')[1]?.length ?? 0)
  return [1, 100].some((scale) => Math.abs(Math.abs(value) * scale - Number(plain)) < place)
}
