/** Plays a bad night: a spike, a flapping alert, a storm, an outage, and three people who act. */
import { realClock } from '../bot/clock.ts'
import type { NightTown } from './night-town.ts'

/** Seconds of the ten minutes that the night usually takes. */
const wholeSeconds = 600

type Scene = {
  readonly town: NightTown
  /** Seconds of the night as seconds of this one, and no fewer than what happens needs. */
  readonly lasting: (seconds: number, atLeast?: number) => number
}

type NightAct = {
  /** Seconds into a night of ten minutes. */
  readonly at: number
  readonly words: string
  readonly run: (scene: Scene) => Promise<unknown>
}

const shownWithinMs = 30_000

/** The fleet's triggers wait for 6 s, up and down. */
const spikeSeconds = 20
const replication = { server: 'db-1', plugin: 'Replication', metric: 'seconds_behind', value: 45 } as const

const night: readonly NightAct[] = [
  {
    at: 5,
    words: 'the CPU of web-2 is busy',
    run: ({ town, lasting }) =>
      town.startScenario('cpu-spike', { server: 'web-2', seconds: lasting(160, spikeSeconds) }),
  },
  { at: 50, words: 'ana acknowledges it', run: ({ town }) => town.press('ana', 'Acknowledge', 'web-2') },
  {
    at: 65,
    words: 'ana writes a note to it',
    run: ({ town }) => town.type('ana', 'note web-2 the log rotation runs too long'),
  },
  { at: 100, words: 'cleo takes it over', run: ({ town }) => town.press('cleo', 'Take over', 'web-2') },
  {
    at: 125,
    words: 'the replication of db-1 flaps',
    run: async (scene) => {
      for (let time = 0; time < 3; time += 1) {
        await scene.town.openAlert({ ...replication, seconds: scene.lasting(20, 5) })
        await realClock.wait(scene.lasting(40, 10) * 1_000)
      }
    },
  },
  {
    at: 280,
    words: 'it is behind once more, and stays so',
    run: ({ town, lasting }) => town.openAlert({ ...replication, seconds: lasting(120, 24) }),
  },
  {
    at: 430,
    words: 'forty alerts at once',
    run: ({ town, lasting }) => town.startScenario('storm', { count: 40, seconds: lasting(80, 25) }),
  },
  {
    at: 455,
    words: 'ben acknowledges them all',
    run: ({ town }) => town.press('ben', 'Acknowledge all', 'servers)'),
  },
  {
    at: 470,
    words: 'cleo mutes web-3 with a reason',
    run: ({ town }) => town.type('cleo', 'mute web-3 20m its disk is being replaced'),
  },
  {
    at: 490,
    words: 'the monitoring API is away',
    run: async ({ town, lasting }) => {
      // It is told of after the third poll that fails: up to 15 s, and longer on a busy machine.
      const seconds = lasting(60, 30)
      await town.failApi(seconds)
      await realClock.wait(seconds * 1_000)
    },
  },
  { at: 588, words: 'cleo unmutes web-3', run: ({ town }) => town.type('cleo', 'unmute web-3') },
  {
    at: 593,
    words: 'a plugin reports an event',
    run: ({ town }) => town.startScenario('plugin-oneoff', { server: 'web-5' }),
  },
  { at: 598, words: 'ana asks for the handoff', run: ({ town }) => town.type('ana', 'handoff') },
]

/** Lines of the policy whose times must fit into the night. */
export function nightPolicy(minutes: number): string {
  const scaled = (seconds: number, atLeast: number) => `${Math.max(atLeast, seconds * shareOf(minutes))}s`
  return [`flap_settle: ${scaled(30, 5)}`, `reminders: [{ after: ${scaled(40, 10)} }]`, ''].join('\n')
}

function shareOf(minutes: number): number {
  return (minutes * 60) / wholeSeconds
}

/**
 * Plays the night, and resolves with its results once it is over and nothing is open. If an act fails, it says so and continues.
 */
export async function playNight(
  town: NightTown,
  { minutes, say }: { readonly minutes: number; readonly say: (text: string) => void },
): Promise<void> {
  const share = shareOf(minutes)
  const scene: Scene = { town, lasting: (seconds, atLeast = 1) => Math.max(atLeast, seconds * share) }
  const startedMs = realClock.nowMs()
  for (const { at, words, run } of night) {
    await realClock.wait(Math.max(0, startedMs + at * share * 1_000 - realClock.nowMs()))
    say(`> ${clockWords(at)} ${words}`)
    await run(scene).catch((error: unknown) => say(error instanceof Error ? error.message : String(error)))
  }
  say('> the night is over as soon as nothing is open')
  while ((await town.openAlerts()) > 0) await realClock.wait(1_000)
  // What closed last is read by the next poll, and then shown; the API may still be away.
  const deadlineMs = realClock.nowMs() + shownWithinMs
  let tally = await town.tally()
  while ((tally === null || tally.missing > 0) && realClock.nowMs() < deadlineMs) {
    await realClock.wait(1_000)
    tally = await town.tally()
  }
  if (tally === null) return say('The night is over, but the monitoring API does not list its alerts.')
  const { listed, shown, missing, doubled } = tally
  say(`The night is over: ${listed} alerts, ${shown} shown, ${missing} missing, ${doubled} shown twice.`)
}

/** Minutes and seconds of the ten minutes. */
function clockWords(at: number): string {
  return `${Math.floor(at / 60)}:${String(at % 60).padStart(2, '0')}`
}
