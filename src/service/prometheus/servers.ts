/**
 * The servers of a Prometheus in the registry: those of `up` and of alerts, with roles from their labels, as last read,
 * overlaid with the ledger: switches, groups, added roles, and deletions.
 */
import { z } from 'zod'
import { Refusal } from '../refusal.ts'
import type { Ledger } from '../store/ledger.ts'
import { accountLimits, type Registry, type Server } from '../store/registry.ts'
import { everywhere, type Labels, type Named, type NamedBy, nameOf } from './naming.ts'
import type { PrometheusSettings } from './settings.ts'

/** A deleted server counts as a new one when it is seen after being away for this long. */
const awayMs = 24 * 60 * 60_000
/** How often the ledger notes that a deleted server is still there. */
const noteEveryMs = 10 * 60_000
const environmentUsual = 'production'
const roleCharsMax = accountLimits.roleCharsMax

const tombstone = z.object({ seenMs: z.number() })

export type Servers = {
  readonly registry: Registry
  /** The ways in which labels name a server: its silences must match each. */
  waysOf(hostname: string): readonly Named[]
  /** Takes the current labels: of `up` (null: not queried this time), and of what fires. */
  see(seen: { readonly up: readonly Labels[] | null; readonly alerts: readonly Labels[] }): void
}

type Seen = {
  readonly environment: string
  readonly roles: ReadonlySet<string>
  readonly by: ReadonlySet<NamedBy>
}

export function openServers(parts: {
  readonly registry: Registry
  readonly ledger: Ledger
  readonly settings: PrometheusSettings
  readonly nowMs: () => number
  readonly report: (line: string) => void
}): Servers {
  const { registry: own, ledger, settings, nowMs, report } = parts
  const tombstones = openTombstones(ledger, nowMs)
  let ofUp: ReadonlyMap<string, Seen> = new Map()
  let ofAlerts: ReadonlyMap<string, Seen> = new Map()
  let known: ReadonlyMap<string, Seen> = new Map()
  /** Cached, because lists of thousands are requested again and again. */
  let roles: ReadonlyMap<string, readonly string[]> | null = null
  let servers: readonly Server[] | null = null
  let isFull = false

  function changed(): void {
    roles = null
    servers = null
  }

  function find(hostname: string): Server | undefined {
    const seen = known.get(hostname)
    return seen === undefined ? own.server(hostname) : serverOf(hostname, seen, own)
  }

  /** Stored with the first change to it. */
  function keep(server: Server): Server {
    return own.addServer(server, [])
  }

  const registry: Registry = {
    ...own,
    servers() {
      servers ??= [
        ...[...known].map(([hostname, seen]) => serverOf(hostname, seen, own)),
        ...own.servers().filter(({ hostname }) => !known.has(hostname)),
      ].sort((a, b) => (a.hostname < b.hostname ? -1 : 1))
      return servers
    },
    server: find,
    addServer(server, ownRoles) {
      changed()
      return own.addServer(server, ownRoles)
    },
    update(server, patch) {
      changed()
      own.update(keep(server), patch)
    },
    deleteServer(hostname) {
      ledger.together(() => {
        tombstones.put(hostname)
        own.deleteServer(hostname)
      })
      known = new Map([...known].filter(([name]) => name !== hostname))
      changed()
    },
    isDeleted: tombstones.has,
    revive: tombstones.remove,
    isIn: (hostname, role) => known.get(hostname)?.roles.has(role) === true || own.isIn(hostname, role),
    roles() {
      roles ??= unitedRoles(known, own.roles())
      return roles
    },
    addRole(hostname, role) {
      if (registry.isIn(hostname, role)) return 'had'
      const isKnown = registry.roles().has(role)
      const server = find(hostname)
      if (server === undefined) throw new Refusal(404, 'no server has this name')
      changed()
      keep(server)
      own.addRole(hostname, role)
      return isKnown ? 'joined' : 'created'
    },
    removeRole(hostname, role) {
      changed()
      own.removeRole(hostname, role)
    },
  }

  return {
    registry,
    waysOf(hostname) {
      const ways = new Set([...(ofUp.get(hostname)?.by ?? []), ...(ofAlerts.get(hostname)?.by ?? [])])
      if (ways.size === 0) ways.add(hostname === everywhere ? 'none' : 'server')
      return [...ways].sort().map((by) => ({ hostname, by }))
    },
    see({ up, alerts }) {
      if (up !== null) ofUp = gather(up, settings)
      ofAlerts = gather(alerts, settings)
      const isGone = (name: string, { by }: Seen) => by.has('server') && tombstones.isFresh(name)
      const all = [...new Map([...ofAlerts, ...ofUp])].filter((one) => !isGone(...one))
      if (all.length > accountLimits.serversMax && !isFull) {
        report(
          `Prometheus knows ${all.length} servers; the first ${accountLimits.serversMax} are listed, alerts of all`,
        )
      }
      isFull = all.length > accountLimits.serversMax
      known = new Map(all.slice(0, accountLimits.serversMax))
      changed()
    },
  }
}

/** What labels say of each server that they name, by hostname. */
function gather(all: readonly Labels[], settings: PrometheusSettings): ReadonlyMap<string, Seen> {
  const found = new Map<string, { environment: string; roles: Set<string>; by: Set<NamedBy> }>()
  for (const labels of all) {
    const { hostname, by } = nameOf(labels, settings)
    const one = found.get(hostname) ?? { environment: environmentUsual, roles: new Set(), by: new Set() }
    one.by.add(by)
    one.environment = labels[settings.environmentLabel] || one.environment
    for (const name of settings.roleLabels) for (const role of rolesIn(labels[name])) one.roles.add(role)
    found.set(hostname, one)
  }
  return found
}

/** A label may list several, separated by commas, as the API cannot name a role with a comma. */
function rolesIn(value: string | undefined): readonly string[] {
  return (value ?? '')
    .split(',')
    .map((role) => role.trim())
    .filter(
      (role) => role !== '' && role.length <= roleCharsMax && !/\p{Cc}/u.test(role) && role.isWellFormed(),
    )
}

/** Its current labels win over the stored ones. */
function serverOf(hostname: string, { environment }: Seen, stored: Registry): Server {
  return {
    hostname,
    name: hostname,
    kind: 'prometheus',
    notifications: true,
    noDataGroup: null,
    ...stored.server(hostname),
    environment,
  }
}

/** The members by labels and the stored ones of each role, both sorted. */
function unitedRoles(
  known: ReadonlyMap<string, Seen>,
  stored: ReadonlyMap<string, readonly string[]>,
): ReadonlyMap<string, readonly string[]> {
  const all = new Map<string, Set<string>>()
  for (const [hostname, { roles }] of known) {
    for (const role of roles) all.set(role, (all.get(role) ?? new Set()).add(hostname))
  }
  for (const [role, members] of stored) {
    all.set(role, new Set([...(all.get(role) ?? []), ...members]))
  }
  return new Map(
    [...all]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([role, members]): [string, readonly string[]] => [role, [...members].sort()]),
  )
}

/** The deleted servers, each with when it was last seen. */
function openTombstones(
  ledger: Ledger,
  nowMs: () => number,
): {
  has(hostname: string): boolean
  /** Whether a server that is seen now is still the deleted one; after a day away it is not, and its tombstone goes. */
  isFresh(hostname: string): boolean
  put(hostname: string): void
  remove(hostname: string): void
} {
  const seenMsOf = new Map(ledger.load('tombstone', tombstone).map(({ key, value }) => [key, value.seenMs]))

  function put(hostname: string): void {
    ledger.put('tombstone', hostname, { seenMs: nowMs() })
    seenMsOf.set(hostname, nowMs())
  }

  function remove(hostname: string): void {
    ledger.remove('tombstone', hostname)
    seenMsOf.delete(hostname)
  }

  return {
    has: (hostname) => seenMsOf.has(hostname),
    isFresh(hostname) {
      const seenMs = seenMsOf.get(hostname)
      if (seenMs === undefined) return false
      if (nowMs() - seenMs >= awayMs) {
        remove(hostname)
        return false
      }
      if (nowMs() - seenMs >= noteEveryMs) put(hostname)
      return true
    },
    put,
    remove,
  }
}
