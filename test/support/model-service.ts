/** A model of the monitoring service for tests: its two lists, and everything that may happen between requests. */
import type { AlertRecord, Lifecycle } from '../../src/bot/domain/alert/alert.ts'
import type { CloseStyle } from '../../src/bot/domain/alert/end.ts'
import { OutsideFailure } from '../../src/bot/domain/base/failure.ts'
import type { Monitor, Page } from '../../src/bot/flow/ports/ports.ts'

export type Order = 'newest' | 'oldest' | 'shuffled'

type Record = AlertRecord & { readonly isOpen: boolean }

const pageRecords = 50
const dayMs = 24 * 60 * 60 * 1000

export type ModelService = {
  readonly monitor: Monitor
  /** Requests so far, by what they asked for. */
  requests(): number
  open(subject?: Partial<AlertRecord>): string
  close(alertId: string): void
  /** Says something else of an alert from now on. */
  change(alertId: string, over: Partial<AlertRecord>): void
  oneoff(): string
  /** Takes a record out of every listing. */
  remove(alertId: string): void
  /** Lists a closed alert of two days ago, because completely empty lists prove nothing. */
  past(): void
  openIds(): string[]
  /** What happens just before the next requests, one entry each. */
  beforeRequests(moves: readonly (() => void)[]): void
  failNext(failure: OutsideFailure): void
  /** From now on the listings run the other way. */
  reverse(): void
}

export function modelService(options: {
  form: CloseStyle
  order?: Order
  nowMs: () => number
}): ModelService {
  const { form, order = 'newest', nowMs } = options
  const records = new Map<string, Record>()
  const made = new Map<string, { readonly untilMs: number; readonly list: AlertRecord[] }>()
  let lastId = 0
  let requests = 0
  let moves: (() => void)[] = []
  let failure: OutsideFailure | null = null
  let isReversed = false

  function put(record: Record): void {
    records.set(record.alertId, record)
    made.clear()
  }

  function add(lifecycle: Lifecycle, subject: Partial<AlertRecord> = {}): string {
    lastId += 1
    const alertId = String(lastId)
    const host = subject.hostname ?? `web-${lastId % 3}`
    put({
      alertId,
      timeMs: nowMs(),
      serverName: host,
      hostname: host,
      lifecycle,
      title: 'Last minute met or exceeded 90.00, increasing to 95.00',
      plugin: 'CPU',
      metric: `m${lastId % 2}`,
      value: 95,
      url: `https://monitor.example/a/${alertId}`,
      triggerId: null,
      saidSeverity: null,
      isOpen: lifecycle === 'start',
      ...subject,
    })
    return alertId
  }

  function close(alertId: string): void {
    const record = records.get(alertId)
    if (!record?.isOpen) return
    put({ ...record, isOpen: false, lifecycle: form === 'flip' ? 'end' : record.lifecycle })
    if (form === 'pair') {
      const { hostname, serverName, plugin, metric, title, details } = record
      add('end', { hostname, serverName, plugin, metric, title, details })
    }
  }

  /** As it was made last, while nothing has changed and no record of it has grown too old. */
  function list(lifecycle: 'start' | 'end' | 'all'): AlertRecord[] {
    const last = made.get(lifecycle)
    if (last !== undefined && nowMs() < last.untilMs) return last.list
    const fresh = makeList(lifecycle)
    const oldestMs = fresh.reduce((least, { timeMs }) => Math.min(least, timeMs), Number.POSITIVE_INFINITY)
    made.set(lifecycle, { untilMs: oldestMs + 30 * dayMs, list: fresh })
    return fresh
  }

  function makeList(lifecycle: 'start' | 'end' | 'all'): AlertRecord[] {
    const young = [...records.values()].filter((record) => record.timeMs > nowMs() - 30 * dayMs)
    const chosen = young.filter((record) => {
      if (lifecycle === 'all') return true
      return lifecycle === 'start' ? record.isOpen : record.lifecycle === 'end'
    })
    const place = (record: Record) => {
      if (order === 'shuffled') return Math.imul(Number(record.alertId) + 1, 0x9e3779b1) >>> 0
      const sign = (order === 'newest') === isReversed ? 1 : -1
      return sign * (record.timeMs * 1000 + Number(record.alertId))
    }
    return chosen.sort((a, b) => place(a) - place(b)).map(({ isOpen: _, ...alertRecord }) => alertRecord)
  }

  async function alerts(ask: { lifecycle: 'start' | 'end' | 'all'; offset: number }): Promise<Page> {
    moves.shift()?.()
    requests += 1
    const thrown = failure
    failure = null
    if (thrown) throw thrown
    const page = list(ask.lifecycle).slice(ask.offset, ask.offset + pageRecords)
    return { records: page, size: page.length, skipped: 0 }
  }

  const unused = async () => {
    throw new OutsideFailure('unreachable', 'the model answers alerts and roles only')
  }

  return {
    monitor: {
      alerts,
      roles: async () => ({ roles: new Map([['web', ['web-0', 'web-1', 'web-2']]]), skipped: 0 }),
      triggers: unused,
      metrics: unused,
      setServerNotifications: unused,
      setAccountNotifications: unused,
      silences: unused,
      endMute: unused,
      muteAlert: unused,
      previewMute: unused,
      setNoDataGroup: unused,
      addRoles: unused,
      addMarker: unused,
      deleteServer: unused,
      deleteCustomMetrics: unused,
    },
    requests: () => requests,
    open: (subject) => add('start', subject),
    close,
    change: (alertId, over) => {
      const record = records.get(alertId)
      if (record !== undefined) put({ ...record, ...over })
    },
    oneoff: () => add('oneoff'),
    remove: (alertId) => {
      records.delete(alertId)
      made.clear()
    },
    past: () => {
      const alertId = add('start', { timeMs: nowMs() - 2 * dayMs, hostname: 'past-1' })
      put({ ...(records.get(alertId) as Record), alertId: '0', lifecycle: 'end', isOpen: false })
      records.delete(alertId)
      lastId -= 1
    },
    openIds: () => list('start').map((record) => record.alertId),
    beforeRequests: (next) => {
      moves = [...next]
    },
    reverse: () => {
      isReversed = true
      made.clear()
    },
    failNext: (next) => {
      failure = next
    },
  }
}
