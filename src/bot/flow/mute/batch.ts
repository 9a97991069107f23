/**
 * Mute, unmute and undo of any number of servers, the account being one more: in slices, each under its locks, with its rows
 * on disk before the API is asked and one commit of what came of it.
 */
import { failsForAll, mayHaveBeenDone } from '../../domain/base/failure.ts'
import { type Stray, strayOf } from '../../domain/mute/stray.ts'
import { mutedServersMax } from '../../domain/mute/wide.ts'
import { type Attempt, attempt } from '../attempt.ts'
import { holdAll, type Lock } from '../concurrency/lock.ts'
import { within } from '../concurrency/within.ts'
import type { Clock, Monitor } from '../ports/ports.ts'
import type { Store } from '../ports/store.ts'

/** As many as can be named at once, so that only a storm has several; a person who changes one of a slice waits for all of it. */
const sliceSize = mutedServersMax
/** How many calls are under way at the same time, so that one that hangs does not hold up the others. */
const lanesMax = 4
const writtenWithinMs = 1_000

/** The name under which changes of one subject's mute wait for each other. */
export function lockName(hostname: string | null): string {
  return hostname ?? 'account'
}

/** In their order, until `work` answers `stop` for a slice. Those that were not begun are the answer. */
export async function inSlices<Hostname extends string | null>(
  lock: Lock,
  hostnames: readonly Hostname[],
  work: (slice: readonly Hostname[]) => Promise<'go_on' | 'stop'>,
): Promise<readonly Hostname[]> {
  for (let from = 0; from < hostnames.length; from += sliceSize) {
    const slice = hostnames.slice(from, from + sliceSize)
    const next = await holdAll(lock, slice.map(lockName), () => work(slice))
    if (next === 'stop') return hostnames.slice(from + sliceSize)
  }
  return []
}

/** The API's answer to one; null: it was not asked, as it had failed for another in a way that it does for all. */
export type Answered<Ask> = { readonly ask: Ask; readonly answer: Attempt<string> | null }

/**
 * Asks the API for each of them, a few at a time. Usually gives all answers at once; while one call hangs, it gives those that
 * are there every second, so that they can be written down.
 */
export async function* switchEach<Ask extends SwitchAsk>(
  ports: SwitchPorts,
  asks: readonly Ask[],
): AsyncGenerator<readonly Answered<Ask>[]> {
  const answered: Answered<Ask>[] = []
  const asking = askInLanes(ports, asks, answered)
  for (let isOver = false; !isOver; ) {
    isOver = (await within(ports.clock, writtenWithinMs, asking)) !== 'late'
    if (answered.length > 0) yield answered.splice(0)
  }
}

/** Throws what the first lane that broke threw, once all lanes are done. */
async function askInLanes<Ask extends SwitchAsk>(
  ports: SwitchPorts,
  asks: readonly Ask[],
  answered: Answered<Ask>[],
): Promise<void> {
  const waiting = [...asks]
  const lane = async () => {
    for (let ask = waiting.shift(); ask !== undefined; ask = waiting.shift()) {
      const next = ask
      const answer = await attempt(() => switchNotifications(ports, next))
      answered.push({ ask, answer })
      if (answer.ok || !failsForAll(answer.failure)) continue
      for (const left of waiting.splice(0)) answered.push({ ask: left, answer: null })
    }
  }
  const lanes = await Promise.allSettled(Array.from({ length: lanesMax }, lane))
  for (const came of lanes) if (came.status === 'rejected') throw came.reason
}

export type SwitchPorts = {
  readonly monitor: Pick<Monitor, 'setServerNotifications' | 'setAccountNotifications'>
  readonly store: Pick<Store, 'strays' | 'noteStray' | 'dropStray'>
  readonly clock: Clock
}

/**
 * `isOnDisk`: a row says that it is being asked, so that a crash meanwhile is noticed by the next start; else a stray says so
 * for as long as it is.
 */
export type SwitchAsk = Pick<Stray, 'hostname' | 'on' | 'muteId'> & { readonly isOnDisk: boolean }

/**
 * Switches notifications at the API, and remembers each request that may be carried out although no clear answer came. Answers as
 * the API does, or throws its failure. The caller holds the subject's lock.
 */
export async function switchNotifications(
  { monitor, store, clock }: SwitchPorts,
  ask: SwitchAsk,
): Promise<string> {
  const { hostname, on, isOnDisk } = ask
  const before = isOnDisk ? null : await strayFor(ask, store)
  if (!isOnDisk) await store.noteStray(strayOf(ask, clock.nowMs()))
  const came = await attempt(() =>
    hostname === null ? monitor.setAccountNotifications(on) : monitor.setServerNotifications(hostname, on),
  )
  if (!came.ok && mayHaveBeenDone(came.failure)) await store.noteStray(strayOf(ask, clock.nowMs()))
  else if (before !== null) await store.noteStray(before)
  else if (!isOnDisk) await store.dropStray(ask)
  if (!came.ok) throw came.failure
  return came.value
}

export async function strayFor(
  of: Pick<Stray, 'hostname' | 'on'>,
  store: Pick<Store, 'strays'>,
): Promise<Stray | null> {
  const found = (await store.strays()).find(({ hostname, on }) => hostname === of.hostname && on === of.on)
  return found ?? null
}
