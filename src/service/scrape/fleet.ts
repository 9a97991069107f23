/** The servers of the file: their data, the last answers of their exporters, and how long they have been silent. */
import { heartbeatKey } from '../alerts/triggers.ts'
import { durationText } from '../config/duration.ts'
import type { FleetConfig, ScrapeConfig, Target } from '../config/read-config.ts'
import type { Generated } from '../metrics/generated.ts'
import { openGoneServers } from '../metrics/gone-servers.ts'
import { type MetricKey, textOf } from '../metrics/metric-key.ts'
import type { SeriesStore } from '../metrics/series.ts'
import { quoted } from '../refusal.ts'
import type { Ledger } from '../store/ledger.ts'
import type { Registry } from '../store/registry.ts'
import { openFileServers } from './file-servers.ts'
import { freshIntervals, openScraper, type ScrapeResult } from './scraper.ts'

export type FleetState = {
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
  /** Its last good answer in this run; null: none yet. */
  lastScrapeMs(hostname: string): number | null
  /** Whether its last good answer included this. */
  shows(hostname: string, key: MetricKey): boolean
  stateOf(hostname: string): FleetState | null
  stop(): Promise<void>
}

/** State of one target; times are monotonic, except `goodMs`. */
type Post = {
  target: Target
  goodMs: number | null
  /** Since when it has been silent while being queried. */
  silentUpMs: number
  /** When it was last queried. */
  askedUpMs: number
  failure: { readonly reason: string; readonly sinceMs: number } | null
  readonly news: News
  leftOut: number
  unreadable: readonly string[]
  /** Metrics in its last good answer; others of the server have other sources. */
  shown: ReadonlyMap<string, MetricKey>
}

/** The same recurring trouble of a server is reported again after this long. */
const tellAgainMs = 60 * 60_000
const unreadableShownMax = 5
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
  const gone = openGoneServers({ registry, series, ledger, nowMs })
  const settle = openFileServers(parts)
  let config: ScrapeConfig | null = null
  let posts = new Map<string, Post>()

  const scraper = openScraper({
    isTimed: parts.isTimed,
    upMs,
    isWanted: ({ server }) => registry.server(server)?.kind === 'scraped',
    begins: ({ server }) => {
      const post = posts.get(server)
      if (post === undefined || config === null) return
      // While this process slept, nothing was queried and silence is unknown. If it was only late, it did query.
      const gapMs = upMs() - post.askedUpMs
      const gapMaxMs = Math.max(2 * config.intervalMs, (config.noDataMs ?? silentUsualMs) / 2)
      if (gapMs > gapMaxMs) post.silentUpMs += gapMs - config.intervalMs
      post.askedUpMs = upMs()
    },
    ends: ({ server }, result) => {
      const post = posts.get(server)
      if (post !== undefined && config !== null) {
        post.askedUpMs = Math.min(upMs(), post.askedUpMs + config.timeoutMs)
      }
      if (post === undefined || registry.server(server)?.kind !== 'scraped') return
      ledger.together(() => takeUp(post, result))
    },
    report: (error) => report(error instanceof Error ? (error.stack ?? error.message) : String(error)),
  })

  function takeUp(post: Post, result: ScrapeResult): void {
    const { server } = post.target
    if (!result.isGood) {
      for (const key of post.shown.values()) series.markStale(server, key, false)
      post.failure = { reason: result.reason, sinceMs: post.failure?.sinceMs ?? nowMs() }
      post.news.failed(post.target, result.reason)
      return
    }
    if (post.failure !== null) post.news.recovered(post.target, nowMs() - post.failure.sinceMs)
    const atMs = nowMs()
    const shown = new Map(result.samples.map(({ key }) => [textOf(key), key]))
    for (const [text, key] of post.shown) if (!shown.has(text)) series.markStale(server, key)
    post.shown = shown
    for (const { key, value } of result.samples) series.add(server, key, atMs, value)
    const { leftOut, unreadable } = result
    Object.assign(post, { goodMs: atMs, silentUpMs: upMs(), failure: null, leftOut, unreadable })
    post.news.rest(post.target, leftOut, unreadable)
    beatOf(post)
  }

  function beatOf({ target: { server }, goodMs, silentUpMs, askedUpMs }: Post): void {
    if (config === null || registry.server(server)?.kind !== 'scraped') return
    // Only up to the last query: until the next answer is due, further silence is unknown.
    const untilMs = Math.min(upMs(), askedUpMs + config.intervalMs + config.timeoutMs)
    const silentMs = Math.max(0, untilMs - silentUpMs)
    // Before its first answer in this run only a lower bound of its silence is known.
    if (goodMs === null && silentMs < (config.noDataMs ?? silentUsualMs)) return
    series.add(server, heartbeatKey, nowMs(), silentMs / 1_000)
  }

  return {
    use(next) {
      config = next.scrape
      const targets = next.scrape?.targets ?? []
      settle(targets)
      posts = new Map(
        targets.map((target) => {
          const post = posts.get(target.server) ?? newPost(target, upMs(), openNews(upMs, report))
          post.news.renew()
          return [target.server, Object.assign(post, { target })] as const
        }),
      )
      scraper.use(next.scrape, next.customMetrics)
    },
    scrape: scraper.now,
    beat() {
      gone.settle()
      for (const post of posts.values()) beatOf(post)
    },
    freshMsOf: (hostname) => (posts.has(hostname) && config ? freshIntervals * config.intervalMs : null),
    lastScrapeMs: (hostname) => posts.get(hostname)?.goodMs ?? null,
    shows: (hostname, key) => posts.get(hostname)?.shown.has(textOf(key)) === true,
    stateOf(hostname) {
      const post = posts.get(hostname)
      return post === undefined ? null : stateIn(post)
    },
    stop: scraper.stop,
  }
}

function stateIn({ failure, leftOut, unreadable }: Post): FleetState {
  return {
    failure: failure?.reason ?? null,
    failing_since: failure === null ? null : new Date(failure.sinceMs).toISOString(),
    metrics_left_out: leftOut,
    unreadable: unreadable.slice(0, unreadableShownMax),
  }
}

function newPost(target: Target, upMs: number, news: News): Post {
  return {
    target,
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

/** What is reported of one exporter: each trouble once, again after an hour if it recurs, and its end. */
type News = {
  failed(target: Target, reason: string): void
  /** It can be read, after a failure that lasted this long. */
  recovered(target: Target, lastedMs: number): void
  /** It can be read, but not all of it is used. */
  rest(target: Target, leftOut: number, unreadable: readonly string[]): void
  /** A new file may have changed what is used of it. */
  renew(): void
}

function openNews(upMs: () => number, report: (line: string) => void): News {
  /** The last problem that was reported, and when. */
  let told: { readonly reason: string; readonly upMs: number } | null = null
  let isRecoveryTold = true
  let isRestTold = false

  return {
    failed(target, reason) {
      if (told?.reason === reason && upMs() - told.upMs < tellAgainMs) return
      told = { reason, upMs: upMs() }
      isRecoveryTold = false
      report(
        `cannot read the exporter of ${nameOf(target)}: ${reason}; its values are not known until it can be read`,
      )
    },
    recovered(target, lastedMs) {
      if (isRecoveryTold) return
      isRecoveryTold = true
      const lasted = durationText(Math.round(Math.max(0, lastedMs) / 1_000) * 1_000)
      report(`the exporter of ${nameOf(target)} can be read again, after ${lasted}`)
    },
    rest(target, leftOut, unreadable) {
      if (isRestTold || (leftOut === 0 && unreadable.length === 0)) return
      isRestTold = true
      if (leftOut > 0) report(`${nameOf(target)} shows ${leftOut} metrics more than are kept of one server`)
      if (unreadable.length === 0) return
      const names = unreadable.slice(0, unreadableShownMax).map(quoted).join(', ')
      report(`${nameOf(target)}: ${unreadable.length} families cannot be read or are too long: ${names}`)
    },
    renew() {
      isRestTold = false
    },
  }
}

const nameOf = ({ server, url }: Target): string => `${quoted(server)} (${new URL(url).origin})`
