/** A model of the monitoring API's alert list that moves between two requests, and pagers to compare with the sweep. */
import type { AlertRecord, Lifecycle } from '../../../src/bot/domain/alert/alert.ts'
import type { AskPage } from '../../../src/bot/monitor/listing/sweep.ts'

export type Order = 'newest' | 'oldest' | 'shuffled'
export const orders: readonly Order[] = ['newest', 'oldest', 'shuffled']

/** How an alert closes: its record turns, its record turns and takes the closing time, or a second record comes. */
export type Form = 'flip' | 'flip_and_move' | 'pair'

export type Move = {
  readonly kind: 'insert' | 'close' | 'remove' | 'age_out'
  /** Which record, as a share of the list's length from 0 up to 1. */
  readonly at: number
}

export type World = {
  readonly order: Order
  readonly form: Form
  /** The `lifecycle` filter of the request. */
  readonly filter: 'start' | 'all'
  readonly records: number
  /** What happens before the second request, before the third, and so on; nothing happens after the last. */
  readonly moves: readonly (readonly Move[])[]
}

const pageSize = 50
const minuteMs = 60_000

export function sightingOf(n: number, over: Partial<AlertRecord> = {}): AlertRecord {
  return {
    alertId: String(n),
    timeMs: n * minuteMs,
    serverName: `web-${n % 7}`,
    hostname: `web-${n % 7}.example`,
    lifecycle: 'start',
    title: `alert ${n}`,
    plugin: 'Load Average',
    metric: 'last_minute',
    value: n % 10,
    url: '',
    triggerId: null,
    saidSeverity: null,
    ...over,
  }
}

/** The page port over a list that moves as `world` says; `stayed()` gives the ids that were listed all the time, in place. */
export function movingList(world: World): { page: AskPage; stayed(): readonly string[] } {
  let list = Array.from({ length: world.records }, (_, n) =>
    sightingOf(n, { lifecycle: world.filter === 'start' || n % 3 === 0 ? 'start' : 'end' }),
  )
  /** As it is paged, until it changes. */
  let shown: readonly AlertRecord[] | null = null
  let newest = world.records
  let requests = 0
  const inPlace = new Set(list.map((alertRecord) => alertRecord.alertId))

  function listedNow(): readonly AlertRecord[] {
    shown ??= listed(list, world)
    return shown
  }

  function apply({ kind, at }: Move): void {
    if (kind === 'insert') {
      list.push(sightingOf(newest))
      shown = null
      newest += 1
      return
    }
    const chosen = listedNow()[Math.floor(at * list.length)]
    if (chosen !== undefined && kind === 'close') {
      if (chosen.lifecycle === 'start') close(chosen)
    } else if (chosen !== undefined) {
      const gone = kind === 'remove' ? chosen : list.reduce((a, b) => (a.timeMs <= b.timeMs ? a : b))
      list = list.filter((alertRecord) => alertRecord !== gone)
      shown = null
      inPlace.delete(gone.alertId)
    }
  }

  function close(chosen: AlertRecord): void {
    shown = null
    const moves = world.form === 'flip_and_move'
    const turned = {
      ...chosen,
      lifecycle: 'end' as Lifecycle,
      timeMs: moves ? newest * minuteMs : chosen.timeMs,
    }
    newest += 1
    if (world.form === 'pair') list.push(sightingOf(newest - 1, { lifecycle: 'end', title: chosen.title }))
    // In the pair form, too, the API no longer lists a closed alert as open.
    if (world.form !== 'pair' || world.filter === 'start') {
      list = list.map((alertRecord) => (alertRecord === chosen ? turned : alertRecord))
    }
    if (moves || world.filter === 'start') inPlace.delete(chosen.alertId)
  }

  return {
    stayed: () => [...inPlace],
    async page(offset) {
      if (requests > 0) for (const move of world.moves[requests - 1] ?? []) apply(move)
      requests += 1
      const records = listedNow().slice(offset, offset + pageSize)
      return { records, size: records.length, skipped: 0 }
    },
  }
}

function listed(list: readonly AlertRecord[], { order, filter }: World): readonly AlertRecord[] {
  const place = (alertRecord: AlertRecord): number =>
    order === 'shuffled' ? hash(alertRecord) : order === 'newest' ? -alertRecord.timeMs : alertRecord.timeMs
  return list
    .filter((alertRecord) => filter === 'all' || alertRecord.lifecycle === 'start')
    .map((alertRecord) => ({ alertRecord, place: place(alertRecord) }))
    .sort((a, b) => a.place - b.place)
    .map(({ alertRecord }) => alertRecord)
}

/** A place that has nothing to do with the time, and that changes when the record's time does. */
function hash({ alertId, timeMs }: AlertRecord): number {
  return Math.imul(Number(alertId) * 31 + timeMs / minuteMs + 1, 0x9e3779b1) >>> 0
}

/** How most clients page: each page starts where the last one ended. */
export async function naivePager(page: AskPage): Promise<readonly AlertRecord[]> {
  const all: AlertRecord[] = []
  for (let offset = 0; ; offset += pageSize) {
    const { records } = await page(offset)
    all.push(...records)
    if (records.length < pageSize) return all
  }
}

/** The sweep with another idea of what an anchor is; `meets` says whether two neighbouring pages belong together. */
export async function variantPager(
  page: AskPage,
  requestsMax: number,
  meets: (one: readonly AlertRecord[], other: readonly AlertRecord[]) => boolean,
): Promise<{ readonly alertRecords: readonly AlertRecord[]; readonly complete: boolean }> {
  const stride = 45
  const alertRecords: AlertRecord[] = []
  let requests = 0
  const ask = async (offset: number): Promise<readonly AlertRecord[]> => {
    requests += 1
    const { records } = await page(offset)
    alertRecords.push(...records)
    return records
  }
  let offset = 0
  let previous = await ask(0)
  while (previous.length >= pageSize) {
    let next = offset + stride
    let current = await ask(next)
    while (next > 0 && !meets(previous, current)) {
      if (requests >= requestsMax) return { alertRecords, complete: false }
      next = Math.max(0, next - stride)
      current = await ask(next)
    }
    offset = next
    previous = current
  }
  return { alertRecords, complete: true }
}
