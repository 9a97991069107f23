/** Points on disk: what a kill costs, what a year takes, what goes with age, and what becomes of files of an earlier version. */
import Database from 'better-sqlite3'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { bucketsOf, widths, withBuckets } from '../../src/service/metrics/chunk.ts'
import { type MetricKey, type Point, textOf } from '../../src/service/metrics/metric-key.ts'
import { openSeries, type SeriesStore } from '../../src/service/metrics/series.ts'
import type { Ledger } from '../../src/service/store/ledger.ts'
import { newFile, openLedgerFile } from './ledger-file.ts'

const key: MetricKey = { type: 'cpu', source: '', metric: 'cpu_busy' }
const host = 'web-1'
const startMs = Date.UTC(2026, 2, 1, 12)
const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs

/** A store that dies and comes back as a killed process does: nothing is flushed. */
function openMortal(): { series(): SeriesStore; ledger(): Ledger; kill(): void; told: string[] } {
  const file = newFile()
  const told: string[] = []
  let ledger = openLedgerFile(file, told)
  let series = openSeries(ledger, (line) => told.push(line))
  onTestFinished(() => ledger.close())
  return {
    series: () => series,
    ledger: () => ledger,
    kill() {
      ledger.close()
      ledger = openLedgerFile(file, told)
      series = openSeries(ledger)
    },
    told,
  }
}

const known = (points: readonly (Point | null)[]): number => points.filter((point) => point !== null).length

test('hours of kills cost no width its points, but for the last minute of each run', () => {
  const mortal = openMortal()
  const runs = 12
  for (let run = 0; run < runs; run += 1) {
    for (let second = 0; second < 1_800; second += 20) {
      const atMs = startMs + run * 1_800_000 + second * 1_000
      mortal.series().add(host, key, atMs, 40)
      mortal.series().write(atMs)
    }
    mortal.kill()
  }
  for (const [stepMs, count, least] of [
    [minuteMs, 360, 12 * 29],
    [30 * minuteMs, 12, 12],
    [120 * minuteMs, 3, 3],
    [dayMs, 1, 1],
  ] as const) {
    const points = mortal.series().points(host, key, { fromMs: startMs, stepMs, count })
    expect(known(points), `${stepMs}`).toBeGreaterThanOrEqual(least)
    expect(points.find((point) => point !== null)).toEqual([40, 40, 40])
  }
  expect(mortal.series().latest(host, key)).toBeNull()
})

test('whatever is killed when, and wherever the clock goes, each sample that was written counts once in every width', () => {
  const step = fc.oneof(
    { weight: 6, arbitrary: fc.integer({ min: -7_200, max: 2_400 }) },
    { weight: 3, arbitrary: fc.constantFrom('write' as const, 'kill' as const) },
  )
  const mortal = openMortal()
  let runs = 0
  const ten = { fromMs: startMs - 10 * dayMs, stepMs: 20 * dayMs, count: 1 }
  fc.assert(
    fc.property(fc.array(step, { minLength: 20, maxLength: 60 }), (plan) => {
      runs += 1
      const server = `server-${runs}`
      let nowMs = startMs
      let samples = 0
      let unwritten: number[] = []
      const written: number[] = []
      for (const what of [...plan, 'write']) {
        if (typeof what === 'number') {
          nowMs += what * 1_000
          samples += 1
          mortal.series().add(server, key, nowMs, samples)
          unwritten.push(samples)
          continue
        }
        if (what === 'kill') mortal.kill()
        else {
          mortal.series().flush()
          mortal.series().write(nowMs)
          written.push(...unwritten)
        }
        unwritten = []
      }
      const mean = written.reduce((sum, value) => sum + value, 0) / Math.max(1, written.length)
      const [point] = mortal.series().points(server, key, ten)
      if (written.length === 0) expect(point ?? null).toBeNull()
      else expect(point?.[1]).toBeCloseTo(mean, 3)
      // Packed now, if ever.
      mortal.series().write(nowMs + dayMs)
      const { archive } = mortal.ledger()
      const id = archive.series().find(({ hostname }) => hostname === server)?.id ?? 0
      for (const { stepMs } of widths) {
        const counts = archive
          .chunks(id, stepMs, 0, startMs + 10 * dayMs)
          .flatMap(({ atMs, body }) => [...bucketsOf(body, atMs, stepMs)].map(({ count }) => count))
        expect(counts.reduce((sum, count) => sum + count, 0)).toBe(written.length)
      }
    }),
    { numRuns: 30, seed: 7 },
  )
})

test('a width is kept as long as the durations need it, and what is older goes from the disk', () => {
  const { series, ledger, told } = openMortal()
  const [archive, store] = [ledger().archive, series()]
  store.add(host, key, startMs, 1)
  const [{ id } = { id: 0 }] = archive.series()
  for (const { stepMs, ageMaxMs } of widths) {
    for (const atMs of [startMs - 2 * ageMaxMs, startMs - ageMaxMs + stepMs]) {
      const bucket = { atMs, min: 1, mean: 2, max: 3, count: 4 }
      const chunkAtMs = Math.floor(atMs / (stepMs * 288)) * stepMs * 288
      archive.putChunk(id, stepMs, { atMs: chunkAtMs, body: withBuckets(null, stepMs, [bucket]) })
    }
  }
  for (let minute = 1; minute < 4; minute += 1) store.write(startMs + minute * minuteMs)
  for (const { stepMs, ageMaxMs } of widths) {
    expect(archive.chunks(id, stepMs, 0, startMs).length).toBe(1)
    expect(store.points(host, key, { fromMs: startMs - ageMaxMs, stepMs, count: 3 })[1]).toEqual([1, 2, 3])
  }
  expect(told).toEqual([])
})

test('a clock that is two years ahead for an hour costs hours of points, and not all of them', () => {
  const { series, ledger } = openMortal()
  const [archive, store] = [ledger().archive, series()]
  const chunks = 18
  ledger().together(() => {
    for (let at = 0; at < 100; at += 1) store.add(host, { ...key, metric: `m${at}` }, startMs, 1)
    for (const { id } of archive.series()) {
      for (let nth = 0; nth < chunks; nth += 1) {
        archive.putChunk(id, 7_200_000, {
          atMs: startMs - nth * 24 * dayMs,
          body: withBuckets(null, 7_200_000, []),
        })
      }
    }
  })
  for (let minute = 0; minute < 60; minute += 1) store.write(startMs + 730 * dayMs + minute * minuteMs)
  const left = archive.series().flatMap(({ id }) => archive.chunks(id, 7_200_000, 0, startMs + 1)).length
  expect(left).toBeGreaterThanOrEqual((chunks - 1) * 100)
})

test('a server that is dropped loses its series on disk, and a new one of its name begins anew', () => {
  const mortal = openMortal()
  for (const one of [host, 'web-2']) mortal.series().add(one, key, startMs, 5)
  mortal.series().flush()
  mortal.series().drop(host)
  mortal.kill()
  expect([mortal.series().keysOf(host), mortal.series().keysOf('web-2')]).toEqual([[], [key]])
  mortal.series().add(host, key, startMs + minuteMs, 6)
  mortal.series().flush()
  mortal.kill()
  const window = { fromMs: startMs, stepMs: minuteMs, count: 2 }
  expect(mortal.series().points(host, key, window)).toEqual([null, [6, 6, 6]])
  expect(mortal.series().points('web-2', key, window)).toEqual([[5, 5, 5], null])
})

test('a mean that was packed never lies outside of its range', () => {
  fc.assert(
    fc.property(fc.array(fc.float({ noNaN: true, noDefaultInfinity: true }), { minLength: 1 }), (values) => {
      const buckets = values.map((value, at) => ({
        ...{ atMs: startMs + at, min: value, mean: value, max: value, count: 1 },
      }))
      const [bucket] = bucketsOf(withBuckets(null, 7_200_000, buckets), chunkAt(startMs), 7_200_000)
      expect(bucket?.count).toBe(values.length)
      expect([bucket?.min, bucket?.mean, bucket?.max].every((value) => Number.isFinite(value))).toBe(true)
    }),
  )
})

const chunkAt = (atMs: number): number => Math.floor(atMs / (7_200_000 * 288)) * 7_200_000 * 288

test('the points of a file of the version before are dropped with a sentence, and all else is kept', () => {
  const file = newFile()
  openLedgerFile(file).close()
  const old = new Database(file)
  old.exec(`DROP TABLE series; DROP TABLE chunks; DROP TABLE minutes; PRAGMA user_version = 1;
    INSERT INTO documents VALUES ('bucket', '${textOf(key)} 60000 1', '{}'), ('role', 'web', '{"hostnames":["web-1"]}')`)
  old.close()
  const told: string[] = []
  const ledger = openLedgerFile(file, told)
  onTestFinished(() => ledger.close())
  expect(told).toEqual([
    `the file ${file} is of an earlier version: the points of its charts were dropped, and all else was kept`,
  ])
  expect(ledger.load('role', z.looseObject({}))).toEqual([{ key: 'web', value: { hostnames: ['web-1'] } }])
})
