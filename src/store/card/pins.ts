/** Which of a board's messages was pinned: once that has been done, the pin is people's to take away. */
import type { Kysely } from 'kysely'
import type { Store } from '../../flow/ports/store.ts'
import type { Tables } from '../open/schema.ts'

const prefix = 'pin '

export function pinStore(db: Kysely<Tables>): Pick<Store, 'pins' | 'notePin'> {
  return {
    pins: async () => {
      const rows = await db.selectFrom('facts').selectAll().where('name', 'like', `${prefix}%`).execute()
      return new Map(rows.map(({ name, value }) => [name.slice(prefix.length), value]))
    },
    notePin: async (cardId, ts) => {
      await db
        .insertInto('facts')
        .values({ name: `${prefix}${cardId}`, value: ts })
        .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: ts }))
        .execute()
    },
  }
}
