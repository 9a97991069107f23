/**
 * Every alert of the service: what a reading found is opened, what a reading proves to be over is closed, and both are listed as
 * `alerts.json` wants it (docs/api.md#alerts). One reading is one transaction.
 */
import { createHash } from 'node:crypto'
import type { Statement } from 'better-sqlite3'
import type { Found, Reading, StoredAlert } from './source.ts'
import type { Db } from './store.ts'

/** Page size and age limit of `alerts.json`. Only closed alerts are cut, counted from their end; what is open is always listed. */
export const pageSize = 50
export const keptMs = 30 * 24 * 60 * 60_000

/** As a record says it: what closes turns from `start` to `end`. */
export function lifecycleOf({ isOneoff, endedMs }: StoredAlert): 'start' | 'end' | 'oneoff' {
  if (isOneoff) return 'oneoff'
  return endedMs === null ? 'start' : 'end'
}

/** 52 bits of a digest: the same for the same key and start in every run, and exact in JavaScript. */
export function idOf(key: string, startedMs: number): number {
  return numberOf([key, startedMs, 'start'])
}

export function numberOf(value: unknown): number {
  const digest = createHash('sha256').update(JSON.stringify(value)).digest()
  return Number(digest.readBigUInt64BE() >> 12n) || 1
}

export class Ledger {
  private readonly db: Db
  private readonly all = new Map<number, StoredAlert>()
  private readonly openOnes = new Map<string, StoredAlert>()
  /** How many rounds in a row proved the end, and when the first of them did. */
  private readonly proven = new Map<number, { count: number; sinceMs: number }>()
  private readonly lists = new Map<string, readonly StoredAlert[]>()
  private readonly insert: Statement<unknown[]>

  constructor(db: Db) {
    this.db = db
    db.exec(`create table if not exists alerts (id integer primary key, key text not null, started_ms integer not null,
      ended_ms integer, oneoff integer not null, doc text not null) strict;
      create index if not exists alerts_open on alerts (key) where ended_ms is null`)
    this.insert = db.prepare(
      'insert into alerts values (?, ?, ?, ?, ?, ?) on conflict do update set ended_ms = excluded.ended_ms, doc = excluded.doc',
    )
    this.load()
  }

  /** Opens and closes. In `proofs` rounds in a row a reading must prove an end. */
  take(reading: Reading, proofs: number): void {
    const found = new Set(reading.alerts.map(({ key }) => key))
    this.write(() => {
      for (const alert of reading.alerts) this.add(alert)
      for (const alert of this.open()) {
        if (found.has(alert.key)) continue
        if (!reading.isOver(alert)) {
          this.proven.delete(alert.id)
          continue
        }
        const { count, sinceMs } = this.proven.get(alert.id) ?? { count: 0, sinceMs: reading.atMs }
        if (count + 1 >= proofs) this.close(alert.id, sinceMs)
        else this.proven.set(alert.id, { count: count + 1, sinceMs })
      }
    })
  }

  /** Opens one, or goes on with it. What it said when it opened stays; what mutes it, and where its chart is, may change. */
  add(alert: Found): number {
    const known = this.openOnes.get(alert.key)
    if (known === undefined) {
      const id = idOf(alert.key, alert.startedMs)
      const isOneoff = alert.isOneoff === true
      if (!isOneoff || !this.all.has(id))
        this.put({ ...alert, id, endedMs: isOneoff ? alert.startedMs : null })
      return id
    }
    this.proven.delete(known.id)
    const changing = ({ mutedBy = [], series }: Found) => JSON.stringify([mutedBy, series])
    if (changing(alert) !== changing(known))
      this.put({ ...known, mutedBy: alert.mutedBy ?? [], series: alert.series })
    return known.id
  }

  close(id: number, atMs: number): void {
    const alert = this.all.get(id)
    if (alert === undefined || lifecycleOf(alert) !== 'start') return
    this.proven.delete(id)
    this.put({ ...alert, mutedBy: [], endedMs: Math.max(atMs, alert.startedMs) })
  }

  get(id: number): StoredAlert | undefined {
    return this.all.get(id)
  }

  every(): readonly StoredAlert[] {
    return [...this.all.values()]
  }

  opened(key: string): StoredAlert | undefined {
    return this.openOnes.get(key)
  }

  open(): readonly StoredAlert[] {
    return [...this.openOnes.values()]
  }

  list(lifecycle: 'start' | 'end' | 'all', offset: number): readonly StoredAlert[] {
    const all = lifecycle === 'start' ? this.open() : this.every()
    const list =
      this.lists.get(lifecycle) ??
      all
        .filter((alert) => lifecycle !== 'end' || lifecycleOf(alert) === 'end')
        .toSorted((a, b) => b.startedMs - a.startedMs || b.id - a.id)
    this.lists.set(lifecycle, list)
    return list.slice(offset, offset + pageSize)
  }

  /** Adds alerts that were over before the service looked; known ones stay. */
  addPast(alerts: readonly StoredAlert[]): void {
    this.write(() => {
      for (const alert of alerts) if (!this.all.has(alert.id)) this.put(alert)
    })
  }

  /** Forgets what ended more than 30 days ago; nothing else cuts the lists. */
  prune(nowMs: number): void {
    for (const { id, endedMs } of [...this.all.values()])
      if (endedMs !== null && endedMs < nowMs - keptMs) this.all.delete(id)
    this.db.prepare('delete from alerts where ended_ms < ?').run(nowMs - keptMs)
    this.lists.clear()
  }

  private load(): void {
    for (const map of [this.all, this.openOnes, this.lists]) map.clear()
    type Row = { readonly id: number; readonly ended_ms: number | null; readonly doc: string }
    for (const row of this.db.prepare('select id, ended_ms, doc from alerts').iterate() as Iterable<Row>)
      this.keep({ ...(JSON.parse(row.doc) as StoredAlert), id: row.id, endedMs: row.ended_ms })
  }

  /** What cannot be written is not so here either. */
  private write(work: () => void): void {
    try {
      this.db.transaction(work)()
    } catch (error) {
      this.load()
      throw error
    }
  }

  private put(alert: StoredAlert): void {
    const { id, key, startedMs, endedMs, isOneoff } = alert
    this.insert.run(id, key, startedMs, endedMs, isOneoff ? 1 : 0, JSON.stringify(alert))
    this.keep(alert)
    this.lists.clear()
  }

  private keep(alert: StoredAlert): void {
    this.all.set(alert.id, alert)
    if (lifecycleOf(alert) === 'start') this.openOnes.set(alert.key, alert)
    else if (this.openOnes.get(alert.key)?.id === alert.id) this.openOnes.delete(alert.key)
  }
}
