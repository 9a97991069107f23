/** What goes wrong at the API while the bot is killed, each kind by a name. All of it happens between the two, at the gate. */
import type { Chance } from './chance.ts'

/**
 * - `proxy`: changes are answered with HTML, by something that stands before the API: 404, 502, a login page with 200
 * - `late`: the connection of a change breaks, and the API carries it out after that
 * - `short`: pages of what is open lack records, up to all of them
 * - `tiny`: every page ends after its first one to five records, so that the next offset is beyond what follows them
 * - `unreadable`: some records have no identity, or a time that nobody can read
 * - `away`: the API refuses every connection
 * - `numbers`: metrics with values at the ends of what a number can be
 * - `reused`: a closed record opens again under its number, as itself or as another alert
 * - `slack`: Slack gives an error that is on no list
 * - `channel`: one channel takes no message for a while: forbidden, archived, or without the bot
 * - `names`: alerts that no store is made for: NUL, half a surrogate pair, names of 10,000 characters
 * - `absent`: Slack answers nobody at the next start: an error, a broken connection, too many requests
 */
export const faultNames = [
  'proxy',
  'late',
  'short',
  'tiny',
  'unreadable',
  'away',
  'numbers',
  'names',
  'reused',
  'slack',
  'channel',
  'absent',
] as const
export type FaultName = (typeof faultNames)[number]

/** Those that the kills mix in unless they are told otherwise. */
export const mixedIn: readonly FaultName[] = faultNames

/** Those that are ordered here; the others are what the driver does. */
type Ordered = Exclude<FaultName, 'slack' | 'reused' | 'channel' | 'absent'>

/** What becomes of one request: nothing of it reaches the API, or late, or the answer is another one. */
export type Twist =
  | { readonly kind: 'drop' }
  | { readonly kind: 'late'; readonly afterMs: number }
  | { readonly kind: 'instead'; readonly status: number; readonly html: string }
  | { readonly kind: 'changed'; readonly change: (body: string) => string }

export type Faults = {
  /** From now on, until it is used up or cleared. */
  order(name: Ordered): void
  /** From now on this record is listed as the other one, whose own is listed no more. */
  alias(record: number, as: { readonly record: number; readonly shown: object }): void
  clear(): void
  /** What becomes of this call (as `Gate` names it); null: nothing. */
  twistOf(call: string): Twist | null
}

type Order = { left: number; readonly meets: RegExp; readonly twist: () => Twist }

const listOfOpen = /^GET alerts\S* start/
const anyList = /^GET alerts/
const anyChange = /^POST (servers|account)/
const lateMsMax = 3_000
const pages = [
  { status: 404, html: '<html><h1>404 Not Found</h1>nginx</html>' },
  { status: 502, html: '<html><h1>502 Bad Gateway</h1></html>' },
  { status: 200, html: '<!doctype html><html><form action="/login">Log in</form></html>' },
] as const

export function openFaults(chance: Chance): Faults {
  const ordered: Order[] = []
  const shown = new Map<number, object>()
  const unlisted = new Set<number>()
  const some = (most: number) => 1 + chance.below(most)

  const makers: Record<Ordered, () => Order> = {
    proxy: () => {
      const page = chance.any(pages) ?? pages[0]
      return { left: some(3), meets: anyChange, twist: () => ({ kind: 'instead', ...page }) }
    },
    late: () => ({
      left: some(2),
      meets: anyChange,
      twist: () => ({ kind: 'late', afterMs: chance.below(lateMsMax) }),
    }),
    short: () => {
      const share = chance.of([0.3, 0.6, 1])
      const change = changedRecords((record) => (isOne(record, share) ? [] : [record]))
      return { left: some(6), meets: listOfOpen, twist: () => ({ kind: 'changed', change }) }
    },
    tiny: () => {
      const most = some(5)
      return {
        left: some(40),
        meets: anyList,
        twist: () => ({ kind: 'changed', change: (body) => firstRecords(body, most) }),
      }
    },
    unreadable: () => {
      const share = chance.of([0.2, 0.5, 1])
      const spoilt = chance.any<object>([
        { id: null },
        { server_hostname: null, server_name: null },
        { time: '11/12/26' },
      ])
      const change = changedRecords((record) => [isOne(record, share) ? { ...record, ...spoilt } : record])
      return { left: some(8), meets: anyList, twist: () => ({ kind: 'changed', change }) }
    },
    away: () => ({ left: some(30), meets: /./, twist: () => ({ kind: 'drop' }) }),
    numbers: () => ({
      left: some(10),
      meets: /^GET metrics\.json/,
      twist: () => ({ kind: 'changed', change: hostileNumbers }),
    }),
    names: () => {
      const change = withHostileNames()
      return { left: some(20), meets: anyList, twist: () => ({ kind: 'changed', change }) }
    },
  }

  const aliased = changedRecords((record) =>
    unlisted.has(record.id) ? [] : [{ ...record, ...shown.get(record.id) }],
  )

  return {
    order: (name) => void ordered.push(makers[name]()),
    alias: (record, as) => {
      shown.set(record, as.shown)
      unlisted.add(as.record)
    },
    clear: () => void ordered.splice(0),
    twistOf: (call) => {
      const due = ordered.find(({ left, meets }) => left > 0 && meets.test(call))
      const twist = due?.twist() ?? null
      if (due !== undefined) due.left -= 1
      if (shown.size === 0 || !anyList.test(call)) return twist
      const { change } = twist?.kind === 'changed' ? twist : { change: (body: string) => body }
      if (twist !== null && twist.kind !== 'changed') return twist
      return { kind: 'changed', change: (body) => change(aliased(body)) }
    },
  }
}

type AlertRecord = { readonly id: number; readonly url: string }

/** The same records each time, so that they are gone for as long as the fault lasts. */
function isOne({ id }: AlertRecord, share: number): boolean {
  return ((id * 2_654_435_761) % 1_000) / 1_000 < share
}

function changedRecords(change: (record: AlertRecord) => readonly object[]) {
  return (body: string): string => {
    const answer = JSON.parse(body) as { results: AlertRecord[] }
    return JSON.stringify({ ...answer, results: answer.results.flatMap(change) })
  }
}

function firstRecords(body: string, most: number): string {
  const answer = JSON.parse(body) as { results: AlertRecord[] }
  return JSON.stringify({ ...answer, results: answer.results.slice(0, most) })
}

const hostile = [1e-320, -1e-320, 1e308, -1e308, 0, -0, 1e21, 5e-324] as const
const manyPoints = 100_000

/** So many points, and values that no axis is made for. */
function hostileNumbers(body: string): string {
  const answer = JSON.parse(body) as { timestamps: number[]; metrics: object[] }
  const fromMs = answer.timestamps[0] ?? 0
  const timestamps = Array.from({ length: manyPoints }, (_, at) => fromMs + at * 100)
  const points = timestamps.map((_, at) => {
    const value = hostile[at % hostile.length] ?? 0
    return [value, value, value]
  })
  return JSON.stringify({ ...answer, timestamps, metrics: answer.metrics.map((one) => ({ ...one, points })) })
}

const longName = 'x'.repeat(10_000)
const hostileNames = [
  'nul \u0000 in it',
  'half \ud83d of it',
  '\udc00',
  longName,
  `${longName}\u0000`,
] as const
const hostileFrom = 9_000_000

/** Alerts more than there are, the same each time, on every list that is one page. */
function withHostileNames(): (body: string) => string {
  let more: readonly object[] = []
  return (body) => {
    const answer = JSON.parse(body) as { results: AlertRecord[] }
    const [first] = answer.results
    if (more.length === 0 && first !== undefined) {
      const urlOf = (id: number) => first.url.replace(/\d+(?=\?|$)/, String(id))
      const like = { ...first, lifecycle: 'start', server_hostname: 'hostile-1', server_name: 'hostile-1' }
      const made = hostileNames.flatMap((name) => [
        { ...like, server_hostname: name, server_name: name, plugin_name: 'Hostile' },
        { ...like, plugin_name: name, metric_name: name, title: name },
      ])
      more = made.map((one, at) => ({ ...one, id: hostileFrom + at, url: urlOf(hostileFrom + at) }))
    }
    const isOnePage = answer.results.length + more.length < pageRecords
    return isOnePage ? JSON.stringify({ ...answer, results: [...more, ...answer.results] }) : body
  }
}

const pageRecords = 50
