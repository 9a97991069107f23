/** The mutes between the blows: which of them are over, and how one comes about whose time is nearly up. */
import type { MutedAlert } from '../../src/bot/domain/mute/mute.ts'
import type { Aim } from './aims.ts'
import type { Chance } from './chance.ts'
import type { Driver } from './driver.ts'
import { servers, type World } from './world.ts'

/** About what the bot needs to hear a command; what it takes beyond that, the next rest sees. */
export const listenMs = 200
/** Beyond what a process takes to be ready. */
const ripeAfterMs = 4_000

/** Tells the driver of what it muted and is muted no more. */
export async function noteUnmuted(world: World, driver: Driver): Promise<void> {
  const { mutes } = await world.recall()
  const live = mutes.map(({ subject, alert }) => {
    return alert === null ? subject : (JSON.parse(alert) as MutedAlert).about?.plugin
  })
  for (const subject of [...driver.muted(), ...driver.mutedAlerts()]) {
    if (!live.includes(subject)) driver.isUnmuted(subject)
  }
}

export type RipenParts = {
  readonly world: World
  readonly driver: Driver
  readonly chance: Chance
  rest(): Promise<void>
  /** Ends what runs, lets so much time pass, and starts again. */
  restart(passMs: number): Promise<void>
}

/** Makes a mute that hides an alert, and whose deadline comes while the next process runs. */
export async function ripen(what: NonNullable<Aim['ripe']>, parts: RipenParts): Promise<void> {
  const { world, driver, chance, rest, restart } = parts
  const server = chance.any(servers)
  if (server === undefined) return
  if (what === 'alert') {
    driver.opens()
    await rest()
    const plugin = driver.mutesAlert('1m')
    await new Promise((resolve) => setTimeout(resolve, listenMs))
    await rest()
    driver.closes(plugin)
    await rest()
    driver.opensAgain(plugin)
  } else {
    driver.mutes(server, '1m')
    driver.opens(server)
  }
  await rest()
  const untils = (await world.recall()).mutes.flatMap(({ state, until_ms }) =>
    until_ms === null || state === 'ended' ? [] : [until_ms],
  )
  const leftMs = untils.length === 0 ? 0 : Math.min(...untils) - world.nowMs() - ripeAfterMs
  await restart(Math.max(0, leftMs))
}
