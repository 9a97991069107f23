/** What was measured or pushed: the newest values in memory, and a row a minute on disk, thinned to hours after 14 days, gone after 366. */
import { keyFor, keyText } from '../metrics.ts'
import type { MetricKey, Point, Window } from '../source.ts'
import type { Db } from '../store.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
const keysPerHostMax = 500

export type Sample = { readonly host: string; readonly key: MetricKey; readonly value: number }
type Newest = { readonly key: MetricKey; readonly value: number; readonly atMs: number }
type Row = Readonly<Record<'step' | 'low' | 'sum' | 'high' | 'n', number>>

const adding =
  'low = min(low, excluded.low), sum = sum + excluded.sum, high = max(high, excluded.high), n = n + excluded.n'

export class Samples {
  private readonly db: Db
  private readonly hosts = new Map<string, Map<string, Newest>>()
  private thinnedMs = 0

  constructor(db: Db) {
    this.db = db
    db.exec(`create table if not exists samples (host text not null, key text not null, at_ms integer not null, low real not null,
      sum real not null, high real not null, n integer not null, primary key (host, key, at_ms)) strict, without rowid`)
    const rows = db.prepare('select distinct host, key from samples').all() as { host: string; key: string }[]
    for (const { host, key: text } of rows) {
      const [type, source, metric] = JSON.parse(text)
      const key = keyFor(type, source, metric)
      this.of(host).set(text, { key, value: 0, atMs: Number.NEGATIVE_INFINITY })
    }
  }

  /** Returns how many were not taken: their host has too many metrics already. */
  add(samples: readonly Sample[], atMs: number): number {
    const write = this.db.prepare(
      `insert into samples values (?, ?, ?, ?, ?, ?, 1) on conflict do update set ${adding}`,
    )
    let left = 0
    this.db.transaction(() => {
      for (const { host, key, value } of samples) {
        const [shelf, text] = [this.of(host), keyText(key)]
        if (!shelf.has(text) && shelf.size >= keysPerHostMax) left += 1
        else {
          shelf.set(text, { key, value, atMs })
          write.run(host, text, Math.floor(atMs / minute) * minute, value, value, value)
        }
      }
    })()
    return left
  }

  keysOf(host: string): readonly MetricKey[] {
    return [...this.of(host).values()].map(({ key }) => key)
  }

  valueNow(host: string, key: MetricKey, nowMs: number, freshMs: number): number | null {
    const newest = this.of(host).get(keyText(key))
    return newest === undefined || nowMs - newest.atMs > freshMs ? null : newest.value
  }

  lastMs(host: string): number | null {
    const last = Math.max(...[...this.of(host).values()].map(({ atMs }) => atMs))
    return Number.isFinite(last) ? last : null
  }

  points(host: string, key: MetricKey, { fromMs, stepMs, count }: Window): (Point | null)[] {
    const rows = this.db
      .prepare(
        `select cast((at_ms - ?) / ? as integer) step, min(low) low, sum(sum) sum, max(high) high, sum(n) n from samples
         where host = ? and key = ? and at_ms >= ? and at_ms < ? group by 1`,
      )
      .all(fromMs, stepMs, host, keyText(key), fromMs, fromMs + stepMs * count) as Row[]
    const byStep = new Map(rows.map(({ step, low, sum, high, n }) => [step, [low, sum / n, high] as const]))
    return Array.from({ length: count }, (_, at) => byStep.get(at) ?? null)
  }

  deleteHost(host: string): void {
    this.hosts.delete(host)
    this.db.prepare('delete from samples where host = ?').run(host)
  }

  deleteMetric(name: string): boolean {
    const text = keyText(keyFor('custom_metric', name, name))
    const isThere = [...this.hosts.values()].filter((shelf) => shelf.delete(text)).length > 0
    this.db.prepare('delete from samples where key = ?').run(text)
    return isThere
  }

  tidy(nowMs: number): void {
    if (Math.abs(nowMs - this.thinnedMs) < hour) return
    this.thinnedMs = nowMs
    const olderThan = Math.floor((nowMs - 14 * day) / hour) * hour
    this.db.transaction(() => {
      this.db
        .prepare(
          `insert into samples select host, key, at_ms / ${hour} * ${hour}, low, sum, high, n from samples
           where at_ms < ? and at_ms % ${hour} != 0 on conflict do update set ${adding}`,
        )
        .run(olderThan)
      this.db.prepare(`delete from samples where at_ms < ? and at_ms % ${hour} != 0`).run(olderThan)
      this.db.prepare('delete from samples where at_ms < ?').run(nowMs - 366 * day)
    })()
  }

  private of(host: string): Map<string, Newest> {
    const shelf = this.hosts.get(host) ?? new Map()
    this.hosts.set(host, shelf)
    return shelf
  }
}
