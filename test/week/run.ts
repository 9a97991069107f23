/** Lets the bot live through days on a clock that jumps from one wake-up to the next, and holds it to its promises. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Kept } from '../../src/bot/domain/base/retention.ts'
import { openChance } from '../kills/chance.ts'
import { type ManualClock, manualClock } from '../support/manual-clock.ts'
import { weekApi } from './api.ts'
import { startBot } from './bot.ts'
import { openGauge, type Sizes, type TableSize } from './gauge.ts'
import { openJudge } from './judge.ts'
import { openLife, type Town } from './life.ts'
import { startPeople } from './people.ts'
import { weekSlack } from './slack.ts'

const hourMs = 3_600_000
const pollEveryMs = 15_000
export const pollsAnHour = hourMs / pollEveryMs
const behindLookMs = 5 * 60_000
/** Records are kept for twice as long as alerts; the API lists an alert for three quarters of that time, as in life. */
const recordsFactor = 2
const listedFactor = 0.75
/** A run with so many breaches has shown enough. */
const breachesMax = 10

/** All counts are from the beginning of the run. */
export type Sample = Sizes & {
  readonly hour: number
  readonly polls: number
  readonly failedPolls: number
  /** What polls found changed: one for each alert that opened, closed, passed, was missed, came back … */
  readonly changes: number
  readonly posts: number
  readonly updates: number
  /** Milliseconds of the real clock, and of the processor: others may work on the same machine. */
  readonly tookMs: number
  readonly cpuMs: number
}

export type WeekReport = {
  readonly samples: readonly Sample[]
  readonly breaches: readonly string[]
  readonly tables: readonly TableSize[]
  readonly events: ReadonlyMap<string, number>
}

export type WeekOptions = {
  readonly hours: number
  readonly seed: number
  readonly town: Town
  /** How long alerts are kept: so much shorter than the run that the memory comes to its limits. In life it is 40 days. */
  readonly keptMs: number
  /** Where the database is kept; the system's folder for temporary files by default. */
  readonly folder?: string
  /** Called after every hour of the run. */
  readonly onHour?: (sample: Sample, tables: () => readonly TableSize[]) => void
}

export async function runWeek(options: WeekOptions): Promise<WeekReport> {
  const { hours, seed, town, keptMs, folder: parent = tmpdir(), onHour } = options
  const kept: Kept = { alertsMs: keptMs, recordsMs: recordsFactor * keptMs }
  const folder = mkdtempSync(join(parent, 'monbot-week-'))
  const path = join(folder, 'monbot.db')
  const clock = manualClock()
  // Of their own each, so that what one draws does not change the lots of the others.
  const chanceOf = (part: number) => openChance(seed * 1_000 + part)
  const api = weekApi({ nowMs: clock.nowMs, listedForMs: listedFactor * keptMs })
  const slack = weekSlack(clock, chanceOf(1), { lostShare: 0.002, refusedShare: 0.001 })
  const bot = await startBot({ monitor: api.monitor, chat: slack, clock, path, kept })
  const life = openLife(api, chanceOf(2), town)
  const judge = openJudge(path, api, slack)
  const gauge = openGauge(path)
  const people = startPeople(bot, clock, chanceOf(3))
  const samples: Sample[] = []
  const breaches: string[] = []
  const startedMs = performance.now()
  const startedCpu = process.cpuUsage()
  let changes = 0
  let failedPolls = 0
  let calmSinceMs = clock.nowMs()
  let behindLookedMs = clock.nowMs()

  try {
    // Away from the times of the polls, so that each is done when it is judged.
    await pass(clock, clock.nowMs() + pollEveryMs / 3)
    for (let polls = 1; polls <= hours * pollsAnHour && breaches.length < breachesMax; polls += 1) {
      life.step()
      await pass(clock, clock.nowMs() + pollEveryMs)
      const found = bot.polled()
      changes += found.reduce((sum: number, one) => sum + (one ?? 0), 0)
      failedPolls += found.filter((one) => one === null).length
      // While the API fails, polls are further apart.
      if (found.at(-1) === null) calmSinceMs = clock.nowMs()
      else if (found.length > 0) breaches.push(...judge.afterPoll())
      if (clock.nowMs() - behindLookedMs >= behindLookMs) {
        behindLookedMs = clock.nowMs()
        breaches.push(...judge.onBehind(behindLookedMs))
      }
      if (polls % pollsAnHour !== 0 && polls !== hours * pollsAnHour) continue
      breaches.push(...judge.everyHour(clock.nowMs(), clock.nowMs() - calmSinceMs))
      const tookMs = performance.now() - startedMs
      const { user, system } = process.cpuUsage(startedCpu)
      const sent = { posts: slack.posts(), updates: slack.updates() }
      const counts = { polls, failedPolls, changes, ...sent, tookMs, cpuMs: (user + system) / 1_000 }
      const sample = { ...gauge.read(), hour: polls / pollsAnHour, ...counts }
      samples.push(sample)
      onHour?.(sample, gauge.tables)
    }
    const tables = gauge.tables()
    return { samples, breaches: [...breaches, ...slack.breaches], tables, events: bot.events }
  } finally {
    const stopped = Promise.all([people.stop(), bot.stop()])
    await pass(clock, clock.nowMs() + hourMs)
    await stopped
    judge.close()
    gauge.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Lets everything happen until then, each at its time: SQLite answers at once, so nothing but the clock is waited for. */
async function pass(clock: ManualClock, untilMs: number): Promise<void> {
  for (;;) {
    await turn()
    const nextMs = clock.nextWakeMs()
    if (nextMs === null || nextMs > untilMs) break
    clock.advance(Math.max(0, nextMs - clock.nowMs()))
  }
  clock.advance(untilMs - clock.nowMs())
  await turn()
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
