/** The servers of the file: their data, the last answers of their exporters, and how long they have been silent. */
import { z } from 'zod'
import { heartbeatKey } from '../alerts/triggers.ts'
import { durationText } from '../config/duration.ts'
import type { FleetConfig, ScrapeConfig, Target } from '../config/read-config.ts'
import type { Generated } from '../metrics/generated.ts'
import { openGoneServers } from '../metrics/gone-servers.ts'
import { type MetricKey, textOf } from '../metrics/metric-key.ts'
import type { SeriesStore } from '../metrics/series.ts'
import { quoted, Refusal } from '../refusal.ts'
import type { Ledger } from '../store/ledger.ts'
import type { Registry } from '../store/registry.ts'
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
  /** The last problem that was logged, and when. */
  told: { readonly reason: string; readonly upMs: number } | null
  isRecoveryTold: boolean
  leftOut: number
  unreadable: readonly string[]
  isRestTold: boolean
  /** Metrics in its last good answer; others of the server have other sources. */
  shown: ReadonlyMap<string, MetricKey>
}

/** The same recurring trouble of a server is reported again after this long. */
const tellAgainMs = 60 * 60_000
const unreadableShownMax = 5
/** If silence does not open an alert, it is shown as a number after this long. */
const silentUsualMs = 60_000

const targetRecord = z.object({ roles: z.array(z.string()) })

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
  const { registry, series, generated, ledger, nowMs, upMs, report } = parts
  const gone = openGoneServers({ registry, series, ledger, nowMs })
  let config: ScrapeConfig | null = null
  let posts = new Map<string, Post>()
  /** Roles from the file: they go when the file drops them; roles added over the API stay. */
  const rolesGiven = new Map(
    ledger.load('target', targetRecord).map(({ key, value }) => [key, value.roles] as const),
  )

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
      tellFailure(post, result.reason)
      return
    }
    tellRecovery(post)
    const atMs = nowMs()
    const shown = new Map(result.samples.map(({ key }) => [textOf(key), key]))
    for (const [text, key] of post.shown) if (!shown.has(text)) series.markStale(server, key)
    post.shown = shown
    for (const { key, value } of result.samples) series.add(server, key, atMs, value)
    Object.assign(post, { goodMs: atMs, silentUpMs: upMs(), failure: null })
    post.leftOut = result.leftOut
    post.unreadable = result.unreadable
    tellRest(post)
    beatOf(post)
  }

  const nameOf = ({ target: { server, url } }: Post): string => `${quoted(server)} (${new URL(url).origin})`

  function tellFailure(post: Post, reason: string): void {
    const { told } = post
    if (told?.reason === reason && upMs() - told.upMs < tellAgainMs) return
    post.told = { reason, upMs: upMs() }
    post.isRecoveryTold = false
    report(
      `cannot read the exporter of ${nameOf(post)}: ${reason}; its values are not known until it can be read`,
    )
  }

  function tellRecovery(post: Post): void {
    if (post.failure === null || post.isRecoveryTold) return
    post.isRecoveryTold = true
    const lasted = durationText(Math.round(Math.max(0, nowMs() - post.failure.sinceMs) / 1_000) * 1_000)
    report(`the exporter of ${nameOf(post)} can be read again, after ${lasted}`)
  }

  function tellRest(post: Post): void {
    if (post.isRestTold || (post.leftOut === 0 && post.unreadable.length === 0)) return
    post.isRestTold = true
    if (post.leftOut > 0)
      report(`${nameOf(post)} shows ${post.leftOut} metrics more than are kept of one server`)
    if (post.unreadable.length === 0) return
    const names = post.unreadable.slice(0, unreadableShownMax).map(quoted).join(', ')
    report(`${nameOf(post)}: ${post.unreadable.length} families cannot be read or are too long: ${names}`)
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

  function settle({ server, environment, roles }: Target): void {
    const known = registry.server(server)
    // It was simulated until now: simulated data is not the real server's history.
    if (known?.kind === 'fleet' || known?.kind === 'extra') generated.removeServer(server)
    const one = known ?? registry.addServer({ hostname: server, environment, kind: 'scraped' }, [])
    if (one.kind !== 'scraped' || one.environment !== environment) {
      registry.update(one, { kind: 'scraped', environment })
    }
    const given = rolesGiven.get(server) ?? []
    for (const role of given) if (!roles.includes(role)) registry.removeRole(server, role)
    for (const role of roles) registry.addRole(server, role)
    if (rolesGiven.has(server) && JSON.stringify(given) === JSON.stringify(roles)) return
    rolesGiven.set(server, [...roles])
    ledger.put('target', server, { roles: [...roles] })
  }

  function settleAll(targets: readonly Target[]): void {
    const names = new Set(targets.map(({ server }) => server))
    for (const { hostname, kind } of registry.servers()) {
      if (kind === 'scraped' && !names.has(hostname)) registry.deleteServer(hostname)
    }
    for (const server of rolesGiven.keys()) {
      if (names.has(server)) continue
      // If named again, it comes back even if it was deleted.
      registry.revive(server)
      rolesGiven.delete(server)
      ledger.remove('target', server)
    }
    for (const target of targets) {
      if (registry.isDeleted(target.server) && rolesGiven.has(target.server)) continue
      try {
        settle(target)
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        report(`${quoted(target.server)} of the file cannot be taken up as it is: ${error.message}`)
      }
    }
  }

  return {
    use(next) {
      config = next.scrape
      const targets = next.scrape?.targets ?? []
      ledger.together(() => settleAll(targets))
      posts = new Map(
        targets.map((target) => {
          const post = posts.get(target.server) ?? newPost(target, upMs())
          return [target.server, Object.assign(post, { target, isRestTold: false })] as const
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
      if (post === undefined) return null
      const { failure, leftOut, unreadable } = post
      return {
        failure: failure?.reason ?? null,
        failing_since: failure === null ? null : new Date(failure.sinceMs).toISOString(),
        metrics_left_out: leftOut,
        unreadable: unreadable.slice(0, unreadableShownMax),
      }
    },
    stop: scraper.stop,
  }
}

function newPost(target: Target, upMs: number): Post {
  return {
    target,
    goodMs: null,
    silentUpMs: upMs,
    askedUpMs: upMs,
    failure: null,
    told: null,
    isRecoveryTold: true,
    leftOut: 0,
    unreadable: [],
    isRestTold: false,
    shown: new Map(),
  }
}
