/** Markers to be placed: each once, and not before the message that it links to exists. */
import type { Kysely, Transaction } from 'kysely'
import { remainingMs } from '../../domain/base/set-clock.ts'
import { markerWaitMaxMs } from '../../domain/mute/marker.ts'
import type { Plan } from '../../domain/plan.ts'
import type { Store } from '../../flow/ports/store.ts'
import { placeOf } from '../card/places.ts'
import type { Tables } from '../open/schema.ts'
import { believed } from '../records/statements.ts'

export function markerStore(db: Kysely<Tables>) {
  return {
    nextMarker: (nowMs) => nextMarker(db, nowMs),
    settleMarker: async (markerId, { notBeforeMs, ...same }) => {
      const row = { ...same, ...(notBeforeMs === undefined ? {} : { not_before_ms: notBeforeMs }) }
      if (Object.keys(row).length === 0) return
      await db.updateTable('markers').set(row).where('marker_id', '=', markerId).execute()
    },
    recoverMarkers: async () => {
      const result = await db
        .updateTable('markers')
        .set({ state: 'unknown', why: 'interrupted' })
        .where('state', '=', 'sending')
        .executeTakeFirst()
      return Number(result.numUpdatedRows)
    },
  } satisfies Partial<Store>
}

async function nextMarker(db: Kysely<Tables>, nowMs: number): ReturnType<Store['nextMarker']> {
  const row = await db
    .selectFrom('markers')
    .leftJoin('cards', 'cards.card_id', 'markers.card_id')
    .selectAll('markers')
    .where('markers.state', '=', 'wanted')
    // One without a card waits for nothing, and one whose card will never be shown goes out without its link.
    .where((eb) => eb.or([eb('cards.card_id', 'is', null), eb('cards.state', 'in', ['shown', 'dead'])]))
    .orderBy(believed('markers.not_before_ms', nowMs, markerWaitMaxMs))
    .orderBy('markers.created_ms')
    .orderBy('markers.marker_id')
    .limit(1)
    .executeTakeFirst()
  if (row === undefined) return { job: null, nextMs: null }
  const waitMs = remainingMs(row.not_before_ms, nowMs, markerWaitMaxMs)
  if (waitMs > 0) return { job: null, nextMs: nowMs + waitMs }
  const { marker_id: markerId, text, card_id: cardId, attempts, created_ms: createdMs } = row
  const card = cardId === null ? null : await placeOf(db, cardId)
  return { job: { markerId, text, card, attempts, createdMs }, nextMs: null }
}

export async function writeMarkers(tx: Transaction<Tables>, plan: Plan): Promise<void> {
  const wanted = { created_ms: plan.atMs, state: 'wanted', attempts: 0, not_before_ms: 0, why: null }
  for (const { markerId, text, cardId } of plan.markers) {
    await tx
      .insertInto('markers')
      .values({ marker_id: markerId, text, card_id: cardId, ...wanted })
      .execute()
  }
}
