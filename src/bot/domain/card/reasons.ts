/** Sums up why many alerts fired: titles that differ only in their numbers, or in the server's name, are one reason. */
import type { Alert } from '../alert/alert.ts'
import { type Counted, countsOf } from '../base/counts.ts'

type Titled = Pick<Alert, 'title' | 'plugin' | 'hostname' | 'serverName'>

/** No reason is longer; searching thousands of pages of text would keep everybody waiting. */
const titleCharsMax = 500
/** Stands for what differs. */
const gap = '…'

/** Numbers with what is written close to them (`97.20%`, `4h`), but not those that are part of a name (`sda1`, `/mnt/3`). */
const numbers = /(?<![\p{L}\p{N}_/.]|[\p{L}\p{N}]-)[-+]?\d+(?:[.,:]\d+)*%?/gu
/** As the API writes its titles. */
const limited = /^(.{1,200}?) met or (exceeded|fell below) /

/** The most frequent first. */
export function reasonsOf(alerts: readonly Titled[], max: number): Counted {
  /** The title that all alerts of a reason have; null once two differ. */
  const titles = new Map<string, string | null>()
  const reasons = alerts.map((alert) => {
    const reason = reasonOf(alert)
    const title = titles.get(reason)
    titles.set(reason, title === undefined || title === alert.title ? alert.title : null)
    return reason
  })
  const { most, ...counts } = countsOf(reasons, max)
  const wordsOf = (reason: string) => (reason.includes(gap) ? (titles.get(reason) ?? reason) : reason)
  return { ...counts, most: most.map(({ name, count }) => ({ name: wordsOf(name), count })) }
}

function reasonOf({ title, plugin, hostname, serverName }: Titled): string {
  if (title === '') return plugin
  const words = title.slice(0, titleCharsMax)
  const [, what, how] = limited.exec(words) ?? []
  if (what !== undefined) {
    return how === 'exceeded' ? what : `${what} below limit`
  }
  return without(without(words, serverName), hostname).replace(numbers, gap)
}

/** Removes the name, if it is a word of its own. */
function without(text: string, name: string): string {
  if (name === '') return text
  const [first = '', ...rest] = text.split(name)
  return rest.reduce((done, part) => {
    const isWord = !/[\p{L}\p{N}_.-]$/u.test(done) && !/^(?:[\p{L}\p{N}_]|[.-][\p{L}\p{N}])/u.test(part)
    return `${done}${isWord ? gap : name}${part}`
  }, first)
}

const placesShown = 2

/** Sums up their servers: `web-*, app-*`, the most frequent first; the name itself if there is only one. */
export function placesOf(servers: readonly string[]): string {
  const unique = [...new Set(servers)]
  const patterns = unique.map((server) => server.replace(/\d+(?:[-.:]\d+)*/g, '*'))
  const { most, names } = countsOf(patterns, placesShown)
  const shown = most.map(({ name, count }) => (count > 1 ? name : (unique[patterns.indexOf(name)] ?? name)))
  return [...shown, ...(names > most.length ? [gap] : [])].join(', ')
}
