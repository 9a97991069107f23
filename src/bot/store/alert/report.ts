/**
 * Counts for the report (what opened and closed, where, when, how long it took), and the storms and flapping alerts for a
 * handoff.
 */
import { type Kysely, sql } from 'kysely'
import type { Count, Handoff } from '../../domain/request/answer.ts'
import type { Report } from '../../domain/request/report.ts'
import type { Tables } from '../open/schema.ts'
import { asOfOneMoment } from '../records/statements.ts'
import { sqlOf } from '../sql/words.ts'

/** As many servers as a report lists. */
const namesMax = 10

/** `startsMs`: when each part begins, earliest first; the days of a zone have 23 to 25 hours. */
export async function report(
  db: Kysely<Tables>,
  fromMs: number,
  toMs: number,
  startsMs: readonly number[],
): Promise<Omit<Report, 'happened'>> {
  // The numbers of one report belong together.
  return asOfOneMoment(db).execute(async (tx) => {
    const opened = await tx
      .selectFrom('alerts')
      .select(['started_ms', 'state', 'closed_ms'])
      .where('started_ms', '>=', fromMs)
      .where('started_ms', '<', toMs)
      .where('state', '<>', 'ignored')
      .execute()
    const closed = await tx
      .selectFrom('alerts')
      .select(['started_ms', 'closed_ms as done_ms', 'closed_after_ms'])
      .where('closed_ms', '>=', fromMs)
      .where('closed_ms', '<', toMs)
      .where('state', '=', 'closed')
      .$narrowType<{ done_ms: number }>()
      .execute()
    const acknowledged = await tx
      .selectFrom('alerts')
      .select(['started_ms', 'first_acked_ms as done_ms'])
      .where('first_acked_ms', '>=', fromMs)
      .where('first_acked_ms', '<', toMs)
      .where('state', '<>', 'ignored')
      .$narrowType<{ done_ms: number }>()
      .execute()
    const { count: stillOpen } = await tx
      .selectFrom('alerts')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('state', '=', 'open')
      .where('started_ms', '<', toMs)
      .executeTakeFirstOrThrow()
    const { count: lost } = await tx
      .selectFrom('alerts')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('state', '=', 'unreported')
      .where('started_ms', '<', toMs)
      .where(lostMs, '>=', fromMs)
      .executeTakeFirstOrThrow()
    const lasting = opened.filter(({ state }) => state !== 'oneoff').length
    // What had ended before it was first seen closed at a time that nobody knows, but not before it opened.
    const endedUnseen = opened.filter(({ state, closed_ms }) => state === 'closed' && closed_ms === null)
    const closedCount = closed.length + endedUnseen.length
    return {
      fromMs,
      toMs,
      opened: lasting,
      oneoffs: opened.length - lasting,
      closed: closedCount,
      lost,
      stillOpen,
      // What is open now, without what came and with what went.
      openBefore: Math.max(0, stillOpen + closedCount + lost - lasting),
      servers: await noisiestServers(tx, fromMs, toMs),
      parts: partsOf(
        opened.map((row) => row.started_ms),
        startsMs,
      ),
      toAcknowledgeMs: median(acknowledged.map(untilDone)),
      // What closed while nothing could be read has no length.
      toCloseMs: median(closed.filter(({ closed_after_ms }) => closed_after_ms === null).map(untilDone)),
      acknowledged: acknowledged.length,
    }
  })
}

/** When an alert was last known to be open, if nobody saw its end: the API forgets the oldest after 30 days. */
const lostMs = sql<number>`coalesce(missing_ms, started_ms + ${30 * 24 * 3_600_000})`

async function noisiestServers(db: Kysely<Tables>, fromMs: number, toMs: number): Promise<Count[]> {
  return db
    .selectFrom('alerts')
    .select((eb) => [eb.ref('hostname').as('name'), eb.fn.countAll<number>().as('count')])
    .where('started_ms', '>=', fromMs)
    .where('started_ms', '<', toMs)
    .where('state', '<>', 'ignored')
    .groupBy('hostname')
    .orderBy('count', 'desc')
    .orderBy('hostname')
    .limit(namesMax)
    .execute()
}

function partsOf(startedMs: readonly number[], startsMs: readonly number[]): Report['parts'] {
  const counts = startsMs.map(() => 0)
  for (const atMs of startedMs) {
    const part = startsMs.findLastIndex((startMs) => startMs <= atMs)
    counts[part] = (counts[part] ?? 0) + 1
  }
  return startsMs.map((fromMs, part) => ({ fromMs, opened: counts[part] ?? 0 }))
}

// The start is by the service's clock and an acknowledgement by ours, so the difference may be slightly negative.
function untilDone(row: { started_ms: number; done_ms: number }): number {
  return Math.max(0, row.done_ms - row.started_ms)
}

function median(values: readonly number[]): number | null {
  const sorted = values.toSorted((a, b) => a - b)
  const upper = sorted[Math.floor(sorted.length / 2)]
  const lower = sorted[Math.floor((sorted.length - 1) / 2)]
  return upper === undefined || lower === undefined ? null : Math.round((lower + upper) / 2)
}

/** Opened as often as this in a shift, an alert flaps. */
const flapsMin = 3
const listedMax = 20

/** Storms, and flapping alerts. */
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
    // As its card counts.
    .where('alerts.state', 'not in', ['oneoff', 'ignored'])
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
    .where('state', 'not in', ['oneoff', 'ignored'])
    // Several storms are no flapping alert.
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('card_alerts')
            .innerJoin('cards', 'cards.card_id', 'card_alerts.card_id')
            .select('cards.card_id')
            .whereRef('card_alerts.alert_id', '=', 'alerts.alert_id')
            .where('cards.kind', '=', 'storm'),
        ),
      ),
    )
    // Two volumes of a server are two troubles, where the service tells them apart.
    .groupBy(['hostname', 'plugin', 'metric', sqlOf(db).field('details', 'trouble')])
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
