/** Alerts and ends are found by the number that the API gave them: it gives one to several, one after the other. */
import { type Kysely, sql } from 'kysely'

export async function numbers(db: Kysely<unknown>): Promise<void> {
  for (const [table, id] of [
    ['alerts', 'alert_id'],
    ['ends', 'end_id'],
  ] as const) {
    await db.schema
      .alterTable(table)
      .addColumn('number', 'text', (column) => column.notNull().defaultTo(''))
      .execute()
    // Until now each key was a number.
    await sql`update ${sql.table(table)} set number = ${sql.ref(id)}`.execute(db)
    await db.schema.createIndex(`${table}_by_number`).on(table).column('number').execute()
  }
}
