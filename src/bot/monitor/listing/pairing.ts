/**
 * Pairs a closing record with the alert that it closes, in services that add a second record for a close.
 *
 * An end may close several starts: it closes every open start of its subject that is not later. Otherwise the second of two
 * starts of one subject would stay open for ever (docs/api.md#alerts).
 */
import type { AlertRecord } from '../../domain/alert/alert.ts'
import type { End } from '../../domain/alert/end.ts'
import { isSameByName, subjectOf, wordedTroubleOf } from '../../domain/alert/trouble.ts'

/** Only ends of the same server close a start, and there may be thousands of both, so they are indexed. */
export type EndsByServer = { readonly of: (hostname: string) => EndsOfServer | undefined }

export function byServer(ends: Iterable<End>): EndsByServer {
  const grouped = Map.groupBy(ends, ({ record }) => record.hostname)
  const known = new Map<string, EndsOfServer>()
  return {
    of: (hostname) => {
      const own = grouped.get(hostname)
      if (own !== undefined && !known.has(hostname)) known.set(hostname, endsOfServer(own))
      return known.get(hostname)
    },
  }
}

type Start = Pick<
  AlertRecord,
  'hostname' | 'plugin' | 'metric' | 'triggerId' | 'title' | 'value' | 'details'
> & {
  readonly startedMs: number
}

/**
 * The earliest end that closes this start, or null. It is matched by trigger if both sides name one. Otherwise an end of the
 * same plugin and metric but with a different title may belong to another trigger, or only be worded differently: it closes
 * the start only if that is no longer open anyway (`isGone`), because complete lists of open alerts do not show it. Where both
 * sides name their trouble, that alone decides.
 */
export function endOf(
  start: Start,
  ends: EndsByServer,
  { isGone }: { readonly isGone: boolean },
): End | null {
  const own = ends.of(start.hostname)
  if (own === undefined) return null
  const named = start.triggerId === null ? [] : [own.byTrigger().get(start.triggerId)]
  const subject = subjectOf(start)
  // If both sides name a trigger, it alone decides.
  const others = start.triggerId === null ? own.bySubject() : own.withoutTrigger()
  const likely = isGone
    ? [others.get(subject)]
    : [others.get(titled(subject, start.title)), own.byTrouble().get(wordedTroubleOf(start))]
  const name = start.details?.trouble ?? null
  const same = name === null ? [] : [own.byName().get(name)]
  const found = [...same, ...named, ...likely].flatMap((list) => firstFor(start, list ?? []) ?? [])
  return found.sort(inOrder)[0]?.end ?? null
}

/** `at`: its place among the ends of its server. */
type Placed = { readonly end: End; readonly at: number }
type Ends = ReadonlyMap<string, readonly Placed[]>

/** The ends of one server by what they may close, each list in order of time, and built when it is first needed. */
type EndsOfServer = Readonly<
  Record<'byName' | 'byTrigger' | 'bySubject' | 'withoutTrigger' | 'byTrouble', () => Ends>
>

function endsOfServer(ends: readonly End[]): EndsOfServer {
  const placed = ends.map((end, at) => ({ end, at })).sort(inOrder)
  const subjects = ({ record }: End) => {
    const subject = subjectOf(record)
    return [subject, titled(subject, record.title)]
  }
  return {
    byName: once(() => listed(placed, ({ record }) => record.details?.trouble ?? [])),
    byTrigger: once(() => listed(placed, ({ record }) => record.triggerId ?? [])),
    bySubject: once(() => listed(placed, subjects)),
    withoutTrigger: once(() => listed(placed, (end) => (end.record.triggerId === null ? subjects(end) : []))),
    byTrouble: once(() => listed(placed, ({ record }) => wordedTroubleOf(record))),
  }
}

function titled(subject: string, title: string): string {
  return `${subject} ${title}`
}

function listed(placed: readonly Placed[], keysOf: (end: End) => string | readonly string[]): Ends {
  const lists = new Map<string, Placed[]>()
  for (const one of placed) {
    for (const key of [keysOf(one.end)].flat()) {
      const list = lists.get(key)
      if (list === undefined) lists.set(key, [one])
      else list.push(one)
    }
  }
  return lists
}

function once<Made>(make: () => Made): () => Made {
  let made: Made | undefined
  return () => (made ??= make())
}

function inOrder(one: Placed, other: Placed): number {
  return one.end.record.timeMs - other.end.record.timeMs || one.at - other.at
}

/** The first in a time-ordered list that is not before the start, and not known to be the end of another trouble. */
function firstFor(start: Start, list: readonly Placed[]): Placed | null {
  const ms = start.startedMs
  let [from, to] = [0, list.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if ((list[middle]?.end.record.timeMs ?? ms) < ms) from = middle + 1
    else to = middle
  }
  for (let at = from; at < list.length; at += 1) {
    const placed = list[at]
    if (placed !== undefined && isSameByName(start, placed.end.record) !== false) return placed
  }
  return null
}

/**
 * Does a listing of everything (in part: `isGone` false, see `endOf`), compared with the list of open alerts, show that the service adds a second record for a close?
 *
 * In pair form the start record of a closed alert stays listed beside its end; in flip form it became the end. A listing
 * cannot prove flip form: ends without starts may belong to alerts that began too long ago to be listed.
 */
export function showsPairs(
  all: readonly AlertRecord[],
  openIds: ReadonlySet<string>,
  how: { readonly isGone: boolean },
): boolean {
  const ends = byServer(
    all
      .filter((seen) => seen.lifecycle === 'end')
      .map((record) => ({ record, decided: false, isHistory: true })),
  )
  return all.some(
    (seen) =>
      seen.lifecycle === 'start' &&
      !openIds.has(seen.alertId) &&
      endOf({ ...seen, startedMs: seen.timeMs }, ends, how) !== null,
  )
}
