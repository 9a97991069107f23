/** A history of one night, made from a seed: what happens in the monitoring, what people do, and what goes wrong. */
import { type Chance, chanceOf } from '../worlds/chance.ts'

const second = 1000
const minute = 60 * second

export const channels = ['C0', 'C1', 'C2']
export const hosts = ['web-1', 'web-2', 'db-1', 'cache-1']
const troubles = ['cpu', 'disk', 'mail']
export const people = ['UANA', 'UBEN']

export type Happening =
  | {
      readonly does: 'open'
      readonly number: string
      readonly host: string
      readonly plugin: string
      readonly isCritical: boolean
    }
  | { readonly does: 'close' | 'vanish' | 'worsen'; readonly number: string }
  | { readonly does: 'take' | 'hand back'; readonly number: string; readonly by: string }
  | { readonly does: 'snooze'; readonly number: string; readonly by: string; readonly forMs: number }
  | { readonly does: 'mute'; readonly subject: string; readonly forMs: number | null; readonly by: string }
  | { readonly does: 'unmute'; readonly subject: string }
  | { readonly does: 'kill'; readonly forMs: number }
  | { readonly does: 'depose' }
  | {
      readonly does: 'rough slack' | 'rough monitoring' | 'rough disk'
      readonly share: number
      readonly forMs: number
    }
  | { readonly does: 'no slack' | 'no monitoring' | 'no disk' | 'no token'; readonly forMs: number }
  | { readonly does: 'archive' | 'kick' | 'lock'; readonly channel: string; readonly forMs: number }
  | { readonly does: 'delete message' | 'forge'; readonly nth: number }
  | { readonly does: 'route'; readonly nth: number }
export type Moment = Happening & { readonly atMs: number }

/** Nothing goes wrong for longer than this. */
export const troubleMaxMs = 12 * minute
const longMs = 25 * minute

/** `only` keeps what goes wrong and what people do to these; alerts always open. */
export function historyOf(seed: number, only?: readonly Happening['does'][]): Moment[] {
  const chance = chanceOf(seed)
  const moments: Moment[] = []
  const numbers: string[] = []
  let atMs = 0
  const add = (happening: Happening) => moments.push({ ...happening, atMs })
  const open = (host: string, plugin: string) => {
    const number = String(1001 + numbers.length)
    numbers.push(number)
    add({ does: 'open', number, host, plugin, isCritical: chance.isHit(0.25) })
  }
  const length = chance.int(6, 45)
  for (let left = length; left > 0; left -= 1) {
    // What goes wrong goes wrong while something is under way.
    atMs += chance.isHit(0.5) ? chance.int(0, 400) : chance.int(second, (2 * longMs) / length)
    if (chance.isHit(only === undefined ? 0.4 : 0.15)) open(chance.of(hosts), chance.of(troubles))
    else if (chance.isHit(0.05)) for (let i = chance.int(4, 14); i > 0; i -= 1) open(`host-${i}`, 'cpu')
    else if (numbers.length > 0) add(happeningOf(chance, numbers, only))
  }
  return moments
}

function happeningOf(chance: Chance, numbers: readonly string[], only?: readonly string[]): Happening {
  const number = chance.of(numbers)
  const by = chance.of(people)
  const channel = chance.of(channels)
  const forMs = chance.isHit(0.5) ? chance.int(second, 20 * second) : chance.int(20 * second, 4 * minute)
  // Where little happens it happens to the same.
  const muted = only === undefined ? hosts : hosts.slice(0, 1)
  const subject = chance.isHit(0.15) ? 'account' : `server:${chance.of(muted)}`
  const kinds: (() => Happening)[] = [
    () => ({ does: 'close', number }),
    () => ({ does: 'close', number }),
    () => ({ does: 'close', number }),
    () => ({ does: 'vanish', number }),
    () => ({ does: 'worsen', number }),
    () => ({ does: 'take', number, by }),
    () => ({ does: 'take', number, by }),
    () => ({ does: 'hand back', number, by }),
    () => ({ does: 'snooze', number, by, forMs: chance.int(minute, 12 * minute) }),
    () => ({ does: 'mute', subject, forMs: chance.isHit(0.3) ? null : chance.int(minute, 12 * minute), by }),
    () => ({ does: 'mute', subject, forMs: chance.int(minute, 12 * minute), by }),
    () => ({ does: 'unmute', subject }),
    () => ({ does: 'unmute', subject }),
    () => ({ does: 'kill', forMs: chance.of([0, 100, 2000, 90_000]) }),
    () => ({ does: 'kill', forMs: chance.of([0, 100, 2000, 90_000]) }),
    () => ({ does: 'kill', forMs: 0 }),
    () => ({ does: 'depose' }),
    () => ({ does: 'rough slack', share: chance.of([0.2, 0.5, 0.9]), forMs }),
    () => ({ does: 'rough slack', share: chance.of([0.2, 0.5, 0.9]), forMs }),
    () => ({ does: 'rough slack', share: 0.5, forMs }),
    () => ({ does: 'rough monitoring', share: chance.of([0.3, 0.8]), forMs }),
    () => ({ does: 'rough monitoring', share: chance.of([0.3, 0.8]), forMs }),
    () => ({ does: 'rough disk', share: 0.5, forMs }),
    () => ({ does: 'no slack', forMs }),
    () => ({ does: 'no monitoring', forMs }),
    () => ({ does: 'no disk', forMs }),
    () => ({ does: 'no token', forMs }),
    () => ({ does: chance.of(['archive', 'kick', 'lock'] as const), channel, forMs: 3 * forMs }),
    () => ({ does: 'delete message', nth: chance.int(0, 20) }),
    () => ({ does: 'forge', nth: chance.int(0, 20) }),
    () => ({ does: 'route', nth: chance.int(0, 3) }),
  ]
  for (;;) {
    const happening = chance.of(kinds)()
    if (only === undefined || only.includes(happening.does)) return happening
  }
}

/** Leaves out what the failure does not need, in halves and then one by one. */
export async function shortened(
  moments: readonly Moment[],
  fails: (moments: readonly Moment[]) => Promise<boolean>,
): Promise<readonly Moment[]> {
  let kept = moments
  for (let size = Math.ceil(kept.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = 0; from < kept.length; ) {
      const without = [...kept.slice(0, from), ...kept.slice(from + size)]
      if (await fails(without)) kept = without
      else from += size
    }
  }
  return kept
}

export function told(moments: readonly Moment[]): string {
  return moments
    .map(({ atMs, ...rest }) => `${(atMs / 1000).toFixed(1)} s ${JSON.stringify(rest)}`)
    .join('\n')
}
