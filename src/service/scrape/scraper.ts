/** Queries every target on schedule: spread over the interval, never twice at once, each within its time limit. */
import { Agent } from 'undici'
import { globsMatcher } from '../../shared/glob.ts'
import { durationText } from '../config/duration.ts'
import type { ScrapeConfig, Target } from '../config/read-config.ts'
import type { TargetTls } from '../config/tls-files.ts'
import { hashOf } from '../metrics/generator.ts'
import type { Sample } from '../metrics/machine.ts'
import { oneAtATime } from '../turn.ts'
import { fetchExposition, ScrapeFailure } from './fetch-exposition.ts'
import { openNodeMetrics } from './node-metrics.ts'

export type ScrapeResult =
  | {
      readonly isGood: true
      readonly samples: readonly Sample[]
      readonly leftOut: number
      /** Names of families that could not be read. */
      readonly unreadable: readonly string[]
    }
  | { readonly isGood: false; readonly reason: string }

export type Scraper = {
  /** Unchanged targets continue as before; others end, and new ones start. */
  use(config: ScrapeConfig | null, customMetrics: readonly string[]): void
  /** Queries all of them now. */
  now(): Promise<void>
  /** Aborts queries in progress, without a result. */
  stop(): Promise<void>
}

type Running = { readonly text: string; scrape(): Promise<void>; stop(): void }

/** Rates and staleness need a few intervals at least. */
export const freshIntervals = 3
const gapIntervals = 5

export function openScraper(parts: {
  /** False: only `now` queries. */
  readonly isTimed: boolean
  /** A monotonic clock. */
  readonly upMs: () => number
  /** Whether to query it at all. */
  readonly isWanted: (target: Target) => boolean
  readonly begins: (target: Target) => void
  readonly ends: (target: Target, result: ScrapeResult) => void
  /** Receives unexpected errors. */
  readonly report: (error: unknown) => void
}): Scraper {
  const { isTimed, upMs, isWanted, begins, ends, report } = parts
  const agents = openAgents()
  let all = new Map<string, Running>()

  function start(
    target: Target,
    { intervalMs, timeoutMs }: ScrapeConfig,
    customMetrics: readonly string[],
    text: string,
  ): Running {
    const metrics = openNodeMetrics(globsMatcher(customMetrics), gapIntervals * intervalMs)
    const lateness = new ScrapeFailure(`it did not answer within ${durationText(timeoutMs)}`)
    let isStopped = false
    let ending: AbortController | null = null

    async function ask(): Promise<ScrapeResult> {
      const controller = new AbortController()
      ending = controller
      const limit = setTimeout(() => controller.abort(lateness), timeoutMs)
      try {
        const { signal } = controller
        const dispatcher = agents.of(target.tls)
        const scraped = await fetchExposition(target, metrics.wanted, { dispatcher, signal, upMs })
        const { samples, leftOut } = metrics.map(scraped.exposition, scraped.upMs)
        return {
          isGood: true,
          samples,
          leftOut: leftOut.length,
          unreadable: [...scraped.exposition.unreadable],
        }
      } catch (error) {
        if (!(error instanceof ScrapeFailure)) throw error
        return { isGood: false, reason: error.message }
      } finally {
        clearTimeout(limit)
        ending = null
      }
    }

    async function once(): Promise<void> {
      if (!isWanted(target)) return
      begins(target)
      const result = await ask()
      if (!isStopped) ends(target, result)
    }

    const scrape = oneAtATime(once)
    const schedule = { offsetMs: hashOf(target.server + target.url) % intervalMs, intervalMs, upMs }
    const stopTimer = isTimed ? startTimer(schedule, () => void scrape().catch(report)) : null
    return {
      text,
      scrape,
      stop() {
        isStopped = true
        stopTimer?.()
        ending?.abort(lateness)
      },
    }
  }

  return {
    use(config, customMetrics) {
      const next = new Map<string, Running>()
      for (const target of config?.targets ?? []) {
        if (config === null) continue
        const { authorization, tls } = target
        const text = JSON.stringify([authorization, tls, config.intervalMs, config.timeoutMs, customMetrics])
        const id = idOf(target)
        const known = all.get(id)
        next.set(id, known?.text === text ? known : start(target, config, customMetrics, text))
      }
      for (const [id, running] of all) if (next.get(id) !== running) running.stop()
      all = next
      agents.keep((config?.targets ?? []).map(({ tls }) => tls))
    },
    async now() {
      await Promise.all([...all.values()].map(({ scrape }) => scrape()))
    },
    async stop() {
      for (const { stop } of all.values()) stop()
      all.clear()
      await agents.stop()
    },
  }
}

/** One target among all: a server may have several, of different addresses. */
export function idOf({ server, url }: Target): string {
  return JSON.stringify([server, url])
}

/** The connections, for targets of the same certificates together. */
function openAgents() {
  const agents = new Map<string, Agent>()
  const end = (text: string, agent: Agent): Promise<void> => {
    agents.delete(text)
    return agent.destroy()
  }
  return {
    of(tls: TargetTls | null): Agent {
      const text = JSON.stringify(tls)
      const agent = agents.get(text) ?? new Agent(tls === null ? {} : { connect: optionsOf(tls) })
      agents.set(text, agent)
      return agent
    },
    /** Ends those that none of these needs any more. */
    keep(all: readonly (TargetTls | null)[]): void {
      const kept = new Set(all.map((tls) => JSON.stringify(tls)))
      for (const [text, agent] of agents) if (!kept.has(text)) void end(text, agent)
    },
    stop: () => Promise.all([...agents].map(([text, agent]) => end(text, agent))),
  }
}

function optionsOf({ ca, cert, key, serverName, isUnchecked }: TargetTls) {
  return {
    ...(ca === null ? {} : { ca }),
    ...(cert === null || key === null ? {} : { cert, key }),
    ...(serverName === null ? {} : { servername: serverName }),
    rejectUnauthorized: !isUnchecked,
  }
}

/** Works always at the same offset in the interval, so that slow answers do not bunch the queries. Returns what ends it. */
function startTimer(
  schedule: { readonly offsetMs: number; readonly intervalMs: number; readonly upMs: () => number },
  work: () => void,
): () => void {
  const { offsetMs, intervalMs, upMs } = schedule
  let timer: NodeJS.Timeout | undefined

  function plan(leastMs: number): void {
    const waitMs = intervalMs - ((((upMs() - offsetMs) % intervalMs) + intervalMs) % intervalMs)
    const onTime = (): void => {
      plan(intervalMs / 2)
      work()
    }
    // A timer may fire a millisecond early, and would then fire twice.
    timer = setTimeout(onTime, waitMs < leastMs ? waitMs + intervalMs : waitMs).unref()
  }

  plan(0)
  return () => clearTimeout(timer)
}
