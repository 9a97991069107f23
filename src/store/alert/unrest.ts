/** What a shift was disturbed by: storms, and alerts that came again and again. */
import type { Kysely } from 'kysely'
import type { Handoff } from '../../domain/request/answer.ts'
import type { Tables } from '../open/schema.ts'

/** Opened as often as this in a shift, an alert flaps. */
const flapsMin = 3
const listedMax = 20

export async function unrest(
  db: Kysely<Tables>,
  sinceMs: number,
): Promise<Pick<Handoff, 'storms' | 'flaps'>> {
  // One storm may have a card in several channels: they were made at once, and may share alerts.
  const storms = await db
    .selectFrom('cards')
    .innerJoin('card_alerts', 'card_alerts.card_id', 'cards.card_id')
    .innerJoin('alerts', 'alerts.alert_id', 'card_alerts.alert_id')
    .select((eb) => [
      'cards.created_ms as atMs',
      eb.fn.count<number>('alerts.alert_id').distinct().as('alerts'),
      eb.fn.count<number>('alerts.alert_id').distinct().filterWhere('alerts.state', '=', 'open').as('open'),
    ])
    .where('cards.kind', '=', 'storm')
    .where('cards.created_ms', '>=', sinceMs)
    .groupBy('cards.created_ms')
    .orderBy('cards.created_ms', 'desc')
    .limit(listedMax)
    .execute()
  const flaps = await db
    .selectFrom('alerts')
    .select((eb) => [
      eb.fn.max('server_name').as('shown'),
      'hostname',
      'plugin',
      eb.fn.countAll<number>().as('times'),
    ])
    .where('started_ms', '>=', sinceMs)
    .where('state', '!=', 'oneoff')
    .groupBy(['hostname', 'plugin', 'metric'])
    .having((eb) => eb.fn.countAll<number>(), '>=', flapsMin)
    .orderBy('times', 'desc')
    .orderBy('hostname')
    .limit(listedMax)
    .execute()
  return {
    storms,
    flaps: flaps.map(({ shown, hostname, plugin, times }) => ({
      server: shown === '' ? hostname : shown,
      plugin,
      times,
    })),
  }
}
