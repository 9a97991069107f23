/**
 * Runs the whole bot inside the test's process, with the real service and workspace over HTTP and sockets. All three share a
 * clock that the test can advance, so that minutes pass in a moment.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ExpectStatic } from 'vitest'
import { readConfig } from '../../src/bot/config/config.ts'
import { openLog } from '../../src/bot/log.ts'
import { openReplica } from '../../src/bot/replica.ts'
import { type JumpingClock, jumpingClock } from './jumping-clock.ts'
import { patienceMs } from './patience.ts'
import { settingsFor } from './settings.ts'
import { openTown, type Town, type TownSetting } from './town.ts'

export type InsideBot = {
  readonly town: Town
  readonly clock: JumpingClock
  /** The lines of its log, oldest first. */
  logged(event: string): Record<string, unknown>[]
  /** The value of a series of `/metrics`, such as `monbot_cards{state="dead"}`. */
  metric(series: string): Promise<number>
  /** What `/readyz` answers. */
  ready(): Promise<{ readonly status: number; readonly body: unknown }>
  /** Advances the clock, step by step, until that is so. */
  passUntil(what: string, isSo: () => boolean | Promise<boolean>, stepMs?: number): Promise<void>
  stop(): Promise<void>
  /** Starts it again on the same memory. */
  start(): Promise<void>
  /** Goes on with another policy, as at SIGHUP. */
  reread(policy: readonly string[]): Promise<void>
}

export type InsideSetting = Omit<TownSetting, 'http' | 'closeLater'> & {
  /** The `expect` of the test's own context, because tests run concurrently. */
  readonly expect: ExpectStatic
  readonly closeLater: (close: () => Promise<void>) => void
}

/** Each step must leave time for the work that it woke. */
const usualStepMs = 10_000
const passing = { timeout: patienceMs, interval: 50 }

/** Opens all three. `policy`: the lines of the policy file, which may name channels of the workspace. */
export async function insideBot(
  policy: (town: Town) => readonly string[],
  { expect, closeLater, ...setting }: InsideSetting,
): Promise<InsideBot> {
  const clock = jumpingClock()
  const town = await openTown({
    ...setting,
    closeLater,
    service: { nowMs: clock.nowMs, ...setting.service },
    workspace: { nowMs: clock.nowMs, seed: 11, ...setting.workspace },
  })
  const file = join(town.folder, 'policy.yml')
  writeFileSync(file, policy(town).join('\n'))
  const { service, workspace, folder } = town
  const lines: Record<string, unknown>[] = []
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) }
  let made = 0
  const settings = { ...settingsFor({ service, workspace, folder }), MONBOT_CONFIG: file }
  const read = () => readConfig(settings, (path) => readFileSync(path, 'utf8'))
  const open = async () => {
    const config = read()
    const log = openLog({ level: 'debug', secrets: [], destination })
    const ids = { make: () => `id-${++made}` }
    const opened = openReplica(config, { log, clock, ids, random: Math.random })
    await opened.started
    return opened
  }
  let bot: Awaited<ReturnType<typeof open>> | null = await open()
  const address = () => `http://127.0.0.1:${bot?.port()}`
  const stop = async () => {
    const stopping = bot?.stop()
    bot = null
    await stopping
  }
  closeLater(stop)

  return {
    town,
    clock,
    logged: (event) => lines.filter(({ msg }) => msg === event),
    metric: async (series) => {
      const page = await (await fetch(`${address()}/metrics`)).text()
      const line = page.split('\n').find((one) => one.startsWith(`${series} `))
      return Number(line?.slice(series.length))
    },
    ready: async () => {
      const answer = await fetch(`${address()}/readyz`)
      return { status: answer.status, body: await answer.json() }
    },
    passUntil: (what, isSo, stepMs = usualStepMs) =>
      expect
        .poll(
          async () => {
            if (await isSo()) return true
            clock.jump(stepMs)
            return false
          },
          { ...passing, message: what },
        )
        .toBe(true),
    stop,
    start: async () => {
      bot = await open()
    },
    reread: async (lines) => {
      writeFileSync(file, lines.join('\n'))
      await bot?.reread(read())
    },
  }
}
