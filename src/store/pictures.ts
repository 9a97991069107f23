/** Pictures that wait to be fetched and uploaded. */
import type { Kysely } from 'kysely'
import type { PictureJob, PicturePatch, Store } from '../flow/ports.ts'
import { touchCards } from './commit.ts'
import type { Tables } from './schema.ts'

export function pictureStore(db: Kysely<Tables>): Pick<Store, 'nextPicture' | 'settlePicture'> {
  return {
    nextPicture: (nowMs) => nextPicture(db, nowMs),
    settlePicture: (alertId, patch) => settlePicture(db, alertId, patch),
  }
}

// Only for alerts that still show a picture, and whose card is there already: the alert goes first.
async function nextPicture(
  db: Kysely<Tables>,
  nowMs: number,
): Promise<{ job: PictureJob | null; nextMs: number | null }> {
  const row = await db
    .selectFrom('pictures')
    .innerJoin('alerts', 'alerts.alert_id', 'pictures.alert_id')
    .select(['pictures.alert_id', 'attempts', 'file_id', 'not_before_ms', 'sparkline_url'])
    .where('pictures.state', '=', 'wanted')
    .where('alerts.state', 'in', ['open', 'oneoff'])
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('card_alerts')
          .innerJoin('cards', 'cards.card_id', 'card_alerts.card_id')
          .select('cards.card_id')
          .whereRef('card_alerts.alert_id', '=', 'pictures.alert_id')
          .where('cards.state', '=', 'shown')
          .where('cards.kind', '=', 'alert'),
      ),
    )
    .orderBy('not_before_ms')
    .orderBy('pictures.alert_id')
    .limit(1)
    .executeTakeFirst()
  if (!row) return { job: null, nextMs: null }
  if (row.not_before_ms > nowMs) return { job: null, nextMs: row.not_before_ms }
  const { alert_id: alertId, sparkline_url: sparklineUrl, file_id: fileId, attempts } = row
  return { job: { alertId, sparklineUrl, fileId, attempts }, nextMs: null }
}

async function settlePicture(db: Kysely<Tables>, alertId: string, patch: PicturePatch): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await tx
      .updateTable('pictures')
      .set({
        ...(patch.state === undefined ? {} : { state: patch.state }),
        ...(patch.way === undefined ? {} : { way: patch.way }),
        ...(patch.fileId === undefined ? {} : { file_id: patch.fileId }),
        ...(patch.attempts === undefined ? {} : { attempts: patch.attempts }),
        ...(patch.notBeforeMs === undefined ? {} : { not_before_ms: patch.notBeforeMs }),
        ...(patch.why === undefined ? {} : { why: patch.why }),
      })
      .where('alert_id', '=', alertId)
      .execute()
    if (patch.state === 'ready') await touchCards(tx, [alertId])
  })
}
