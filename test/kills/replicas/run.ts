/** Strikes several bots on one Postgres again and again, and holds them to their promises after each blow. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Aim } from '../aims.ts'
import { type Chance, openChance } from '../chance.ts'
import { account, openDriver } from '../driver.ts'
import { openFaults } from '../faults.ts'
import { watchGreens } from '../judge.ts'
import { listenMs, ripen } from '../mutes.ts'
import { openTally, type Tally } from '../tally.ts'
import { type Blow, signals } from './blows.ts'
import { rest, Violation, watchCopies } from './rest.ts'
import { deposedCode, type Scene } from './scene.ts'
import { type Ending, openTown, pause, type Replica } from './town.ts'
import { troubles } from './troubles.ts'

export type ReplicasOptions = {
  readonly replicas: number
  readonly isPooled: boolean
  readonly blows: number
  readonly seed: number
  /** No blow is begun after so many minutes. */
  readonly minutes?: number | undefined
  /** Only blows whose name contains this. */
  readonly only?: string
  /** A folder for the whole logs of whoever ran when a promise was broken. */
  readonly logs?: string | undefined
  /** Called after each blow that was survived, and for each finding. */
  readonly say?: (line: string) => void
}

export type ReplicasReport = {
  readonly tally: Tally
  /** By what was measured, in milliseconds. */
  readonly times: ReadonlyMap<string, readonly number[]>
  /** By the name of the blow, in the order in which they first came. */
  readonly verdicts: ReadonlyMap<string, Verdict>
  /** Messages that came while another of the same card stood there. */
  readonly copies: number
  readonly findings: readonly string[]
}

/** How one kind of blow was survived. */
export type Verdict = {
  times: number
  /** Of the take-overs that it brought about, in milliseconds; null where nobody took over. */
  longestMs: number | null
  findings: number
}

type Run = ReplicasOptions & {
  readonly tally: Tally
  readonly verdicts: Map<string, Verdict>
  readonly times: Map<string, number[]>
  readonly findings: string[]
  readonly bag: Turn[]
  copies: number
  isOver(): boolean
  say(line: string): void
}

/** A blow, and the step that it falls on, where it has steps. */
type Turn = { readonly blow: Blow; readonly aim: Aim; readonly name: string }

const blowsAWorld = 25
const lotsFrom = 500_000_000
/** What a process that ends says, rightly. */
const told = /lease:deposed|app:deposed|used by a newer version/
const linesOfLog = 30
/** Two polls and more. */
const afterglowMs = 2_500
const noAim: Aim = { step: '', stir: () => undefined, when: null }

/** A world in which a promise was broken is left for the next one, so that one finding does not hide others. */
export async function runReplicas(options: ReplicasOptions): Promise<ReplicasReport> {
  const { seed, blows, minutes = Number.POSITIVE_INFINITY, say = () => undefined } = options
  const fromMs = performance.now()
  const run: Run = {
    ...options,
    tally: openTally(),
    times: new Map(),
    verdicts: new Map(),
    isOver: () => performance.now() - fromMs > minutes * 60_000,
    findings: [],
    bag: [],
    copies: 0,
    say,
  }
  for (let round = 0; run.tally.kills() < blows && !run.isOver(); round += 1) {
    const until = Math.min(blows, run.tally.kills() + blowsAWorld)
    await inTown(run, seed * 1_000 + round, until)
  }
  const { tally, times, verdicts, copies, findings } = run
  return { tally, times, verdicts, copies, findings }
}

async function inTown(run: Run, seed: number, until: number): Promise<void> {
  const { tally, times, findings, replicas, isPooled, say } = run
  const chance = openChance(seed)
  const lots = openChance(seed + lotsFrom)
  const form = chance.of(['flip', 'flip', 'pair'] as const)
  const faults = openFaults(chance)
  const town = await openTown({ seed, form, images: 'off', twistOf: faults.twistOf, replicas, isPooled })
  const driver = openDriver(town.world, chance, faults)
  const [greens, copies] = [watchGreens(town.world, driver), watchCopies(town.world)]
  const story: string[] = []
  const expected = new Map<string, readonly (number | null)[]>()
  let name = 'the start'
  let verdict: Verdict = { times: 0, longestMs: null, findings: 0 }
  let mayCopy = false
  let hasForgotten = false
  let seen = 0
  let term = 0
  let copiesSeen = 0

  const finds = (what: string) => {
    const where = `blow ${tally.kills()} (seed ${seed}, ${replicas} replicas${isPooled ? ', pooled' : ''}, ${form})`
    const logs = town.replicas.map((replica) => `-- ${replica.name}\n${tailOf(replica.bot.output())}`)
    verdict.findings += 1
    findings.push([`${where}, after "${name}": ${what}`, ...story.slice(-6), ...logs].join('\n'))
    say(`FOUND at ${where} after "${name}": ${what}`)
    if (run.logs === undefined) return
    for (const { name: of, bot } of [...town.endings, ...town.replicas])
      writeFileSync(join(run.logs, `${seed}-${tally.kills()}-${of}-${bot.child.pid}.log`), bot.output())
  }

  /** What ended by itself, or said what no process may say. */
  function look(): void {
    for (; seen < town.endings.length; seen += 1) {
      const ending = town.endings[seen] as Ending
      const codes = expected.get(ending.name) ?? []
      const isDeposed = ending.code === deposedCode && (town.lead()?.term ?? 0) > term
      if (!codes.includes(ending.code) && !isDeposed) {
        finds(`ENDED: ${ending.name} ended by itself with ${ending.code}\n${tailOf(ending.bot.output())}`)
      }
      loudIn(ending.bot)
    }
    for (; copiesSeen < copies.length; copiesSeen += 1) {
      run.copies += 1
      if (!mayCopy) finds(copies[copiesSeen] as string)
    }
  }

  function loudIn(bot: Ending['bot']): void {
    const loud = bot
      .lines()
      .filter(({ level, msg }) => /error|fatal/.test(level) || /crashed|broken/.test(msg))
      .filter((line) => !told.test(JSON.stringify(line)))
    if (loud.length > 0) finds(`LOUD: a bot said ${JSON.stringify(loud[0]).slice(0, 2_000)}`)
  }

  const scene: Scene = {
    town,
    driver,
    faults,
    chance,
    note: (what, ms) => {
      times.set(what, [...(times.get(what) ?? []), ms])
      if (what.startsWith('taken')) verdict.longestMs = Math.max(verdict.longestMs ?? 0, ms)
    },
    finds,
    expectsEnd: ({ name: of }: Replica, codes) =>
      void expected.set(of, [...(expected.get(of) ?? []), ...codes]),
    mayCopy: () => {
      mayCopy = true
    },
    // One that has just been started ends by the signal itself.
    restart: (passMs) => {
      for (const replica of town.replicas) scene.expectsEnd(replica, [0, null])
      return town.restart(passMs)
    },
    rest: () =>
      rest({
        town,
        driver,
        greens,
        mayCopy: () => mayCopy,
        hasForgotten: () => hasForgotten,
        look,
        restart: scene.restart,
      }),
  }

  async function turn({ blow, aim, name: of }: Turn): Promise<void> {
    name = of
    verdict = run.verdicts.get(blow.name) ?? { times: 0, longestMs: null, findings: 0 }
    run.verdicts.set(blow.name, verdict)
    verdict.times += 1
    term = town.lead()?.term ?? 0
    story.push(`  ${tally.kills() + 1} ${of}`)
    // A world that was muted as a whole shows little.
    if (driver.muted().includes(account)) {
      driver.unmutesAccount()
      await pause(listenMs)
      await scene.rest()
    }
    if (aim.ripe !== undefined) {
      await ripen(aim.ripe, { world: town.world, driver, chance, rest: scene.rest, restart: scene.restart })
    }
    hasForgotten ||= blow.forgets === true
    await town.allStandBy()
    await blow.run(scene, aim)
    tally.add(of)
    faults.clear()
    await driver.clearFaults()
    await driver.settled()
    await scene.rest()
    look()
    mayCopy = false
    expected.clear()
    say(`${tally.kills()} ${of}`)
  }

  try {
    await town.led()
    driver.opens()
    await scene.rest()
    driver.closes()
    await scene.rest()
    while (tally.kills() < until && !hasForgotten && !run.isOver()) await turn(drawnFor(scene, run, lots))
    await pause(afterglowMs)
    await scene.rest()
    for (const { bot } of town.replicas) loudIn(bot)
  } catch (error) {
    tally.add(name)
    finds(error instanceof Violation ? error.message : `${error instanceof Error ? error.stack : error}`)
  } finally {
    await town.close()
  }
}

function drawnFor(scene: Scene, { bag, only = '' }: Run, chance: Chance): Turn {
  if (bag.length === 0) {
    const all = [...signals, ...troubles].filter(({ name }) => name.includes(only))
    for (const blow of all.filter(({ isPossible }) => isPossible?.(scene) !== false)) {
      for (let times = blow.weight ?? 1; times > 0; times -= 1) {
        const aim = chance.any(blow.steps ?? []) ?? noAim
        bag.push({ blow, aim, name: aim === noAim ? blow.name : `${blow.name} · ${aim.step}` })
      }
    }
  }
  const [drawn] = bag.splice(chance.below(bag.length), 1)
  if (drawn === undefined) throw new Error(`no blow is called ${only}`)
  return drawn
}

function tailOf(output: string): string {
  return output.split('\n').slice(-linesOfLog).join('\n').slice(-6_000)
}
