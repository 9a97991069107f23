/** What the pager is told: a row a page, whose content is JSON. */
import { type Kysely, sql, type Transaction } from 'kysely'
import { jsonOf } from '../../domain/base/storable.ts'
import type { CardPage } from '../../domain/card/kinds.ts'
import type { Page, PageDelivery } from '../../domain/page/page.ts'
import type { Plan } from '../../domain/plan.ts'
import type { Store } from '../../flow/ports/store.ts'
import type { Tables } from '../open/schema.ts'
import { rowsOf, StalePlan } from '../records/statements.ts'
import { sqlOf } from '../sql/words.ts'

export function pageStore(db: Kysely<Tables>) {
  return {
    livePages: () => livePages(db),
    pagesByKey: async (keys) => {
      const asked = db.selectFrom('pages').select('page')
      const rows = await rowsOf(db, keys, (some) => asked.where('page_key', 'in', some).execute())
      return rows.map(toPage)
    },
  } satisfies Partial<Store>
}

async function livePages(db: Kysely<Tables>): Promise<readonly Page[]> {
  const asked = db.selectFrom('pages').select('page').where('live', '=', 1)
  const rows = await asked.orderBy('at_ms').orderBy('page_key').execute()
  return rows.map(toPage)
}

function toPage({ page }: { readonly page: string }): Page {
  // What was written before deliveries were kept has none.
  const read = JSON.parse(page) as Omit<Page, 'deliveries'> & Partial<Page>
  return { ...read, deliveries: read.deliveries ?? [] }
}

/** What the pager was asked about these alerts, earliest first. Reads every page: for what is asked seldom. */
export async function deliveriesAbout(
  db: Kysely<Tables>,
  alertIds: readonly string[],
): Promise<readonly PageDelivery[]> {
  const { listed, textsIn } = sqlOf(db)
  const rows = await db
    .selectFrom('pages')
    .select('page')
    .where(sql<boolean>`exists (
      select 1 from ${textsIn('pages.page', 'deliveries', 'alertIds')} as paged
      where paged.value in ${listed(alertIds)}
    )`)
    .execute()
  const wanted = new Set(alertIds)
  return rows
    .flatMap((row) => toPage(row).deliveries)
    .filter((delivery) => delivery.alertIds.some((alertId) => wanted.has(alertId)))
    .toSorted((a, b) => a.askedMs - b.askedMs)
}

/** What a card says of paging for these alerts; nothing where nobody was called for any of them. */
export async function pageOn(
  db: Kysely<Tables>,
  alertIds: readonly string[],
): Promise<{ readonly page?: CardPage }> {
  const live = await livePages(db)
  if (live.length === 0) return {}
  const wanted = new Set(alertIds)
  const found = live.filter((page) => page.isRinging && page.alertIds.some((alertId) => wanted.has(alertId)))
  if (found.length === 0) return {}
  const toldMs = found.reduce<number | null>(
    (last, page) => Math.max(last ?? 0, page.toldMs ?? 0) || null,
    null,
  )
  return { page: { toldMs, isFailing: found.some(({ failure }) => failure !== null) } }
}

export async function writePages(tx: Transaction<Tables>, { pages, atMs }: Plan): Promise<void> {
  for (const { page, was } of pages) {
    const live = page.isRinging || page.events.length > 0 ? 1 : 0
    const row = { live, at_ms: atMs, page: jsonOf(page), version: page.version }
    const written =
      was === null
        ? await tx
            .insertInto('pages')
            .values({ page_key: page.key, ...row })
            .onConflict((conflict) => conflict.doNothing())
            .executeTakeFirst()
            .then(({ numInsertedOrUpdatedRows }) => numInsertedOrUpdatedRows)
        : await tx
            .updateTable('pages')
            .set(row)
            .where('page_key', '=', page.key)
            .where('version', '=', was)
            .executeTakeFirst()
            .then(({ numUpdatedRows }) => numUpdatedRows)
    if (Number(written) !== 1) throw new StalePlan()
  }
}
