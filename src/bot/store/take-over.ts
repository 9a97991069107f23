/** What one who begins to lead finds of calls that others made, and what is to be doubted where the database forgot something. */
import { type Kysely, sql, type Transaction } from 'kysely'
import type { Plan } from '../domain/plan.ts'
import type { Store } from '../flow/ports/store.ts'
import { ofKinds } from './card/card-conditions.ts'
import { commit } from './commit.ts'
import { unknownMs } from './late-notes.ts'
import type { Tables } from './open/schema.ts'
import { putFact } from './records/statements.ts'

/** Cards made longer ago were posted long before whatever was forgotten, or never. */
const forgottenMaxMs = 24 * 60 * 60_000
/** For so long may what is made now have been there before. */
const doubtMs = 10 * 60_000
const doubtName = 'doubted'

/** Until when new cards are looked for before they are posted, and from when on. */
type Doubt = { readonly untilMs: number; readonly sinceMs: number }

export function takeOverStore(db: Kysely<Tables>) {
  let doubt: Doubt | null = null

  return {
    commit: (plan) => commit(db, plan, sinceOf(doubt, plan)),
    takeOver: () =>
      db.transaction().execute(async (tx) => {
        const found = await tx
          .selectFrom('facts')
          .select('value')
          .where('name', '=', doubtName)
          .executeTakeFirst()
        doubt = found === undefined ? null : (JSON.parse(found.value) as Doubt)
        // Nobody knows when it was asked: the clocks of two machines may be a day apart.
        await tx
          .updateTable('switches')
          .set({ asked_ms: unknownMs })
          .where('asked_ms', 'is not', null)
          .execute()
        const rows = await tx
          .updateTable('cards')
          .set((eb) => ({ call_ms: null, wanted: eb('wanted', '+', 1) }))
          .where('call_ms', 'is not', null)
          .returning('card_id')
          .execute()
        return rows.map(({ card_id }) => card_id)
      }),
    doubtMemory: async (nowMs) => {
      doubt = await db.transaction().execute(async (tx) => {
        const made = { untilMs: nowMs + doubtMs, sinceMs: await rememberedMs(tx, nowMs) }
        await doubtCards(tx, made.sinceMs, nowMs)
        await tx
          .updateTable('switches')
          .set((eb) => ({ doubt_ms: unknownMs, not_before_ms: 0, version: eb('version', '+', 1) }))
          .where('subject', 'in', tx.selectFrom('mutes').select('subject').where('state', '=', 'active'))
          .execute()
        await putFact(tx, { name: doubtName, value: JSON.stringify(made) })
        return made
      })
    },
  } satisfies Partial<Store>
}

/** From when on what this plan makes is looked for; null: it is new for certain. */
function sinceOf(doubt: Doubt | null, { atMs }: Plan): number | null {
  if (doubt === null) return null
  // A clock that was set back since must not prolong it.
  const leftMs = doubt.untilMs - atMs
  return leftMs > 0 && leftMs <= doubtMs ? Math.min(doubt.sinceMs, atMs) : null
}

/** A moment before anything that was forgotten. */
async function rememberedMs(tx: Transaction<Tables>, nowMs: number): Promise<number> {
  const row = await tx.selectFrom('facts').select('value').where('name', '=', 'polledMs').executeTakeFirst()
  const polledMs = Number(row?.value || 0)
  return Math.min(nowMs, Math.max(polledMs, nowMs - forgottenMaxMs))
}

async function doubtCards(tx: Transaction<Tables>, sinceMs: number, nowMs: number): Promise<void> {
  await tx
    .updateTable('cards')
    .set((eb) => ({
      state: 'unknown',
      not_before_ms: 0,
      // It may have been posted, but not by a call of just now: one look is enough.
      sending_ms: eb.case().when('state', '=', 'sending').then(eb.ref('sending_ms')).else(null).end(),
      first_sending_ms: sql<number>`case when first_sending_ms < ${sinceMs} then first_sending_ms else ${sinceMs} end`,
    }))
    .where('ts', 'is', null)
    .where('state', 'in', ['wanted', 'sending'])
    .where('created_ms', '>', nowMs - forgottenMaxMs)
    .execute()
  // What Slack shows may be newer than what is remembered.
  await tx
    .updateTable('cards')
    .set((eb) => ({ wanted: eb('wanted', '+', 1) }))
    .where('state', '=', 'shown')
    .where((eb) => eb.or([isOpen, ofKinds(({ isPermanent }) => isPermanent)]))
    .execute()
}

const isOpen = sql<boolean>`exists (
  select 1 from card_alerts join alerts on alerts.alert_id = card_alerts.alert_id
  where card_alerts.card_id = cards.card_id and alerts.state = 'open'
)`
