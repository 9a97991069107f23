/**
 * Fills in servers and titles that cannot be read, with those of the stored alert, of the other list, or of a later poll.
 * Otherwise it would be a different alert each time.
 */
import { type Alert, type AlertRecord, isUnknownServer } from '../../domain/alert/alert.ts'
import { numberOf, placeOf } from '../../domain/alert/episode.ts'
import type { Memory } from '../../domain/alert/snapshot.ts'
import type { Lists } from './lists.ts'
import { isSameTime } from './matching.ts'

type Fields = Pick<Alert, 'alertId' | 'hostname' | 'serverName' | 'title'>

/** The lists and the stored alerts, each with its missing fields taken from the other, or from the other list. */
export function withLostFields(
  lists: Lists,
  memory: Memory,
): { readonly lists: Lists; readonly memory: Memory } {
  const both = [lists.open.alertRecords, lists.all.alertRecords] as const
  const incomplete = [...memory.alerts.values()].filter(lacks)
  if (incomplete.length === 0 && !both.some((list) => list.some(lacks))) return { lists, memory }
  const { nowMs } = lists
  const remembered = newestByNumber(memory)
  const [open, all] = both.map((list) => Map.groupBy(list, ({ alertId }) => alertId))
  const fill =
    (own = new Map<string, AlertRecord[]>(), other = new Map<string, AlertRecord[]>()) =>
    (record: AlertRecord): AlertRecord => {
      if (!lacks(record)) return record
      const known = remembered.get(record.alertId)
      const twins = other.get(record.alertId) ?? []
      const isElsewhere = ({ hostname }: AlertRecord) =>
        !own.get(record.alertId)?.some((one) => one.hostname === hostname)
      const near = twins.filter(
        (twin) => isSameTime(twin.timeMs, record.timeMs, nowMs) && !isUnknownServer(twin.hostname),
      )
      // Two records of one number in one list are two alerts: the server of the other one is not that of this one.
      return taken(taken(record, known === undefined ? [] : [known]), near.filter(isElsewhere), near)
    }
  const filled = {
    ...lists,
    open: { ...lists.open, alertRecords: both[0].map(fill(open, all)) },
    all: { ...lists.all, alertRecords: both[1].map(fill(all, open)) },
  }
  if (incomplete.length === 0) return { lists: filled, memory }
  const listed = Map.groupBy(
    [...filled.open.alertRecords, ...filled.all.alertRecords],
    ({ alertId }) => alertId,
  )
  const alerts = new Map(memory.alerts)
  for (const alert of incomplete) {
    const records = listed.get(numberOf(alert.alertId)) ?? []
    // While it is listed as it is remembered, a record beside it is another alert.
    if (records.some(lacks)) continue
    const near = records.filter(({ timeMs }) => isSameTime(alert.startedMs, timeMs, nowMs))
    alerts.set(alert.alertId, taken(alert, near))
  }
  return { lists: filled, memory: { ...memory, alerts } }
}

/** With what it lacks, where those give one value. */
function taken<Of extends Fields>(
  fields: Of,
  servers: readonly Fields[],
  titles: readonly Fields[] = servers,
): Of {
  const hosts = new Map(servers.map((one) => [one.hostname, one]))
  const [host] = hosts.size === 1 ? hosts.values() : []
  const hasServer = !isUnknownServer(fields.hostname)
  const server = hasServer || host === undefined ? fields : host
  const words = new Set(
    titles.filter(({ hostname }) => hostname === server.hostname).map(({ title }) => title),
  )
  const [title = ''] = words.size === 1 ? words : []
  const { hostname, serverName } = server
  return { ...fields, hostname, serverName, title: fields.title === '' ? title : fields.title }
}

function newestByNumber({ alerts }: Memory): ReadonlyMap<string, Alert> {
  const newest = new Map<string, Alert>()
  for (const alert of alerts.values()) {
    const number = numberOf(alert.alertId)
    const other = newest.get(number)
    if (other === undefined || placeOf(other.alertId) < placeOf(alert.alertId)) newest.set(number, alert)
  }
  return newest
}

/** Is it a record or an alert whose server or title could not be read? */
export function lacks({ hostname, title }: Pick<Fields, 'hostname' | 'title'>): boolean {
  return title === '' || isUnknownServer(hostname)
}
