/** What was measured or pushed: the newest values in memory, and a row a minute on disk, thinned to hours after 14 days, gone after 366. */
import { keyFor, keyText } from '../metrics.ts'
import type { MetricKey, Point, Window } from '../source.ts'
import type { Db } from '../store.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
const keysPerHostMax = 500

type Bucket = { atMs: number; low: number; sum: number; high: number; n: number }
type Series = { readonly key: MetricKey; bucket: Bucket; value: number; valueMs: number }

const adding =
  'low = min(low, excluded.low), sum = sum + excluded.sum, high = max(high, excluded.high), n = n + excluded.n'

export class Samples {
  private readonly db: Db
  private readonly hosts = new Map<string, Map<string, Series>>()
  private thinnedMs = 0

  constructor(db: Db) {
    this.db = db
    db.exec(`create table if not exists samples (host text not null, key text not null, at_ms integer not null, low real not null,
      sum real not null, high real not null, n integer not null, primary key (host, key, at_ms)) strict, without rowid`)
    const rows = db.prepare('select host, key, max(at_ms) atMs from samples group by host, key').all()
    for (const { host, key: text, atMs } of rows as { host: string; key: string; atMs: number }[]) {
      const [type, source, metric] = JSON.parse(text)
      const key = keyFor(type, source, metric)
      const shelf = this.hosts.get(host) ?? new Map()
      shelf.set(text, { key, bucket: empty(atMs), value: 0, valueMs: Number.NEGATIVE_INFINITY })
      this.hosts.set(host, shelf)
    }
  }

  /** False: the host has too many metrics already. */
  add(host: string, key: MetricKey, value: number, atMs: number): boolean {
    const text = keyText(key)
    const shelf = this.hosts.get(host) ?? new Map<string, Series>()
    this.hosts.set(host, shelf)
    const start = Math.floor(atMs / minute) * minute
    const series = shelf.get(text) ?? { key, bucket: empty(start), value, valueMs: atMs }
    if (!shelf.has(text) && shelf.size >= keysPerHostMax) return false
    shelf.set(text, series)
    if (series.bucket.atMs !== start) {
      this.flush(host, text, series)
      series.bucket = empty(start)
    }
    pour(series.bucket, { atMs, low: value, sum: value, high: value, n: 1 })
    series.value = value
    series.valueMs = atMs
    return true
  }

  keysOf(host: string): readonly MetricKey[] {
    return this.seriesOf(host).map(({ key }) => key)
  }

  /** The newest value, if it is not older than this. */
  valueNow(host: string, key: MetricKey, nowMs: number, freshMs: number): number | null {
    const series = this.hosts.get(host)?.get(keyText(key))
    return series === undefined || nowMs - series.valueMs > freshMs ? null : series.value
  }

  lastMs(host: string): number | null {
    const last = Math.max(...this.seriesOf(host).map(({ valueMs }) => valueMs))
    return Number.isFinite(last) ? last : null
  }

  points(host: string, key: MetricKey, { fromMs, stepMs, count }: Window): (Point | null)[] {
    const text = keyText(key)
    const rows = this.db
      .prepare(
        'select at_ms atMs, low, sum, high, n from samples where host = ? and key = ? and at_ms >= ? and at_ms < ?',
      )
      .all(host, text, fromMs, fromMs + stepMs * count) as Bucket[]
    const buckets = Array.from({ length: count }, () => empty(0))
    for (const row of [...rows, this.hosts.get(host)?.get(text)?.bucket ?? empty(0)]) {
      const bucket = buckets[Math.floor((row.atMs - fromMs) / stepMs)]
      if (bucket !== undefined && row.n > 0) pour(bucket, row)
    }
    return buckets.map(({ low, sum, high, n }) => (n === 0 ? null : ([low, sum / n, high] as const)))
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

  /** Writes what is not on disk yet, and thins once an hour. */
  tidy(nowMs: number): void {
    this.db.transaction(() => {
      for (const [host, shelf] of this.hosts)
        for (const [text, series] of shelf) {
          this.flush(host, text, series)
          series.bucket = empty(series.bucket.atMs)
        }
      if (Math.abs(nowMs - this.thinnedMs) < hour) return
      this.thinnedMs = nowMs
      const olderThan = Math.floor((nowMs - 14 * day) / hour) * hour
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

  private seriesOf(host: string): Series[] {
    return [...(this.hosts.get(host)?.values() ?? [])]
  }

  private flush(host: string, text: string, { bucket: { atMs, low, sum, high, n } }: Series): void {
    if (n === 0) return
    const insert = `insert into samples values (?, ?, ?, ?, ?, ?, ?) on conflict do update set ${adding}`
    this.db.prepare(insert).run(host, text, atMs, low, sum, high, n)
  }
}

function empty(atMs: number): Bucket {
  return { atMs, low: Number.POSITIVE_INFINITY, sum: 0, high: Number.NEGATIVE_INFINITY, n: 0 }
}

function pour(into: Bucket, { low, sum, high, n }: Bucket): void {
  into.low = Math.min(into.low, low)
  into.high = Math.max(into.high, high)
  into.sum += sum
  into.n += n
}
