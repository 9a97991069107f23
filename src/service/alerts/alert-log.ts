/** Every alert of the last 30 days: opened, closed in one of two forms, and listed as in docs/api.md#alerts. */
import { hashOf } from '../metrics/generator.ts'
import type { Ledger } from '../store/ledger.ts'
import { type AlertRecord, type AlertRecords, openAlertRecords } from './alert-records.ts'

/** Page size and age limit of `alerts.json` (docs/api.md#alerts). */
export const pageSize = 50
export const ageMaxMs = 30 * 24 * 60 * 60_000

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
  | 'limitSide'
  | 'triggerId'
  | 'closesAtMs'
  | 'upstream'
>

/** An alert from a Prometheus, with its start time there. */
export type UpstreamDraft = AlertDraft & {
  readonly upstream: NonNullable<AlertDraft['upstream']>
  readonly timeMs: number
}

/** What may become known of an alert from a Prometheus after it has opened. */
export type UpstreamFacts = {
  readonly upstream?: Partial<UpstreamDraft['upstream']>
} & Partial<Pick<AlertDraft, 'metric' | 'value' | 'key' | 'limit' | 'limitSide'>>

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
  /** Notes what is known of an upstream alert now; what it does not name stays, and `undefined` takes a field of `upstream` away. */
  note(id: number, facts: UpstreamFacts): void
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
  const records = openAlertRecords(ledger, nowMs())
  const listed = openListings(records, order, nowMs)

  return {
    open: (draft) => records.add({ ...draft, ...startedAt(nowMs()) }),
    oneoff: (draft) => {
      const timeMs = nowMs()
      return records.add({
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
      // If its clock is ahead, the alert starts now: no alert may close before it began.
      const timeMs = Math.min(draft.timeMs, nowMs())
      return records.addUpstream(draft.upstream.fingerprint, draft.timeMs, { ...draft, ...startedAt(timeMs) })
    },
    addClosed(draft, endedMs) {
      const { timeMs, upstream } = draft
      const begun = { ...draft, openedMs: timeMs, isOpen: false, endedMs }
      const lifecycle = form === 'flip' ? 'end' : 'start'
      const first = records.addUpstream(upstream.fingerprint, timeMs, { ...begun, lifecycle })
      if (form === 'flip') return first
      const end = { ...begun, timeMs: endedMs, lifecycle: 'end' } as const
      return records.addUpstream(`${upstream.fingerprint} end`, endedMs, end)
    },
    close(id, value = null, endedMs = nowMs()) {
      const record = records.get(id)
      if (record?.isOpen !== true) return null
      const closed = { ...record, isOpen: false, endedMs }
      return ledger.together(() => {
        if (form === 'flip') return records.put({ ...closed, lifecycle: 'end' })
        records.put(closed)
        const end = { ...closed, timeMs: endedMs, lifecycle: 'end', value: value ?? record.value } as const
        return record.upstream === undefined
          ? records.add(end)
          : records.addUpstream(`${record.upstream.fingerprint} end`, endedMs, end)
      })
    },
    adopt(id, triggerId) {
      const record = records.get(id)
      if (record?.isOpen === true) records.put({ ...record, triggerId })
    },
    note(id, { upstream, ...facts }) {
      const record = records.get(id)
      if (record?.upstream === undefined) return
      records.put({ ...record, ...facts, upstream: { ...record.upstream, ...upstream } })
    },
    get: records.get,
    openAlerts: () => [...records.open()],
    list: (lifecycle, offset) => listed(lifecycle).slice(offset, offset + pageSize),
    prune() {
      const sinceMs = nowMs() - ageMaxMs
      for (const record of records.all()) {
        if (record.timeMs >= sinceMs) return
        if (!record.isOpen) records.remove(record.id)
      }
    },
  }
}

function startedAt(timeMs: number) {
  return { timeMs, openedMs: timeMs, lifecycle: 'start', isOpen: true, endedMs: null } as const
}

const matches = {
  start: (record: AlertRecord) => record.isOpen,
  end: (record: AlertRecord) => record.lifecycle === 'end',
  all: () => true,
} as const
type Lifecycle = keyof typeof matches

/** Caches each listing, as a client that reads 50,000 alerts requests a thousand pages of the same one. */
function openListings(records: AlertRecords, order: AlertOrder, nowMs: () => number) {
  const made = new Map<Lifecycle, { readonly untilMs: number; readonly list: readonly AlertRecord[] }>()
  let revision = records.revision()

  function make(lifecycle: Lifecycle) {
    const sinceMs = nowMs() - ageMaxMs
    const source = lifecycle === 'start' ? records.open() : records.all()
    const found = [...source].filter(
      // Alerts that fire at a Prometheus now are listed whatever their age.
      (record) => (record.timeMs >= sinceMs || isHeld(record)) && matches[lifecycle](record),
    )
    const oldestMs = found.reduce(
      (least, record) => (isHeld(record) ? least : Math.min(least, record.timeMs)),
      Number.POSITIVE_INFINITY,
    )
    return { untilMs: oldestMs + ageMaxMs, list: sorted(found, order) }
  }

  /** If no record changes, a listing changes only when its oldest record becomes too old. */
  return (lifecycle: Lifecycle): readonly AlertRecord[] => {
    if (revision !== records.revision()) made.clear()
    revision = records.revision()
    const last = made.get(lifecycle)
    if (last !== undefined && nowMs() <= last.untilMs) return last.list
    const fresh = make(lifecycle)
    made.set(lifecycle, fresh)
    return fresh.list
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
