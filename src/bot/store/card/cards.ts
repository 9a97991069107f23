/**
 * Reads and writes the delivery of cards: the outcome of showing one, and how many wait, failed or were interrupted. Their order
 * is in `queue.ts`.
 */
import { type Kysely, sql } from 'kysely'
import type { CardState, DeliveryPatch } from '../../domain/delivery/delivery.ts'
import type { PostClaim, UpdateClaim } from '../../flow/ports/card-store.ts'
import type { Store } from '../../flow/ports/store.ts'
import type { Tables } from '../open/schema.ts'
import { fromDeliveryPatch } from '../records/rows.ts'
import { isMissed, isNotPermanent, ofKinds, revived } from './card-conditions.ts'
import { claimStore, isStill } from './claims.ts'
import { copyStore } from './copies.ts'
import { forgetReplies, writePosted } from './picture-replies.ts'
import { due, isOfAlert, nextJob, waits } from './queue.ts'

export function cardStore(db: Kysely<Tables>) {
  return {
    ...claimStore(db),
    ...copyStore(db),
    retryDead: async () => {
      const result = await db
        .updateTable('cards')
        .set({
          ...revived,
          shown: sql`case when ts is null or shown < wanted then shown else wanted - 1 end`,
        })
        .where('state', '=', 'dead')
        .where(isMissed)
        .executeTakeFirst()
      return Number(result.numUpdatedRows)
    },
    countUnshown: async () => {
      const dead = db
        .selectFrom('cards')
        .select(db.fn.countAll<number>().as('count'))
        .where('state', '=', 'dead')
      return (await dead.where(isMissed).executeTakeFirstOrThrow()).count
    },
    reopen: async (channel) => {
      await db
        .updateTable('cards')
        .set({ not_before_ms: 0 })
        .where('channel', '=', channel)
        .where('not_before_ms', '>', 0)
        .where(waits)
        .execute()
    },
    due: (nowMs, tasks) => due(db, nowMs, tasks),
    nextJob: (which, nowMs, tasks, turn) => nextJob(db, which, nowMs, tasks, turn),
    settle: (cardId, patch, from, fileId) => settle(db, cardId, patch, from, fileId),
    detach: async (cardId) => {
      await db
        .updateTable('cards')
        .set((eb) => ({ subject_id: eb.fn.coalesce('subject_id', 'parent_id'), parent_id: null }))
        .where('card_id', '=', cardId)
        .execute()
    },
    detachNotes: async (cardId) => {
      await db
        .updateTable('cards')
        .set({ parent_id: null, ...revived })
        .where('parent_id', '=', cardId)
        .where('kind', '=', 'note')
        .where('ts', 'is', null)
        .where('state', 'in', ['wanted', 'dead'])
        .execute()
    },
    dropUnsent: async (cardId) => {
      await db
        .deleteFrom('cards')
        .where('card_id', '=', cardId)
        .where('state', '=', 'wanted')
        .where('first_sending_ms', 'is', null)
        .execute()
    },
    waitingCards: async () => {
      const rows = await db
        .selectFrom('cards')
        .select(['card_id', 'channel', 'shown'])
        .where(isNotPermanent)
        .where(ofKinds(({ post }) => post !== 'picture'))
        .where(sql<boolean>`(state in ('wanted', 'sending', 'unknown')
          or (state = 'shown' and shown < wanted and (not ${isOfAlert} or shown < moved)))`)
        .execute()
      return rows.map(({ card_id, channel, shown }) => ({ cardId: card_id, channel, shown }))
    },
    countCards: async () => {
      const isBehind = sql<number>`sum(case when state in ('wanted', 'sending', 'unknown') or (state = 'shown' and shown < wanted) then 1 else 0 end)`
      const rows = await db
        .selectFrom('cards')
        .select(['state', 'channel', db.fn.countAll<number>().as('count'), isBehind.as('behind')])
        .groupBy(['state', 'channel'])
        .execute()
      const behind = rows.filter((row) => row.behind > 0)
      return {
        byState: sums(rows.map((row) => [row.state as CardState, row.count])),
        behind: behind.reduce((sum, row) => sum + row.behind, 0),
        behindIn: sums(behind.map((row) => [row.channel, row.behind])),
      }
    },
  } satisfies Partial<Store>
}

function sums<Key>(counts: readonly (readonly [Key, number])[]): ReadonlyMap<Key, number> {
  const all = new Map<Key, number>()
  for (const [key, count] of counts) all.set(key, (all.get(key) ?? 0) + count)
  return all
}

async function settle(
  db: Kysely<Tables>,
  cardId: string,
  patch: DeliveryPatch,
  from?: CardState | PostClaim | UpdateClaim,
  fileId?: string,
): Promise<boolean> {
  const isAlone = fileId === undefined && patch.state !== 'dead' && patch.ts !== null
  if (isAlone) return patched(db, cardId, patch, from)
  return db.transaction().execute(async (tx) => {
    if (!(await patched(tx, cardId, patch, from))) return false
    if (fileId !== undefined) await writePosted(tx, cardId, fileId)
    if (patch.state === 'dead') {
      // Its thread may be gone. Only an update of the thread's root shows that, and then everything in it is posted again.
      await tx
        .updateTable('cards')
        .set((eb) => ({ wanted: eb('wanted', '+', 1) }))
        .where('state', '=', 'shown')
        .whereRef('shown', '>=', 'wanted')
        .where('card_id', '=', (eb) =>
          eb.selectFrom('cards as dead').select('dead.parent_id').where('dead.card_id', '=', cardId),
        )
        .execute()
    }
    if (patch.ts !== null) return true
    await forgetReplies(tx, cardId)
    // The message is gone with its thread: the replies are posted again, except those that are shown in the channel too.
    await tx
      .updateTable('cards')
      .set({ state: 'wanted', ts: null, shown: 0, not_before_ms: 0 })
      .where('parent_id', '=', cardId)
      .where((eb) => eb.or([eb('ts', 'is', null), ofKinds(({ isBroadcast }) => !isBroadcast)]))
      .execute()
    return true
  })
}

async function patched(
  db: Kysely<Tables>,
  cardId: string,
  patch: DeliveryPatch,
  from?: CardState | PostClaim | UpdateClaim,
): Promise<boolean> {
  const over = typeof from === 'object' && 'callMs' in from ? { call_ms: null } : {}
  const row = { ...fromDeliveryPatch(patch), ...over }
  const card = db.updateTable('cards').set(row).where('card_id', '=', cardId)
  const result = await (from === undefined ? card : card.where(isStill(from))).executeTakeFirst()
  return Number(result.numUpdatedRows) > 0
}
