/** Switches notifications at the API, and remembers each request that may be carried out although no clear answer came. */
import { mayHaveBeenDone } from '../../domain/base/failure.ts'
import { type Stray, strayOf } from '../../domain/mute/stray.ts'
import { attempt } from '../attempt.ts'
import type { Clock, Monitor } from '../ports/ports.ts'
import type { Store } from '../ports/store.ts'

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

/** Answers as the API does, or throws its failure. The caller holds the subject's lock. */
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
