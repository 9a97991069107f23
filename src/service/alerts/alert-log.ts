/** Every alert of the last 30 days: opened, closed in one of two forms, and listed as in api-spec.md 4.1. */
import { z } from 'zod'
import { hashOf } from '../metrics/generator.ts'
import { metricTypes } from '../metrics/metric-key.ts'
import type { Ledger } from '../store/ledger.ts'
import { upstreamId } from './upstream-id.ts'

/** Page size and age limit of `alerts.json` (api-spec.md 8). */
export const pageSize = 50
export const ageMaxMs = 30 * 24 * 60 * 60_000

/** If there are more, the oldest closed records are dropped. */
const recordsMax = 100_000

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
  key: z.object({ type: z.enum(metricTypes), source: z.string(), metric: z.string() }).nullable(),
  /** The limit that was reached, for the chart. */
  limit: z.number().nullable(),
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
    })
    .optional(),
})

export type AlertRecord = Readonly<z.output<typeof alertRecord>>

/** What opening an alert needs. */
export type AlertDraft = Pick<
  AlertRecord,
  | 'hostname'
  | 'serverName'
  | 'title'
  | 'plugin'
  | 'metric'
  | 'value'
  | 'key'
  | 'limit'
  | 'triggerId'
  | 'closesAtMs'
  | 'upstream'
>

/** An alert from a Prometheus, with its start time there. */
export type UpstreamDraft = AlertDraft & {
  readonly upstream: NonNullable<AlertDraft['upstream']>
  readonly timeMs: number
}

/**
 * How a closing alert shows: `flip` turns its record from `start` to `end` and keeps id, time and title; `pair` leaves
 * the record and adds a second one with its own id and the time of closing.
 */
export type AlertForm = 'flip' | 'pair'

/** The order of `alerts.json`; `shuffled` is a stable random order. */
export type AlertOrder = 'newest' | 'oldest' | 'shuffled'

export type AlertLog = {
  open(draft: AlertDraft): AlertRecord
  oneoff(draft: Pick<AlertDraft, 'hostname' | 'serverName' | 'title' | 'plugin'>): AlertRecord
  /** Opens an upstream alert with its own start time; its id is the same in every run unless another alert has it. */
  openUpstream(draft: UpstreamDraft): AlertRecord
  /** Adds an alert that is already over. */
  addClosed(draft: UpstreamDraft, endedMs: number): AlertRecord
  /** Returns the record of the end; null if there is no open alert with this id. */
  close(id: number, value?: number | null, endedMs?: number): AlertRecord | null
  /** Assigns an open alert to another trigger. */
  adopt(id: number, triggerId: number): void
  get(id: number): AlertRecord | undefined
  /** Oldest first. */
  openAlerts(): readonly AlertRecord[]
  list(lifecycle: 'start' | 'end' | 'all', offset: number): readonly AlertRecord[]
  /** Drops closed records that no listing can show any more. */
  prune(): void
}

export function openAlertLog(options: {
  readonly ledger: Ledger
  readonly form: AlertForm
  readonly order: AlertOrder
  readonly nowMs: () => number
}): AlertLog {
  const { ledger, form, order, nowMs } = options
  /** In the order of their ids, which is the order of creation. */
  const records = new Map<number, AlertRecord>()
  const open = new Map<number, AlertRecord>()
  // Ids start from the current time: a service without a file never reuses the ids of an earlier run, which
  // clients remember.
  let nextId = Math.max(1, Math.floor(nowMs()))

  /** Caches each listing, as a client that reads 50,000 alerts requests a thousand pages of the same one. */
  const made = new Map<string, { readonly untilMs: number; readonly list: readonly AlertRecord[] }>()

  const documentKey = (id: number): string => String(id).padStart(15, '0')

  function put(record: AlertRecord): AlertRecord {
    ledger.put('alert', documentKey(record.id), record)
    made.clear()
    records.set(record.id, record)
    if (record.isOpen) open.set(record.id, record)
    else open.delete(record.id)
    return record
  }

  /** The id of this alert in every run; the next free one if another alert has it. */
  function freeId(fingerprint: string, timeMs: number): number {
    if (records.size >= recordsMax) drop(1)
    let id = upstreamId(fingerprint, timeMs)
    while (records.has(id)) id += 1
    return id
  }

  function add(record: Omit<AlertRecord, 'id'>): AlertRecord {
    if (records.size >= recordsMax) drop(1)
    while (records.has(nextId)) nextId += 1
    const added = put({ ...record, id: nextId })
    nextId += 1
    return added
  }

  function drop(count: number): void {
    let left = count
    for (const [id, { isOpen }] of records) {
      if (left === 0) return
      if (isOpen) continue
      remove(id)
      left -= 1
    }
  }

  function remove(id: number): void {
    ledger.remove('alert', documentKey(id))
    made.clear()
    records.delete(id)
  }

  const loaded = ledger.load('alert', alertRecord).map(({ value }) => value)
  for (const record of loaded.sort((a, b) => a.id - b.id)) {
    records.set(record.id, record)
    if (record.isOpen) open.set(record.id, record)
    if (record.upstream === undefined) nextId = Math.max(nextId, record.id + 1)
  }

  const matches = {
    start: (record: AlertRecord) => record.isOpen,
    end: (record: AlertRecord) => record.lifecycle === 'end',
    all: () => true,
  } as const

  /** If no record changes, a listing changes only when its oldest record becomes too old. */
  function listed(lifecycle: keyof typeof matches): readonly AlertRecord[] {
    const last = made.get(lifecycle)
    if (last !== undefined && nowMs() <= last.untilMs) return last.list
    const sinceMs = nowMs() - ageMaxMs
    const source = lifecycle === 'start' ? open : records
    const found = [...source.values()].filter(
      // Alerts that fire at a Prometheus now are listed whatever their age.
      (record) => (record.timeMs >= sinceMs || isHeld(record)) && matches[lifecycle](record),
    )
    const list = sorted(found, order)
    const oldestMs = list.reduce(
      (least, record) => (isHeld(record) ? least : Math.min(least, record.timeMs)),
      Number.POSITIVE_INFINITY,
    )
    made.set(lifecycle, { untilMs: oldestMs + ageMaxMs, list })
    return list
  }

  return {
    open: (draft) => {
      const timeMs = nowMs()
      return add({ ...draft, timeMs, openedMs: timeMs, lifecycle: 'start', isOpen: true, endedMs: null })
    },
    oneoff: (draft) => {
      const timeMs = nowMs()
      return add({
        ...draft,
        timeMs,
        openedMs: timeMs,
        lifecycle: 'oneoff',
        metric: null,
        value: null,
        key: null,
        limit: null,
        triggerId: null,
        isOpen: false,
        endedMs: null,
        closesAtMs: null,
      })
    },
    openUpstream(draft) {
      const id = freeId(draft.upstream.fingerprint, draft.timeMs)
      // If its clock is ahead, the alert starts now: no alert may close before it began.
      const timeMs = Math.min(draft.timeMs, nowMs())
      return put({ ...draft, id, timeMs, openedMs: timeMs, lifecycle: 'start', isOpen: true, endedMs: null })
    },
    addClosed(draft, endedMs) {
      const { timeMs, upstream } = draft
      const begun = { ...draft, openedMs: timeMs, isOpen: false, endedMs }
      const id = freeId(upstream.fingerprint, timeMs)
      if (form === 'flip') return put({ ...begun, id, lifecycle: 'end' })
      put({ ...begun, id, lifecycle: 'start' })
      return put({
        ...begun,
        timeMs: endedMs,
        id: freeId(`${upstream.fingerprint} end`, endedMs),
        lifecycle: 'end',
      })
    },
    close(id, value = null, endedMs = nowMs()) {
      const record = open.get(id)
      if (record === undefined) return null
      return ledger.together(() => {
        if (form === 'flip') return put({ ...record, lifecycle: 'end', isOpen: false, endedMs })
        put({ ...record, isOpen: false, endedMs })
        const end = {
          ...record,
          timeMs: endedMs,
          lifecycle: 'end',
          isOpen: false,
          endedMs,
          value: value ?? record.value,
        } as const
        return record.upstream === undefined
          ? add(end)
          : put({ ...end, id: freeId(`${record.upstream.fingerprint} end`, endedMs) })
      })
    },
    adopt(id, triggerId) {
      const record = open.get(id)
      if (record !== undefined) put({ ...record, triggerId })
    },
    get: (id) => records.get(id),
    openAlerts: () => [...open.values()],
    list: (lifecycle, offset) => listed(lifecycle).slice(offset, offset + pageSize),
    prune() {
      const sinceMs = nowMs() - ageMaxMs
      for (const record of records.values()) {
        if (record.timeMs >= sinceMs) return
        if (!record.isOpen) remove(record.id)
      }
    },
  }
}

function isHeld({ isOpen, upstream }: AlertRecord): boolean {
  return isOpen && upstream !== undefined
}

function sorted(records: readonly AlertRecord[], order: AlertOrder): AlertRecord[] {
  const oldestFirst = records.toSorted((a, b) => a.id - b.id)
  switch (order) {
    case 'oldest':
      return oldestFirst
    case 'newest':
      return oldestFirst.reverse()
    case 'shuffled':
      return oldestFirst.sort((a, b) => hashOf(String(a.id)) - hashOf(String(b.id)) || a.id - b.id)
  }
}
