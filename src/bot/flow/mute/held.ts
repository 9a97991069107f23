/**
 * Notices that somebody ended the mute of an alert at the Alertmanager: the service, which keeps it, does not list it any more. One
 * list without it proves little, as a silence that was lost is made again: two must show it, minutes apart.
 */
import { isWithin } from '../../domain/base/set-clock.ts'
import { type Mute, subjectsUnder } from '../../domain/mute/mute.ts'
import { isSaid } from '../../domain/mute/switch.ts'
import { attempt } from '../attempt.ts'
import { openWatch, type Watch } from '../concurrency/watch.ts'
import type { Clock, Logger, Monitor } from '../ports/ports.ts'
import type { Store } from '../ports/store.ts'
import { planEnds } from './ends.ts'
import type { Hidden } from './reveal.ts'

const lookEveryMs = 60_000
const missingMs = 5 * 60_000

export function openHeldMutes(ports: {
  readonly store: Pick<Store, 'auditById' | 'cardById' | 'channelsTold' | 'commit' | 'mutes' | 'switchesOf'>
  readonly monitor: Pick<Monitor, 'silences'>
  readonly hidden: Hidden
  readonly clock: Clock
  readonly logger: Logger
  /** When the open alerts were last read; null before the first time. */
  readonly lastPollMs: () => number | null
  readonly onChanged: () => void
}): Watch {
  const { store, monitor, hidden, clock, logger, lastPollMs, onChanged } = ports
  /** By a mute's id, since when no list has had it. */
  const missing = new Map<string, number>()

  async function round(): Promise<number> {
    const mutes = lastPollMs() === null ? [] : await heldMutes()
    const ids = new Set(mutes.map(({ muteId }) => muteId))
    for (const muteId of missing.keys()) if (!ids.has(muteId)) missing.delete(muteId)
    if (mutes.length === 0) return lookEveryMs
    const listed = await attempt(() => monitor.silences())
    if (!listed.ok) return lookEveryMs
    const held = new Set(listed.value.map(({ id }) => id))
    const nowMs = clock.nowMs()
    for (const mute of mutes) {
      const { muteId } = mute
      const sinceMs = missing.get(muteId)
      if (held.has(muteId)) missing.delete(muteId)
      // A time in the future was written before the clock was set back.
      else if (sinceMs === undefined || sinceMs > nowMs) missing.set(muteId, nowMs)
      else if (!isWithin(sinceMs, nowMs, missingMs - 1)) await end(mute)
    }
    return lookEveryMs
  }

  /** Those that the service has confirmed, and that nothing is being told of. */
  async function heldMutes(): Promise<readonly Mute[]> {
    const { mutes } = await store.mutes()
    const confirmed = mutes.filter(
      ({ alert, state, confirmation }) =>
        alert?.isAtService === true && state === 'active' && confirmation === 'confirmed',
    )
    const rows = await store.switchesOf(confirmed.map(({ subject }) => subject))
    const told = new Set(rows.filter((row) => !isSaid(row)).map(({ subject }) => subject))
    return confirmed.filter(({ subject }) => !told.has(subject))
  }

  async function end(mute: Mute): Promise<void> {
    const of = { by: 'elsewhere', userId: null, nowMs: clock.nowMs(), auditId: null, places: [] } as const
    // Stale: somebody changes it at this moment, and the next round reads what came of it.
    if ((await store.commit(await planEnds(ports, [mute], of))) === 'stale') return
    missing.delete(mute.muteId)
    logger.info('mute:ending', { hostname: mute.subject, by: 'elsewhere' })
    await hidden.sweep(subjectsUnder([mute]))
    onChanged()
  }

  return openWatch('mute', { clock, logger }, round)
}
