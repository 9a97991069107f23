/** Asks before a mute: what it would do is shown, and kept, so that what is confirmed can be held to it. */

import { type Difference, markOf } from '../../domain/mute/shown.ts'
import type { Receipt } from '../../domain/request/reply.ts'
import type { Acted, ActionContext, ActPorts } from './context.ts'

/** `difference`: it was confirmed already, but not as it is now. */
export async function askToMute(
  { store, clock, ids }: Pick<ActPorts, 'store' | 'clock' | 'ids'>,
  { request }: ActionContext,
  receipt: Receipt,
  difference?: Difference,
): Promise<Acted> {
  const { servers, open, others, change } = receipt
  const shown = { servers, open, mutes: others.map(markOf) }
  const pendingId = ids.make()
  const atMs = clock.nowMs()
  await store.keepPending({ pendingId, userId: request.userId, change: { ...change, shown }, atMs })
  return {
    reply: { kind: 'confirm', receipt, pendingId, ...(difference === undefined ? {} : { difference }) },
    row: difference === undefined ? null : { outcome: 'nothing', why: 'changed' },
  }
}
