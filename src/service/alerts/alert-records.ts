/** Keeps the record of every alert: by id, in memory and in the ledger, up to a limit. */
import { createHash } from 'node:crypto'
import { z } from 'zod'
import { metricKey } from '../metrics/metric-key.ts'
import type { Ledger } from '../store/ledger.ts'

/** If there are more, the oldest closed records are dropped. */
const recordsMax = 100_000

const idEpochMs = Date.UTC(2020, 0)
const hashBits = 22

const mutedBy = z.object({
  kind: z.enum(['silence', 'inhibition']),
  /** The name under which the silence can be ended; null for an inhibition. */
  id: z.string().nullable(),
  /** Who made the silence, or which alert inhibits this one: `NodeDown on node-3`; null if that is not known. */
  by: z.string().nullable(),
  untilMs: z.number().nullable(),
  why: z.string().nullable(),
  /** Made by this service, for one of its clients. */
  isOurs: z.boolean(),
})

/** Why an Alertmanager notifies nobody of an alert that is open. */
export type MutedBy = Readonly<z.output<typeof mutedBy>>

/** Leads to a page of the alert's author; http or https. */
export type AlertLink = { readonly text: string; readonly url: string }

const mutes: z.ZodType<readonly MutedBy[]> = z.array(mutedBy)
const links: z.ZodType<readonly AlertLink[]> = z.array(z.object({ text: z.string(), url: z.string() }))
const names: z.ZodType<readonly string[]> = z.array(z.string())

const alertRecord = z.object({
  id: z.number().int(),
  timeMs: z.number(),
  hostname: z.string(),
  serverName: z.string(),
  lifecycle: z.enum(['start', 'end', 'oneoff']),
  title: z.string(),
  plugin: z.string(),
  metric: z.string().nullable(),
  value: z.number().nullable(),
  /** The metric its chart shows; null for a one-off. */
  key: metricKey.nullable(),
  /** The limit that was reached, for the chart. */
  limit: z.number().nullable(),
  /** It opens at the limit or above (`high`), or at the limit or below; absent in earlier ledgers, and without a limit. */
  limitSide: z.enum(['high', 'low']).optional(),
  /** The trigger that opened it; null if it was opened by hand. */
  triggerId: z.number().nullable(),
  /** When the trouble began: the time itself, or the opening of an `end` record. */
  openedMs: z.number(),
  isOpen: z.boolean(),
  endedMs: z.number().nullable(),
  /** When it closes automatically, for alerts without a trigger. */
  closesAtMs: z.number().nullable(),
  /** Its labels at the Prometheus that it came from, and its rule's expression; null if no rule is known. */
  upstream: z
    .object({
      fingerprint: z.string(),
      labels: z.record(z.string(), z.string()),
      rule: z.string().nullable(),
      /** The trigger that its rule is told as; not one of the service's own, which close alerts. */
      triggerId: z.number().optional(),
      /** Units of value and limit; empty if none are proven. Absent, like what follows, in earlier ledgers. */
      units: z.string().optional(),
      /** The annotation, whole; empty if it has none. */
      description: z.string().optional(),
      links: links.optional(),
      /** What its trouble is made of, besides the labels. */
      bearing: z
        .object({
          patterns: z.record(z.string(), z.string()).optional(),
          reporter: names.optional(),
        })
        .optional(),
      /** Whether several Prometheuses may send it: what one of them says of its end is no proof. */
      isCopied: z.boolean().optional(),
      /** Absent if its Alertmanager notifies somebody. */
      mutedBy: mutes.optional(),
    })
    .optional(),
})

export type AlertRecord = Readonly<z.output<typeof alertRecord>>

export type AlertRecords = {
  get(id: number): AlertRecord | undefined
  /** In the order of creation. */
  all(): Iterable<AlertRecord>
  open(): Iterable<AlertRecord>
  /** Adds it under the next id of this service. */
  add(record: Omit<AlertRecord, 'id'>): AlertRecord
  /** Adds it under the id made of these two, the same in every run; under the next free one if another alert has it. */
  addUpstream(fingerprint: string, timeMs: number, record: Omit<AlertRecord, 'id'>): AlertRecord
  /** Replaces the one with its id. */
  put(record: AlertRecord): AlertRecord
  remove(id: number): void
  /** Another number after each change. */
  revision(): number
}

/** Opens the records, starting with those of the ledger. */
export function openAlertRecords(ledger: Ledger, nowMs: number): AlertRecords {
  /** In the order of their ids, which is the order of creation. */
  const records = new Map<number, AlertRecord>()
  const open = new Map<number, AlertRecord>()
  // Ids start from the current time: a service without a file never reuses the ids of an earlier run, which
  // clients remember.
  let nextId = Math.max(1, Math.floor(nowMs))
  let revision = 0

  const documentKey = (id: number): string => String(id).padStart(15, '0')

  function hold(record: AlertRecord): void {
    records.set(record.id, record)
    if (record.isOpen) open.set(record.id, record)
    else open.delete(record.id)
  }

  function put(record: AlertRecord): AlertRecord {
    ledger.put('alert', documentKey(record.id), record)
    revision += 1
    hold(record)
    return record
  }

  function remove(id: number): void {
    ledger.remove('alert', documentKey(id))
    revision += 1
    records.delete(id)
  }

  function makeRoom(): void {
    if (records.size < recordsMax) return
    for (const { id, isOpen } of records.values()) {
      if (isOpen) continue
      remove(id)
      return
    }
  }

  const loaded = ledger.load('alert', alertRecord).map(({ value }) => value)
  for (const record of loaded.sort((a, b) => a.id - b.id)) {
    hold(record)
    if (record.upstream === undefined) nextId = Math.max(nextId, record.id + 1)
  }

  return {
    get: (id) => records.get(id),
    all: () => records.values(),
    open: () => open.values(),
    add(record) {
      makeRoom()
      while (records.has(nextId)) nextId += 1
      const added = put({ ...record, id: nextId })
      nextId += 1
      return added
    },
    addUpstream(fingerprint, timeMs, record) {
      makeRoom()
      let id = upstreamId(fingerprint, timeMs)
      while (records.has(id)) id += 1
      return put({ ...record, id })
    },
    put,
    remove,
    revision: () => revision,
  }
}

/**
 * The id of an upstream alert: seconds since 2020 and 22 bits of a hash. It is below 2^53 until the year 2088, in chronological
 * order, the same in every run, and far above the ids of the service's own alerts.
 */
function upstreamId(fingerprint: string, timeMs: number): number {
  const seconds = Math.max(0, Math.min(2 ** 31 - 1, Math.floor((timeMs - idEpochMs) / 1_000)))
  const hash = createHash('sha256').update(`${fingerprint} ${timeMs}`).digest().readUInt32BE(0)
  return seconds * 2 ** hashBits + (hash >>> (32 - hashBits))
}
