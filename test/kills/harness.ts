/** Kills the real bot again and again, each time at a chosen step, and holds it to its promises after each. */

import type { Aim } from './aims.ts'
import { type Chance, openChance } from './chance.ts'
import { account, openDriver } from './driver.ts'
import { type FaultName, openFaults } from './faults.ts'
import { breaches, watchGreens } from './judge.ts'
import { damageOf } from './memory.ts'
import { listenMs, noteUnmuted, ripen } from './mutes.ts'
import { awaited, drawn } from './strike.ts'
import { openTally, type Tally } from './tally.ts'
import { openWorld } from './world.ts'

export type KillsOptions = {
  readonly kills: number
  readonly seed: number
  /** What goes wrong beside the kills; none by default. */
  readonly faults?: readonly FaultName[]
  /** Called after each kill that was survived. */
  readonly say?: (line: string) => void
}

/** What came of it; `violation` is null where every promise was kept. */
export type KillsReport = { readonly tally: Tally; readonly violation: string | null }

const lotsFrom = 500_000_000

class Violation extends Error {}

const killsAWorld = 40
/** Without anything getting better. A page leaves its calls to others for up to a minute, and then comes at Slack's pace. */
const restWithinMs = 100_000
/** Shorter than what the bot waits for a post of unknown fate: that one is killed again instead. */
const unknownPatienceMs = 4_000
/** The same of a mute's end that did not succeed: minutes lie between the tries. */
const endPatienceMs = 15_000
const nextTryMs = 6 * 60_000
const lookEveryMs = 60
/** More than the bot waits until the silence of Slack's history counts. */
const absenceMs = 65_000
/** So long the bot may be away. After half an hour and more it tells what is open, and not what has come and gone. */
const longAbsenceMs = 30 * 60_000
const absencesMs = [absenceMs, 6 * 60_000, 20 * 60_000, 2 * longAbsenceMs] as const
/** So often something goes wrong beside the kill. */
const faultShare = 0.6
const settlingTries = 5
/** Several polls; a deadline that is near leaves no time for them. */
const harmMs = 5_000
/** Two polls and more. */
const afterglowMs = 2_500
const startKillsMs = 900

export async function runKills({
  kills,
  seed,
  faults = [],
  say = () => undefined,
}: KillsOptions): Promise<KillsReport> {
  const tally = openTally()
  const bag: Aim[] = []
  try {
    for (let round = 0; tally.kills() < kills; round += 1) {
      const chance = openChance(seed * 1_000 + round)
      await inWorld({
        seed: seed * 1_000 + round,
        chance,
        bag,
        tally,
        faults,
        say,
        until: Math.min(kills, tally.kills() + killsAWorld),
      })
    }
    return { tally, violation: null }
  } catch (error) {
    if (!(error instanceof Violation)) throw error
    return { tally, violation: error.message }
  }
}

type Run = {
  readonly seed: number
  readonly chance: Chance
  /** Aims that were not drawn yet: none comes again before all have come. */
  readonly bag: Aim[]
  readonly tally: Tally
  readonly faults: readonly FaultName[]
  readonly say: (line: string) => void
  readonly until: number
}

async function inWorld({ seed, chance, bag, tally, faults: names, say, until }: Run): Promise<void> {
  const form = chance.of(['flip', 'flip', 'pair'] as const)
  const images = chance.of(['off', 'off', 'auto'] as const)
  const faults = openFaults(chance)
  const world = await openWorld({ seed, form, images, twistOf: faults.twistOf })
  const driver = openDriver(world, chance, faults)
  const greens = watchGreens(world, driver)
  let bot = world.spawn()
  let step = 'none'
  /** At the next start. */
  let isSlackAway = false
  const story: string[] = []
  // Of their own, so that the same seed takes the same aims however long the bot takes.
  const lots = openChance(seed + lotsFrom)

  const fail = (what: string): never => {
    const recent = `kill ${tally.kills()} (seed ${seed}, ${form}, images ${images}), after "${step}": ${what}`
    throw new Violation(
      [
        recent,
        'The last kills:',
        ...story.slice(-6),
        'The last lines of the log:',
        bot.output().slice(-4_000),
      ].join('\n'),
    )
  }

  async function start(): Promise<void> {
    // A process may be killed before it is ready, and more than once.
    while (chance.is(0.12) && tally.kills() < until) {
      bot = world.spawn()
      await pause(chance.below(startKillsMs))
      await kill('start: before it is ready')
    }
    bot = world.spawn()
    if (!(await world.ready(bot))) fail('it did not start')
  }

  async function kill(at: string): Promise<void> {
    step = at
    await bot.kill('SIGKILL')
    tally.add(at)
    story.push(`  ${tally.kills()} ${at}`)
    world.dropRequests(false)
    const loud = bot
      .lines()
      .filter(({ level, msg }) => level === 'error' || level === 'fatal' || isCrash(msg))
    if (loud.length > 0) fail(`the bot said ${JSON.stringify(loud[0])}`)
    const damage = damageOf(world.memory)
    if (damage.length > 0) fail(`the database is damaged: ${damage.join('; ')}`)
  }

  /** Waits until nothing is left to be done, and all is as it must be. */
  async function rest(): Promise<void> {
    const fromMs = Date.now()
    let fewest = Number.POSITIVE_INFINITY
    let betterMs = fromMs
    for (;;) {
      const found = [...(await breaches(world, driver)), ...greens]
      if (found.length === 0) break
      const tookMs = Date.now() - fromMs
      // After an account mute dozens of cards are brought up to date, at Slack's pace: that it goes on is what counts.
      if (found.length < fewest) {
        fewest = found.length
        betterMs = Date.now()
      }
      if (bot.child.exitCode !== null) fail('the process ended by itself')
      if (Date.now() - betterMs > restWithinMs) fail(found.join('\n'))
      // What waiting does not fix.
      const wrong = found.filter((line) => /^(TWICE|STRANGER|FORGOTTEN|PLACE|GREEN|SHOWN)/.test(line))
      if (wrong.length > 0 && tookMs > unknownPatienceMs) fail(wrong.join('\n'))
      if (tookMs > unknownPatienceMs && found.some((line) => /^BEHIND: \S+ unknown/.test(line))) {
        await kill('check: while the fate of a post is unknown')
        await afterwards(absenceMs)
        return rest()
      }
      if (tookMs > endPatienceMs && found.every((line) => /^(UNSETTLED|OVERDUE)/.test(line))) {
        await kill('lapse: while its next try waits')
        await afterwards(nextTryMs)
        return rest()
      }
      await pause(lookEveryMs)
    }
    await noteUnmuted(world, driver)
  }

  /** As a rule something goes wrong, and often it has the time to do harm before the kill. */
  async function misfortune(withinMs: number): Promise<void> {
    const fault = lots.is(faultShare) ? lots.any(names) : undefined
    if (fault === undefined) return
    tally.mix(fault)
    story.push(`    with the fault ${fault}`)
    if (fault === 'slack') driver.slackErrs()
    else if (fault === 'reused') await driver.reuses()
    else if (fault === 'channel') driver.channelRefuses()
    else if (fault === 'absent') isSlackAway = true
    else faults.order(fault)
    if (fault === 'proxy' || fault === 'late') driver.mutesOrUnmutes()
    if (chance.is(0.5)) await pause(chance.below(withinMs + 1))
  }

  /** What was carried out late is known to be so until it was said again for half an hour: after that nothing may be off. */
  async function settleDoubts(): Promise<void> {
    // What the API does not know any more is asked for again and again, minutes apart.
    for (let tries = 1; tries <= settlingTries; tries += 1) {
      await bot.kill('SIGTERM')
      world.pass(2 * longAbsenceMs)
      bot = world.spawn()
      if (!(await world.ready(bot))) fail('it did not start')
      await rest()
      if ((await world.recall()).switches.length === 0) return
    }
    fail('what is unsure is still unsure after hours')
  }

  /** Between the kill and the next start. */
  async function afterwards(leastMs: number): Promise<void> {
    faults.clear()
    await driver.clearFaults()
    await driver.settled()
    if (isSlackAway) driver.slackIsAway()
    isSlackAway = false
    const awayMs = Math.max(leastMs, chance.is(0.25) ? chance.of(absencesMs) : 0)
    world.pass(awayMs)
    for (let n = chance.below(3); n > 0; n -= 1) (chance.is(0.5) ? driver.opens : driver.closes)()
    if (awayMs > longAbsenceMs) driver.comesBack([...(await world.recall()).alerts.keys()])
    await start()
  }

  /** While the account is muted little can be seen. */
  async function listen(): Promise<void> {
    driver.unmutesAccount()
    await pause(listenMs)
    await rest()
  }

  async function restart(passMs: number): Promise<void> {
    await kill('at rest')
    world.pass(passMs)
    bot = world.spawn()
    if (!(await world.ready(bot))) fail('it did not start')
  }

  try {
    if (!(await world.ready(bot))) fail('it did not start')
    // How the service closes alerts is learned before anything happens behind the bot's back.
    driver.opens()
    await rest()
    driver.closes()
    await rest()
    while (tally.kills() < until) {
      const aim = drawn(bag, lots)
      if (driver.muted().includes(account) && chance.is(0.7)) await listen()
      if (aim.ripe !== undefined) await ripen(aim.ripe, { world, driver, chance, rest, restart })
      await misfortune(aim.ripe === undefined ? harmMs : 0)
      const moment = awaited(world, aim, chance, () => bot.child.kill('SIGKILL'))
      if (chance.is(0.5)) driver.anything()
      aim.stir(driver, chance)
      if (chance.is(0.4)) driver.anything()
      const came = await moment
      if (!came) tally.miss(aim.step)
      await kill(came ? aim.step : 'at a random time')
      const isUnsure = (await world.recall()).cards.some(
        ({ state }) => state === 'sending' || state === 'unknown',
      )
      await afterwards(isUnsure && chance.is(0.7) ? absenceMs : 0)
      await rest()
      say(`${tally.kills()} ${step}`)
    }
    // What comes late is seen as well.
    await pause(afterglowMs)
    await rest()
    if ((await world.recall()).switches.length > 0) await settleDoubts()
  } finally {
    await world.close()
  }
}

function isCrash(msg: string): boolean {
  return msg === 'app:crashed' || msg === 'request:broken'
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
