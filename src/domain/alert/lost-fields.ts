/** Fields that can no longer be read in a record keep their remembered values, because nothing says that they changed. */
import { type Alert, type AlertRecord, isUnknownServer } from './alert.ts'
import { numberOf, placeOf } from './episode.ts'
import type { Memory, Snapshot } from './snapshot.ts'

/** The same snapshot; without this, an alert whose title or server can no longer be read would be a different one. */
export function withLostFields(snapshot: Snapshot, memory: Memory): Snapshot {
  if (![...snapshot.open.alertRecords, ...snapshot.all.alertRecords].some(lacks)) return snapshot
  const known = new Map<string, Alert>()
  for (const alert of memory.alerts.values()) {
    const number = numberOf(alert.alertId)
    const other = known.get(number)
    if (other === undefined || placeOf(other.alertId) < placeOf(alert.alertId)) known.set(number, alert)
  }
  const filled = (seen: AlertRecord): AlertRecord => {
    const alert = lacks(seen) ? known.get(seen.alertId) : undefined
    if (alert === undefined) return seen
    const { hostname, serverName, title } = alert
    return {
      ...seen,
      ...(isUnknownServer(seen.hostname) ? { hostname, serverName } : {}),
      ...(seen.title === '' ? { title } : {}),
    }
  }
  return {
    ...snapshot,
    open: { ...snapshot.open, alertRecords: snapshot.open.alertRecords.map(filled) },
    all: { ...snapshot.all, alertRecords: snapshot.all.alertRecords.map(filled) },
  }
}

function lacks({ hostname, title }: AlertRecord): boolean {
  return title === '' || isUnknownServer(hostname)
}
