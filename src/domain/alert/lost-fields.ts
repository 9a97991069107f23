/** Fields that a record had once and that cannot be read any more: what was remembered stands, for nothing says that it changed. */
import { type Alert, isUnknownServer, type Sighting } from './alert.ts'
import { numberOf, placeOf } from './episode.ts'
import type { Look, Memory } from './snapshot.ts'

/** The same look; without this an alert whose title or server cannot be read any more would be another one. */
export function withLostFields(look: Look, memory: Memory): Look {
  if (![...look.open.sightings, ...look.all.sightings].some(lacks)) return look
  const known = new Map<string, Alert>()
  for (const alert of memory.alerts.values()) {
    const number = numberOf(alert.alertId)
    const other = known.get(number)
    if (other === undefined || placeOf(other.alertId) < placeOf(alert.alertId)) known.set(number, alert)
  }
  const filled = (seen: Sighting): Sighting => {
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
    ...look,
    open: { ...look.open, sightings: look.open.sightings.map(filled) },
    all: { ...look.all, sightings: look.all.sightings.map(filled) },
  }
}

function lacks({ hostname, title }: Sighting): boolean {
  return title === '' || isUnknownServer(hostname)
}
