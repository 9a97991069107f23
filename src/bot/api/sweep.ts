/**
 * Reads lists that are paged by offset while they move (docs/api.md#pages): what stays listed meanwhile is found, or the sweep says that
 * it is in doubt, and then absence proves nothing. Pages overlap and must share a record of identical content; where two do not, the walk
 * steps back until they do. A short or empty page is not the end while more was known. An unchanged list of one page costs one request.
 */
import { type Clock, day, minute, second } from '../clock.ts'
import type { AlertPage } from './parse.ts'
import type { ApiAlert, Sweep } from './port.ts'

export type AskPage = (lifecycle: 'start' | 'all', offset: number) => Promise<AlertPage>

const pageSize = 50
const overlap = 5
const requestsMax = 2_500
const durationMaxMs = 2 * minute
/** Steps back in a row, and pages in a row that show nothing new: then the list is not read further. */
const backMax = 10
const staleMax = 3
/** A proven end counts so long, while the last page stays as it is. */
const provenForMs = 15 * minute
/** A list that does not begin with the newest is read whole so often where nothing is looked for. */
const wholeEveryMs = minute
/** Of 30 days that the API lists; its clock may differ from ours. */
const listedForMs = 29 * day
/** Records of one moment may stand in any order. */
const orderSlackMs = 2 * second

type Page = AlertPage & { readonly offset: number }
type Seen = ReadonlyMap<string, ApiAlert>
/** `proven`: nothing is listed behind. `enough`: the caller wants no more. `doubt`: something may be missing. */
type End = 'proven' | 'enough' | 'doubt'
type Wish = {
  /** As far as alerts were known to be listed. */
  readonly reach: number
  /** Called with each page that was laid to those before; ends the walk. */
  isEnough(page: Page): boolean
  /** Called at a page that is not full: shall its being the last one be proven? */
  isProofWanted(page: Page, seen: Seen): boolean
}

class Walk {
  readonly seen = new Map<string, ApiAlert>()
  readonly unreadable = new Set<string>()
  doubt: string | null = null
  /** The list went on behind a page that was not full. */
  hasGaps = false
  /** Records stand elsewhere than a list without holes would have them: others may be left out. */
  isBroken = false
  /** The end of the farthest page that had a record. */
  reached = 0
  readonly #ask: (offset: number) => Promise<AlertPage>
  readonly #wish: Wish
  readonly #clock: Clock
  readonly #contents = new Set<string>()
  #requests = 0

  constructor(ask: (offset: number) => Promise<AlertPage>, clock: Clock, wish: Wish) {
    this.#ask = ask
    this.#clock = clock
    this.#wish = wish
  }

  async go(): Promise<End> {
    const untilMs = this.#clock.steadyMs() + durationMaxMs
    let page = await this.#page(0)
    this.#add(page)
    let [stale, back] = [0, 0]
    while (this.#requests < requestsMax && this.#clock.steadyMs() < untilMs) {
      if (this.#wish.isEnough(page)) return 'enough'
      const isShort = page.contents.length < pageSize
      if (isShort && !this.#wish.isProofWanted(page, this.seen)) return 'enough'
      const next = await this.#next(page)
      if (next === null) return 'doubt'
      const isOn = next.offset > page.offset
      const isNews = this.#add(next)
      if (isOn && isShort && isNews) this.hasGaps = true
      stale = isOn && !isNews ? stale + 1 : 0
      back = isOn ? 0 : back + 1
      if (stale > staleMax || back > backMax) return 'doubt'
      if (isOn && !isNews && isTail(page, next)) {
        const isWanted = this.#wish.isProofWanted(next.contents.length > 0 ? next : page, this.seen)
        const behind = isWanted ? await this.#behind(next) : 'enough'
        if (typeof behind === 'string') return behind
        page = behind
      } else page = next
    }
    return 'doubt'
  }

  /** The page after this one, laid to it; or, where the list moved, an earlier one that shares a record with it. Null: none does. */
  async #next(page: Page): Promise<Page | null> {
    const size = page.contents.length
    const shared = size >= pageSize ? overlap : Math.min(overlap, Math.floor(size / 2))
    const stride = Math.max(size - shared, 1)
    const offset = page.offset + stride
    const next = await this.#page(offset)
    if (isMeeting(page, next)) {
      if (size < pageSize && next.contents[0] !== page.contents[stride]) this.isBroken = true
      return next
    }
    let earlier = await this.#page(page.offset)
    for (let tries = 0; tries < backMax; tries += 1) {
      // If the page is as it was, nothing moved before it: the next one has holes, or pages are too small to share anything.
      if (tries === 0 && isSame(page, earlier)) {
        if (shared > 0 || next.contents.length > 0) this.isBroken = true
        return next
      }
      if (earlier.offset === 0 || isMeeting(page, earlier)) return earlier
      this.#add(earlier)
      earlier = await this.#page(Math.max(earlier.offset - stride, 0))
    }
    return null
  }

  /** Proves that nothing is listed behind the last page; or the page with which the list goes on. */
  async #behind(last: Page): Promise<Page | End> {
    const endsAt = last.offset + Math.max(last.contents.length, 1)
    const reach = Math.max(this.#wish.reach, endsAt + pageSize)
    for (let at = Math.ceil(endsAt / pageSize) * pageSize; at < reach; at += pageSize) {
      const found = await this.#page(at)
      if (!this.#add(found)) continue
      this.hasGaps = true
      this.isBroken = true
      return found
    }
    return 'proven'
  }

  async #page(offset: number): Promise<Page> {
    this.#requests += 1
    return { ...(await this.#ask(offset)), offset }
  }

  /** Takes the records of a page; true if it shows any that no page before did. */
  #add(page: Page): boolean {
    const isNews = page.contents.some((content) => !this.#contents.has(content))
    for (const content of page.contents) this.#contents.add(content)
    for (const content of page.unreadable) this.unreadable.add(content)
    if (page.contents.length > 0) this.reached = Math.max(this.reached, page.offset + pageSize)
    this.doubt ??= page.doubt
    for (const alert of page.alerts) {
      // The latest content counts, but what has ended does not begin again.
      const hasEnded = this.seen.get(alert.key)?.lifecycle === 'end' && alert.lifecycle !== 'end'
      if (!hasEnded) this.seen.set(alert.key, alert)
    }
    return isNews
  }
}

function isMeeting(page: Page, next: Page): boolean {
  const contents = new Set(page.contents)
  return next.contents.some((content) => contents.has(content))
}

function isSame(page: Page, other: Page): boolean {
  return page.contents.join() === other.contents.join()
}

/** Does the next page end where this one does? If it does not, records came or went meanwhile, or there are holes. */
function isTail(page: Page, next: Page): boolean {
  const tail = page.contents.slice(next.offset - page.offset)
  return next.contents.length === 0 || next.contents.join() === tail.join()
}

const unfitting = 'the pages of its list do not fit together'

export function openSweeps(ask: AskPage, clock: Clock) {
  let hasGaps = false
  let proven = { last: '', atMs: Number.NEGATIVE_INFINITY }
  const reach = { start: 0, all: 0 }
  let heard: ReadonlySet<string> | null = null
  let wholeMs = Number.NEGATIVE_INFINITY

  async function walk(lifecycle: 'start' | 'all', wish: Wish) {
    const walked = new Walk((offset) => ask(lifecycle, offset), clock, wish)
    const end = await walked.go()
    hasGaps ||= walked.hasGaps
    const isUnfit = end === 'doubt' || walked.isBroken
    const doubt = walked.doubt ?? (isUnfit ? unfitting : null)
    const sweep = { alerts: [...walked.seen.values()], unreadable: walked.unreadable.size, doubt }
    return { sweep, end: isUnfit ? 'doubt' : end, reached: walked.reached }
  }

  return {
    /** What is open. It is looked behind a short page while a known one is missing, or since the page's end was proven it has changed. */
    async open(known: readonly string[]): Promise<Sweep> {
      let isAsked = false
      let last: string | null = null
      const isProofWanted = (page: Page, seen: Seen) => {
        last ??= page.contents.join()
        const isAsProven = last === proven.last && clock.steadyMs() - proven.atMs < provenForMs
        isAsked ||= hasGaps || !isAsProven || known.some((key) => !seen.has(key))
        return isAsked
      }
      const wish = { reach: Math.max(reach.start, known.length), isEnough: () => false, isProofWanted }
      const { sweep, end, reached } = await walk('start', wish)
      const keys = new Set(sweep.alerts.map(({ key }) => key))
      const isAllThere = known.every((key) => keys.has(key))
      reach.start = isAllThere ? reached : Math.max(reach.start, reached)
      if (end === 'proven') proven = { last: last ?? '', atMs: clock.steadyMs() }
      return sweep
    },

    /**
     * The newest records, back to those of the reading before, and further until each wanted one is found or its place is passed. Where the
     * newest do not come first: all of it while something is wanted, and once a minute.
     */
    async head(wanted: readonly string[]): Promise<Sweep & { readonly isWhole: boolean }> {
      const before = heard
      const isWholeDue = clock.steadyMs() - wholeMs >= wholeEveryMs
      // What began so long ago is listed last of all, or no more: it is looked for once a minute.
      const isOld = (key: string) => startOf(key) < clock.nowMs() - listedForMs
      const seeker = openSeeker(isWholeDue ? wanted : wanted.filter((key) => !isOld(key)))
      const isEnough = (page: Page) => {
        seeker.take(page)
        if (seeker.missing() > 0) return false
        return seeker.isNewestFirst() ? before === null || hasKnownRun(page, before) : !isWholeDue
      }
      const wish = { reach: reach.all, isEnough, isProofWanted: (page: Page) => !isEnough(page) }
      const { sweep, end, reached } = await walk('all', wish)
      heard = new Set(sweep.alerts.map(({ key }) => key))
      if (end === 'proven') {
        wholeMs = clock.steadyMs()
        reach.all = reached
      }
      return { ...sweep, isWhole: end === 'proven' || seeker.missing() === 0 }
    },
  }
}

/** Looks for keys (`number@startedMs`) in pages, and notices whether the newest records come first. */
function openSeeker(wanted: readonly string[]) {
  const missing = new Map(wanted.map((key) => [key.slice(0, key.lastIndexOf('@')), startOf(key)]))
  let isNewestFirst = true
  let oldestMs = Number.POSITIVE_INFINITY
  return {
    missing: () => missing.size,
    isNewestFirst: () => isNewestFirst,
    take({ alerts }: Page): void {
      // A number that is another record by now is decided too.
      for (const { number } of alerts) missing.delete(number)
      const times = alerts.filter(({ hasTime }) => hasTime).map(({ startedMs }) => startedMs)
      const isFalling = times.every((time, at) => at === 0 || time <= (times[at - 1] ?? 0) + orderSlackMs)
      const last = times.at(-1)
      if (last === undefined) return
      isNewestFirst &&= isFalling && last <= oldestMs + orderSlackMs
      oldestMs = Math.min(oldestMs, last)
      if (!isNewestFirst) return
      for (const [number, startedMs] of missing)
        if (startedMs > oldestMs + orderSlackMs) missing.delete(number)
    },
  }
}

/** Of a record without a time nobody knows its place. */
function startOf(key: string): number {
  const startedMs = Number(key.slice(key.lastIndexOf('@') + 1))
  return startedMs === 0 ? Number.NEGATIVE_INFINITY : startedMs
}

/** Holds the page five in a row, or nothing else, that the reading before had? */
function hasKnownRun({ alerts }: Page, known: ReadonlySet<string>): boolean {
  const wanted = Math.min(overlap, alerts.length)
  let run = 0
  for (const { key } of alerts) {
    run = known.has(key) ? run + 1 : 0
    if (run >= wanted) return true
  }
  return wanted === 0
}
