/**
 * The servers of a Prometheus in the registry: those of `up` and of alerts, with roles from their labels, as last read,
 * overlaid with the ledger: switches, groups, added roles, and deletions.
 */
import { z } from 'zod'
import { Refusal } from '../refusal.ts'
import type { Ledger } from '../store/ledger.ts'
import { accountLimits, type Registry, type Server } from '../store/registry.ts'
import { type Listed, type Move, openFormerNames } from './former-names.ts'
import { type Names, openNames } from './names.ts'
import { everywhere, type Labels, type Named } from './naming.ts'
import type { PrometheusSettings } from './settings.ts'

/** A deleted server counts as a new one when it is seen after being away for this long. */
const awayMs = 24 * 60 * 60_000
/** How often the ledger notes that a deleted server is still there. */
const noteEveryMs = 10 * 60_000
const environmentUsual = 'production'
const roleCharsMax = accountLimits.roleCharsMax

const tombstone = z.object({ seenMs: z.number() })

export type Servers = {
  readonly names: Names
  readonly registry: Registry
  /** The ways in which labels name a server: its silences must match each. */
  waysOf(hostname: string): readonly Named[]
  /**
   * Takes the current labels: of `up` (null: not queried this time), and of what fires. Returns the servers whose names have
   * changed with the file: what the ledger had of them, it now has under the new name.
   */
  see(seen: { readonly up: readonly Labels[] | null; readonly alerts: readonly AlertSeen[] }): readonly Move[]
}

/** `hostname`: the name that it has already. */
export type AlertSeen = { readonly labels: Labels; readonly hostname: string }

type Seen = {
  readonly environment: string
  readonly roles: ReadonlySet<string>
  /** By the text of each. */
  readonly ways: ReadonlyMap<string, Named>
}

export function openServers(parts: {
  readonly registry: Registry
  readonly ledger: Ledger
  readonly settings: PrometheusSettings
  readonly nowMs: () => number
  readonly report: (line: string) => void
}): Servers {
  const { registry: own, ledger, settings, nowMs, report } = parts
  const names = openNames(parts)
  const former = openFormerNames({ names, own })
  const tombstones = openTombstones(ledger, nowMs)
  let ofUp: ReadonlyMap<string, Seen> = new Map()
  let ofAlerts: ReadonlyMap<string, Seen> = new Map()
  let isFull = false
  const listed = openListed({ own, ledger, tombstones, nowNamed: former.nowNamed })

  const isOfObjects = (labels: Labels): boolean => names.isOfObjects(labels.job ?? '')

  function namedOf({ labels, hostname }: AlertSeen): NamedLabels {
    const named = names.of(labels)
    const isFormer = hostname !== named.hostname
    return { labels, named: isFormer ? names.underFormer(hostname, labels) : named }
  }

  return {
    names,
    registry: listed.registry,
    waysOf(hostname) {
      const ways = new Map([...(ofUp.get(hostname)?.ways ?? []), ...(ofAlerts.get(hostname)?.ways ?? [])])
      if (ways.size > 0) return [...ways].sort(byText).map(([, named]) => named)
      // A label alone tells how a server would be named; templates do not.
      if (names.form.kind !== 'label') return []
      return [{ hostname, by: hostname === everywhere ? 'none' : 'server', used: [] }]
    },
    see({ up, alerts }) {
      if (up !== null) {
        const named = up.map((labels) => ({ labels, named: names.of(labels) }))
        ofUp = gather(named, settings, isOfObjects)
      }
      ofAlerts = gather(alerts.map(namedOf), settings, isOfObjects)
      const isGone = (name: string, { ways }: Seen) =>
        [...ways.values()].some(({ by }) => by === 'server') && tombstones.isFresh(name)
      const all = [...new Map([...ofAlerts, ...ofUp])].filter((one) => !isGone(...one))
      if (all.length > accountLimits.serversMax && !isFull) {
        report(
          `Prometheus knows ${all.length} servers; the first ${accountLimits.serversMax} are listed, alerts of all`,
        )
      }
      isFull = all.length > accountLimits.serversMax
      listed.use(new Map(all.slice(0, accountLimits.serversMax)))
      former.see(
        up,
        alerts.map(({ labels }) => labels),
      )
      return ledger.together(() => former.move(listed))
    },
  }
}

/** The servers that are listed: those of labels, over what the ledger has of them. */
function openListed(parts: {
  readonly own: Registry
  readonly ledger: Ledger
  readonly tombstones: Tombstones
  readonly nowNamed: (hostname: string) => string | undefined
}): Listed & { use(seen: ReadonlyMap<string, Seen>): void } {
  const { own, ledger, tombstones, nowNamed } = parts
  let known: ReadonlyMap<string, Seen> = new Map()
  /** Cached, because lists of thousands are requested again and again. */
  let roles: ReadonlyMap<string, readonly string[]> | null = null
  let servers: readonly Server[] | null = null

  function changed(): void {
    roles = null
    servers = null
  }

  function find(hostname: string): Server | undefined {
    const seen = known.get(hostname)
    if (seen !== undefined) return serverOf(hostname, seen, own)
    const stored = own.server(hostname)
    const now = stored === undefined ? nowNamed(hostname) : undefined
    const current = now === undefined ? undefined : known.get(now)
    return now === undefined || current === undefined ? stored : serverOf(now, current, own)
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
    has: (hostname) => known.has(hostname),
    use(seen) {
      known = seen
      changed()
    },
  }
}

type NamedLabels = { readonly labels: Labels; readonly named: Named }

/** What labels say of each server that they name, by hostname. */
function gather(
  all: readonly NamedLabels[],
  { environmentLabel, roleLabels }: PrometheusSettings,
  isOfObjects: (labels: Labels) => boolean,
): ReadonlyMap<string, Seen> {
  const found = new Map<string, { environment: string; roles: Set<string>; ways: Map<string, Named> }>()
  for (const { labels, named } of all) {
    const { hostname, by, way = '' } = named
    const one = found.get(hostname) ?? { environment: environmentUsual, roles: new Set(), ways: new Map() }
    one.ways.set(`${by} ${way}`, named)
    one.environment = labels[environmentLabel] || one.environment
    for (const name of roleLabels) {
      // Who reports about everything is no role of anything.
      if (name === 'job' && isOfObjects(labels)) continue
      for (const role of rolesIn(labels[name])) one.roles.add(role)
    }
    found.set(hostname, one)
  }
  return found
}

const byText = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : 1)

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

type Tombstones = {
  has(hostname: string): boolean
  /** Whether a server that is seen now is still the deleted one; after a day away it is not, and its tombstone goes. */
  isFresh(hostname: string): boolean
  put(hostname: string): void
  remove(hostname: string): void
}

/** The deleted servers, each with when it was last seen. */
function openTombstones(ledger: Ledger, nowMs: () => number): Tombstones {
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
