/** What happens in the town of the week between two polls, as a seed decides: alerts, storms, absences, and people. */
import type { Chance } from '../kills/chance.ts'
import type { Subject, WeekApi } from './api.ts'
import { hosts } from './hosts.ts'

/** How the town is; shares are of the time between two polls. */
export type Town = {
  /** On the farm of test servers, in one poll; each is open for a poll or a few. */
  readonly labAlerts: number
  readonly alertShare: number
  /** Opened and closed again before the next poll. */
  readonly passingShare: number
  readonly oneoffShare: number
  readonly flapping: number
  readonly stormEverySteps: number
  readonly stormAlertsMax: number
  /** The open list leaves a few out, though they are open. */
  readonly leftOutShare: number
  readonly awayEverySteps: number
  /** Lengths of time for which the API does not answer, in polls. */
  readonly awaySteps: readonly number[]
}

export const busyTown: Town = {
  labAlerts: 12,
  alertShare: 0.55,
  passingShare: 0.04,
  oneoffShare: 0.02,
  flapping: 3,
  stormEverySteps: 1_500,
  stormAlertsMax: 200,
  leftOutShare: 0.25,
  awayEverySteps: 2_000,
  // The longest is an absence that the bot catches up on.
  awaySteps: [4, 20, 40, 160],
}

const stepsAnHour = 240
const plugins = ['CPU', 'Memory', 'Disk', 'Load Average', 'Network', 'Postgres', 'Queue', 'Mail'] as const

export type Life = {
  /** Everything that happens until the next poll. */
  step(): void
}

export function openLife(api: WeekApi, chance: Chance, town: Town): Life {
  const closings = new Map<number, string[]>()
  const flappers: { subject: Subject; untilStep: number; nextStep: number }[] = []
  let now = 0
  let awayUntil = 0

  function subject(roles: readonly (keyof typeof hosts)[]): Subject {
    const role = chance.any(roles) ?? 'web'
    const hostname = chance.any<string>(hosts[role]) ?? 'web-1'
    return { hostname, plugin: chance.of(plugins), metric: `m${chance.below(6)}` }
  }

  function opens(of: Subject, steps: number): void {
    const alertId = api.open(of)
    closings.set(now + steps, [...(closings.get(now + steps) ?? []), alertId])
  }

  /** From one poll to eight hours; most are over within minutes. */
  function length(): number {
    const longest = chance.is(0.01) ? 8 * stepsAnHour : stepsAnHour / 2
    return Math.max(1, Math.round(longest ** chance.next()))
  }

  const visible = ['web', 'db', 'job'] as const

  function flap(): void {
    if (flappers.length < town.flapping && chance.is(0.02)) {
      flappers.push({ subject: subject(visible), untilStep: now + stepsAnHour, nextStep: now })
    }
    for (const flapper of flappers.filter(({ nextStep }) => nextStep <= now)) {
      const steps = 1 + chance.below(4)
      opens(flapper.subject, steps)
      flapper.nextStep = now + steps + 1 + chance.below(4)
    }
    const over = flappers.findIndex(({ untilStep }) => untilStep <= now)
    if (over >= 0) flappers.splice(over, 1)
  }

  function storm(): void {
    const role = chance.of(visible)
    for (let left = 20 + chance.below(town.stormAlertsMax - 20); left > 0; left -= 1) {
      opens(subject([role]), 8 + chance.below(stepsAnHour))
    }
  }

  return {
    step: () => {
      now += 1
      for (const alertId of closings.get(now) ?? []) api.close(alertId)
      closings.delete(now)
      for (let n = 0; n < town.labAlerts; n += 1) opens(subject(['lab']), 1 + chance.below(3))
      if (chance.is(town.alertShare)) opens(subject(visible), length())
      if (chance.is(town.passingShare)) api.close(api.open(subject(visible)))
      if (chance.is(town.oneoffShare)) api.oneoff(subject(visible))
      flap()
      if (now % town.stormEverySteps === 0) storm()
      if (chance.is(town.leftOutShare)) {
        const some = [1, 2, 3].flatMap(() => chance.any(api.openIds()) ?? [])
        api.leaveOut(some, chance.is(0.05) ? 3 : 1)
      }
      if (now % town.awayEverySteps === 0) awayUntil = now + (chance.any(town.awaySteps) ?? 0)
      api.setAway(now < awayUntil)
    },
  }
}
