/** The servers of the file: their data, the last answers of their exporters, and how long they have been silent. */
import { heartbeatKey } from '../alerts/triggers.ts'
import type { FleetConfig, ScrapeConfig, Target } from '../config/read-config.ts'
import type { Generated } from '../metrics/generated.ts'
import { openGoneServers } from '../metrics/gone-servers.ts'
import type { Sample } from '../metrics/machine.ts'
import { type MetricKey, textOf } from '../metrics/metric-key.ts'
import type { SeriesStore } from '../metrics/series.ts'
import type { Ledger } from '../store/ledger.ts'
import type { Registry } from '../store/registry.ts'
import { openFileServers } from './file-servers.ts'
import { type News, openNews, unreadableShownMax } from './news.ts'
import { freshIntervals, idOf, openScraper, type ScrapeResult } from './scraper.ts'

/** What is known of one exporter. */
export type ExporterState = {
  /** Without user, password and query. */
  readonly url: string
  /** Null if all is well. */
  readonly failure: string | null
  readonly failing_since: string | null
  readonly metrics_left_out: number
  readonly unreadable: readonly string[]
}

export type Fleet = {
  /** Switches to a new file: adds new servers, removes those it no longer names, and closes their alerts. */
  use(config: FleetConfig): void
  /** Queries every exporter now. */
  scrape(): Promise<void>
  /** Measures how long each server has been silent, and forgets those that have been gone too long. */
  beat(): void
  freshMsOf(hostname: string): number | null
  /** When all of its exporters had answered in this run: until then, what is missing may be theirs; null: not yet. */
  lastScrapeMs(hostname: string): number | null
  /** Whether the last good answer of one of its exporters included this. */
  shows(hostname: string, key: MetricKey): boolean
  /** Its exporters, in the order of the file; null: it is not scraped. */
  stateOf(hostname: string): readonly ExporterState[] | null
  stop(): Promise<void>
}

/** State of one target; times are monotonic, except `goodMs`. */
type Post = {
  target: Target
  /** The metric of its silence: of the first exporter of a server it is that of the server. */
  heartbeat: MetricKey
  goodMs: number | null
  /** Since when it has been silent while being queried. */
  silentUpMs: number
  /** When it was last queried. */
  askedUpMs: number
  failure: { readonly reason: string; readonly sinceMs: number } | null
  readonly news: News
  leftOut: number
  unreadable: readonly string[]
  /** What its last good answer showed; other metrics of the server have other sources. */
  shown: ReadonlyMap<string, Sample>
}

/** With the rest of its source, as much as `metrics.json` accepts. */
const placeCharsMax = 280
/** If silence does not open an alert, it is shown as a number after this long. */
const silentUsualMs = 60_000

export function openFleet(parts: {
  readonly registry: Registry
  readonly series: SeriesStore
  readonly generated: Generated
  readonly ledger: Ledger
  readonly isTimed: boolean
  readonly nowMs: () => number
  readonly upMs: () => number
  readonly report: (line: string) => void
}): Fleet {
  const { registry, series, ledger, nowMs, upMs, report } = parts
  const gone = openGoneServers(parts)
  const settle = openFileServers(parts)
  let config: ScrapeConfig | null = null
  let posts = new Map<string, Post>()
  let byServer = new Map<string, Post[]>()
  const postsOf = (server: string): readonly Post[] => byServer.get(server) ?? []
  const values = openValues({ series, postsOf, nowMs })

  const scraper = openScraper({
    isTimed: parts.isTimed,
    upMs,
    isWanted: ({ server }) => registry.server(server)?.kind === 'scraped',
    begins: (target) => {
      const post = posts.get(idOf(target))
      if (post === undefined || config === null) return
      // While this process slept, nothing was queried and silence is unknown. If it was only late, it did query.
      const gapMs = upMs() - post.askedUpMs
      const gapMaxMs = Math.max(2 * config.intervalMs, (config.noDataMs ?? silentUsualMs) / 2)
      if (gapMs > gapMaxMs) post.silentUpMs += gapMs - config.intervalMs
      post.askedUpMs = upMs()
    },
    ends: (target, result) => {
      const post = posts.get(idOf(target))
      if (post !== undefined && config !== null) {
        post.askedUpMs = Math.min(upMs(), post.askedUpMs + config.timeoutMs)
      }
      if (post === undefined || registry.server(target.server)?.kind !== 'scraped') return
      ledger.together(() => takeUp(post, result))
    },
    report: (error) => report((error instanceof Error && error.stack) || String(error)),
  })

  function takeUp(post: Post, result: ScrapeResult): void {
    if (!result.isGood) {
      post.failure = { reason: result.reason, sinceMs: post.failure?.sinceMs ?? nowMs() }
      post.news.failed(post.target, result.reason)
      for (const { key } of post.shown.values()) values.settle(key, post)
      return
    }
    if (post.failure !== null) post.news.recovered(post.target, nowMs() - post.failure.sinceMs)
    const { leftOut, unreadable } = result
    const before = post.shown
    const shown = new Map(result.samples.map((sample) => [textOf(sample.key), sample]))
    Object.assign(post, { goodMs: nowMs(), silentUpMs: upMs(), failure: null, leftOut, unreadable, shown })
    for (const { key } of new Map([...before, ...shown]).values()) values.settle(key, post)
    post.news.rest(post.target, leftOut, unreadable)
    beatOf(post)
  }

  function beatOf({ target: { server }, heartbeat, goodMs, silentUpMs, askedUpMs }: Post): void {
    if (config === null || registry.server(server)?.kind !== 'scraped') return
    // Only up to the last query: until the next answer is due, further silence is unknown.
    const untilMs = Math.min(upMs(), askedUpMs + config.intervalMs + config.timeoutMs)
    const silentMs = Math.max(0, untilMs - silentUpMs)
    // Before its first answer in this run only a lower bound of its silence is known.
    if (goodMs === null && silentMs < (config.noDataMs ?? silentUsualMs)) return
    series.add(server, heartbeat, nowMs(), silentMs / 1_000)
  }

  function postFor(target: Target, nth: number, all: readonly Target[]): Post {
    const post = posts.get(idOf(target)) ?? newPost(target, upMs(), openNews(upMs, report))
    post.news.renew()
    return Object.assign(post, { target, heartbeat: heartbeatOf(nth, all) })
  }

  return {
    use(next) {
      config = next.scrape
      const targets = next.scrape?.targets ?? []
      settle(targets)
      const before = posts
      const named = Map.groupBy(targets, ({ server }) => server)
      byServer = new Map([...named].map(([server, own]) => [server, own.map(postFor)]))
      posts = new Map([...byServer.values()].flat().map((post) => [idOf(post.target), post]))
      for (const [id, post] of before) if (!posts.has(id)) values.leave(post)
      scraper.use(next.scrape, next.customMetrics)
    },
    scrape: scraper.now,
    beat() {
      gone.settle()
      for (const post of posts.values()) beatOf(post)
    },
    freshMsOf: (hostname) => (byServer.has(hostname) && config ? freshIntervals * config.intervalMs : null),
    lastScrapeMs(hostname) {
      const times = postsOf(hostname).map(({ goodMs }) => goodMs)
      return times.length === 0 || times.includes(null) ? null : Math.min(...times.map(Number))
    },
    shows: (hostname, key) => postsOf(hostname).some(({ shown }) => shown.has(textOf(key))),
    stateOf: (hostname) => byServer.get(hostname)?.map(stateIn) ?? null,
    stop: scraper.stop,
  }
}

/** The values of servers that may have several exporters. */
function openValues(parts: {
  readonly series: SeriesStore
  readonly postsOf: (server: string) => readonly Post[]
  readonly nowMs: () => number
}) {
  const { series, postsOf, nowMs } = parts
  /**
   * Takes the value of a metric that `from` shows now, or does not any more. What several exporters show is added up if it is a custom
   * metric, as with its labels; of a host metric the first exporter counts. With an unknown part it is unknown.
   */
  function settle(key: MetricKey, from: Post): void {
    const { server } = from.target
    const text = textOf(key)
    const showing = postsOf(server).filter(({ shown }) => shown.has(text))
    const counting = key.type === 'custom_metric' ? showing : showing.slice(0, 1)
    const isUnknown = counting.some(({ failure }) => failure !== null)
    if (counting.length === 0 || isUnknown) series.markStale(server, key, !isUnknown)
    else if (counting.includes(from)) {
      const sum = counting.reduce((all, { shown }) => all + (shown.get(text)?.value ?? 0), 0)
      series.add(server, key, nowMs(), sum)
    }
  }

  return {
    settle,
    /** The file does not name this one any more. */
    leave(post: Post): void {
      if (postsOf(post.target.server).length === 0) return
      series.markStale(post.target.server, post.heartbeat)
      for (const { key } of post.shown.values()) settle(key, post)
    },
  }
}

/** The metric of an exporter's silence: of a server's further ones it names the place, so that the others cannot hide it. */
function heartbeatOf(nth: number, all: readonly Target[]): MetricKey {
  if (nth === 0) return heartbeatKey
  const places = all.map(({ url }) => {
    const { host, pathname } = new URL(url)
    return (pathname === '/metrics' ? host : host + pathname).slice(0, placeCharsMax)
  })
  // Two may differ in their query alone, which may hold a secret.
  const isShared = places.some((place, at) => at > 0 && at !== nth && place === places[nth])
  return { ...heartbeatKey, source: `Heartbeat ${places[nth]}${isShared ? ` (${nth + 1})` : ''}` }
}

function stateIn({ target, failure, leftOut, unreadable }: Post): ExporterState {
  const { origin, pathname } = new URL(target.url)
  return {
    url: origin + pathname,
    failure: failure?.reason ?? null,
    failing_since: failure === null ? null : new Date(failure.sinceMs).toISOString(),
    metrics_left_out: leftOut,
    unreadable: unreadable.slice(0, unreadableShownMax),
  }
}

function newPost(target: Target, upMs: number, news: News): Post {
  return {
    target,
    heartbeat: heartbeatKey,
    goodMs: null,
    silentUpMs: upMs,
    askedUpMs: upMs,
    failure: null,
    news,
    leftOut: 0,
    unreadable: [],
    shown: new Map(),
  }
}
