/** What a blow may use, and what it says of how it was survived. */
import type { Aim } from '../aims.ts'
import type { Chance } from '../chance.ts'
import type { Driver } from '../driver.ts'
import type { Faults } from '../faults.ts'
import { awaited } from '../strike.ts'
import { type Leading, pause, type Replica, type Town } from './town.ts'

export type Scene = {
  readonly town: Town
  readonly driver: Driver
  readonly faults: Faults
  readonly chance: Chance
  /** A measured time, by what was measured. */
  note(what: string, ms: number): void
  /** Something that was promised and is not so. */
  finds(what: string): void
  /** This process may end with this code, in the current blow; null: by a signal. */
  expectsEnd(replica: Replica, codes: readonly (number | null)[]): void
  /** A copy of a card may stand in Slack, for as long as it takes to delete it. */
  mayCopy(): void
  rest(): Promise<void>
  /** See `Town`. */
  restart(passMs: number): Promise<void>
}

/** Whoever leads, and when it was struck by `performance.now()`. */
export type Struck = Leading & { readonly atMs: number; readonly came: boolean }

/** A standby takes when the lease stood still for 30 s, and looks every 2 s; one look more for its answer. */
export const takenWithinMs = 34_000
/** After a clean stop. */
export const handedWithinMs = 3_000
/** By which a process that was deposed has ended. */
export const exitWithinMs = 2_000
/** What a busy machine takes beyond what was promised, and the judge's own look. */
export const slackMs = 400
export const deposedCode = 75
/** What a machine that runs several such worlds may take beyond it to end a process; the figures have the time itself. */
const busyMs = 3_000
const dropMs = 300

/** Brings the moment about and strikes the leader in it. */
export async function strikeAt(
  scene: Scene,
  aim: Aim,
  strike: (leading: Leading) => unknown,
): Promise<Struck> {
  const { town, driver, chance } = scene
  const leading = await town.led()
  let atMs = performance.now()
  const moment = awaited(town.world, aim, chance, () => {
    atMs = performance.now()
    strike(leading)
  })
  if (chance.is(0.4)) driver.anything()
  aim.stir(driver, chance)
  if (chance.is(0.3)) driver.anything()
  const came = await moment
  if (aim.drops === true) setTimeout(() => town.world.dropRequests(false), dropMs)
  return { ...leading, atMs, came }
}

/** Another must lead by then: how long it took is noted under `what`. */
export async function expectTaken(
  scene: Scene,
  { lead, atMs }: Struck,
  what: string,
  withinMs = takenWithinMs,
): Promise<void> {
  const tookMs = await scene.town.taken(lead.term, atMs, 3 * withinMs)
  if (tookMs === null) {
    scene.finds(`TAKE-OVER: nobody took the lease within ${(3 * withinMs) / 1_000} s (${what})`)
    return
  }
  scene.note(what, tookMs)
  if (tookMs > withinMs + slackMs) scene.finds(`TAKE-OVER: it took ${Math.round(tookMs)} ms (${what})`)
}

/** The same process must lead still, of the same term. */
export async function expectSame(scene: Scene, { lead }: Leading, what: string): Promise<void> {
  const now = await scene.town.direct.lead()
  if (now !== null && now.term !== lead.term) {
    scene.finds(`LOST THE LEASE: term ${lead.term} became ${now.term} by ${what}`)
  }
}

/** The process must end by itself, and say that it was deposed. */
export async function expectDeposed(scene: Scene, replica: Replica, what: string): Promise<void> {
  const fromMs = performance.now()
  const { bot } = replica
  const code = await Promise.race([bot.ended, pause(10 * exitWithinMs).then(() => 'none' as const)])
  const tookMs = performance.now() - fromMs
  scene.note(what, tookMs)
  if (code !== deposedCode || tookMs > exitWithinMs + busyMs)
    scene.finds(`DEPOSED: ${replica.name} ended with ${code} after ${Math.round(tookMs)} ms (${what})`)
}

export function freeze(replica: Replica): void {
  replica.isFrozen = true
  replica.bot.child.kill('SIGSTOP')
}

export function thaw(replica: Replica): void {
  replica.isFrozen = false
  replica.bot.child.kill('SIGCONT')
}
