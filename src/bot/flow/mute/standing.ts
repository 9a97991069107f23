/** Whether mutes are still as somebody was told. */
import type { Mute } from '../../domain/mute/mute.ts'
import { isSameTerms } from '../../domain/mute/transitions.ts'
import type { Lock } from '../concurrency/lock.ts'
import type { Store } from '../ports/store.ts'
import { lockName } from './batch.ts'

export type IsStanding = (told: readonly Mute[]) => Promise<boolean>

/** A change that is under way counts: it is waited for. */
export function openStanding({
  store,
  lock,
}: {
  readonly store: Pick<Store, 'muteById'>
  readonly lock: Lock
}): IsStanding {
  return async (told) => {
    for (const mute of told) {
      const now = await lock.hold(lockName(mute.hostname), () => store.muteById(mute.muteId))
      if (now?.state !== 'active' || now.termsMs !== mute.termsMs || !isSameTerms(now, mute)) return false
    }
    return true
  }
}
