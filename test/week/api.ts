/** The monitoring API of the week: its two listings, which stay fast however much has happened, and what is muted there. */
import type { AlertRecord, Lifecycle } from '../../src/bot/domain/alert/alert.ts'
import { OutsideFailure } from '../../src/bot/domain/base/failure.ts'
import type { Monitor, Page } from '../../src/bot/flow/ports/ports.ts'
import { hosts } from './hosts.ts'

/** Of every metric at every time: a value that moves would have each open card edited. */
const steady = [
  [2, 2, 2],
  [2, 2, 2],
] as const
/** Records on a page (docs/api.md#pages). */
const pageRecords = 50
/** Records that have left the listing are dropped so many at a time. */
const droppedAtOnce = 2_000

type Entry = { alertRecord: AlertRecord; isOpen: boolean }

export type Subject = Pick<AlertRecord, 'hostname' | 'plugin' | 'metric'>

export type WeekApi = {
  readonly monitor: Monitor
  /** Answers the id. */
  open(subject: Subject): string
  close(alertId: string): void
  oneoff(subject: Subject): void
  openIds(): readonly string[]
  /** The next reading of what is open leaves these out, though they are open. */
  leaveOut(alertIds: readonly string[], readings: number): void
  /** Whether it answers at all. */
  setAway(isAway: boolean): void
  /** Hostnames whose notifications are off. */
  readonly silenced: ReadonlySet<string>
  requests(): number
}

/** Newest first, and a closed record flips, as the service does it; what is older than `listedForMs` is not listed. */
export function weekApi(options: { readonly nowMs: () => number; readonly listedForMs: number }): WeekApi {
  const { nowMs, listedForMs } = options
  const listed: Entry[] = []
  /** Where in `listed` the oldest one is that is still shown. */
  let first = 0
  const open = new Map<string, Entry>()
  const leftOut = new Map<string, number>()
  const silenced = new Set<string>()
  let lastId = 0
  let requests = 0
  let isAway = false
  /** Made for the first page and kept for those that follow it: nothing moves while one reading goes on. */
  let openNow: readonly AlertRecord[] = []

  function add(lifecycle: Lifecycle, { hostname, plugin, metric }: Subject): Entry {
    lastId += 1
    const alertId = String(lastId)
    const entry: Entry = {
      isOpen: lifecycle === 'start',
      alertRecord: {
        alertId,
        timeMs: nowMs(),
        serverName: hostname,
        hostname,
        lifecycle,
        title: `Last minute met or exceeded ${1 + (lastId % 9)}.00`,
        plugin,
        metric,
        value: 1 + (lastId % 100),
        url: `https://monitor.example/a/${alertId}`,
        triggerId: null,
        saidSeverity: null,
      },
    }
    listed.push(entry)
    return entry
  }

  function pageOfAll(offset: number): readonly AlertRecord[] {
    while (first < listed.length && (listed[first]?.alertRecord.timeMs ?? 0) < nowMs() - listedForMs)
      first += 1
    if (first > droppedAtOnce) first -= listed.splice(0, first).length
    const end = Math.max(first, listed.length - offset)
    return listed
      .slice(Math.max(first, end - pageRecords), end)
      .reverse()
      .map(({ alertRecord }) => alertRecord)
  }

  function pageOfOpen(offset: number): readonly AlertRecord[] {
    if (offset === 0) {
      openNow = [...open.values()]
        .map(({ alertRecord }) => alertRecord)
        .filter(({ alertId }) => !leftOut.has(alertId))
        .reverse()
      for (const [alertId, readings] of leftOut) {
        if (readings > 1) leftOut.set(alertId, readings - 1)
        else leftOut.delete(alertId)
      }
    }
    return openNow.slice(offset, offset + pageRecords)
  }

  function answer<Answer>(give: () => Answer): Promise<Answer> {
    requests += 1
    if (isAway) return Promise.reject(new OutsideFailure('unreachable', 'the monitoring API is away'))
    return Promise.resolve(give())
  }

  const done = () => answer(() => 'done')
  const roles = new Map(Object.entries(hosts))

  return {
    monitor: {
      alerts: ({ lifecycle, offset }) =>
        answer((): Page => {
          const records = lifecycle === 'start' ? pageOfOpen(offset) : pageOfAll(offset)
          return { records, size: records.length, skipped: 0 }
        }),
      roles: () => answer(() => ({ roles, skipped: 0 })),
      triggers: () => answer(() => ({ triggers: [], skipped: 0 })),
      metrics: ({ metric }) =>
        answer(() => ({
          timestampsMs: [nowMs() - 60_000, nowMs()],
          series: [{ label: metric, units: '', points: steady }],
          skipped: 0,
        })),
      setServerNotifications: (hostname, on) =>
        answer(() => {
          if (on) silenced.delete(hostname)
          else silenced.add(hostname)
          return 'done'
        }),
      setAccountNotifications: done,
      silences: () => answer(() => []),
      endMute: done,
      muteAlert: done,
      previewMute: () => answer(() => ({ matchers: [], alerts: [], hides: 0 })),
      setNoDataGroup: done,
      addRoles: done,
      addMarker: done,
      deleteServer: done,
      deleteCustomMetrics: done,
    },
    open: (subject) => {
      const entry = add('start', subject)
      open.set(entry.alertRecord.alertId, entry)
      return entry.alertRecord.alertId
    },
    close: (alertId) => {
      const entry = open.get(alertId)
      if (entry === undefined) return
      open.delete(alertId)
      entry.isOpen = false
      entry.alertRecord = { ...entry.alertRecord, lifecycle: 'end' }
    },
    oneoff: (subject) => void add('oneoff', subject),
    openIds: () => [...open.keys()],
    leaveOut: (alertIds, readings) => {
      for (const alertId of alertIds) if (open.has(alertId)) leftOut.set(alertId, readings)
    },
    setAway: (away) => {
      isAway = away
    },
    silenced,
    requests: () => requests,
  }
}
