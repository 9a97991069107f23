/** An account's data besides alerts: servers, roles, notification switches, markers, and deletions. */
import { z } from 'zod'
import { Refusal } from '../refusal.ts'
import type { Ledger } from './ledger.ts'

/** Limits of one account; beyond them new items are refused, or the oldest is dropped. */
export const accountLimits = {
  serversMax: 5_000,
  rolesMax: 1_000,
  markersMax: 1_000,
  hostnameCharsMax: 253,
  roleCharsMax: 100,
} as const

const serverRecord = z.object({
  hostname: z.string(),
  name: z.string(),
  environment: z.string(),
  /**
   * `machine`, `scraped` and `pushed` are measured, `fleet` is generated, `extra` was added by a manual alert;
   * `prometheus` is known from a Prometheus.
   */
  kind: z.enum(['machine', 'scraped', 'pushed', 'fleet', 'extra', 'prometheus']),
  notifications: z.boolean(),
  noDataGroup: z.string().nullable(),
})
const roleRecord = z.object({ hostnames: z.array(z.string()) })
const markerRecord = z.object({ notes: z.string(), atMs: z.number() })
const accountRecord = z.object({ notifications: z.boolean() })

export type Server = Readonly<z.output<typeof serverRecord>>
export type Marker = Readonly<z.output<typeof markerRecord>>

export type Registry = {
  /** By hostname, the same order in every run. */
  servers(): readonly Server[]
  server(hostname: string): Server | undefined
  /** Registers it with notifications on; a known one stays unchanged. */
  addServer(server: Pick<Server, 'hostname' | 'environment' | 'kind'>, roles: readonly string[]): Server
  update(
    server: Server,
    patch: Partial<Pick<Server, 'environment' | 'kind' | 'notifications' | 'noDataGroup'>>,
  ): void
  /** Also removes it from every role; the roles stay, even without servers (docs/api.md#roles). */
  deleteServer(hostname: string): void
  /** Whether it is a deleted fleet or scraped server, which stays away. */
  isDeleted(hostname: string): boolean
  revive(hostname: string): void
  isIn(hostname: string, role: string): boolean
  removeRole(hostname: string, role: string): void
  /** Role name → hostnames, both sorted. */
  roles(): ReadonlyMap<string, readonly string[]>
  /** The server has the role, it is added, or the role is made (docs/api.md#roles). */
  addRole(hostname: string, role: string): 'had' | 'joined' | 'created'
  account(): { readonly notifications: boolean }
  setAccountNotifications(on: boolean): void
  markers(): readonly Marker[]
  addMarker(notes: string, atMs: number): void
  deleteCustomMetric(name: string): void
  isCustomMetricDeleted(name: string): boolean
}

/** Whether its metrics are really measured. */
export function isMeasured(server: Server | undefined): boolean {
  return server !== undefined && server.kind !== 'fleet' && server.kind !== 'extra'
}

/** Why a text cannot be a hostname; null if it can. */
export function hostnameFault(text: string): string | null {
  if (text === '' || text === '.' || text === '..') return 'it is empty or made of dots'
  if (text.length > accountLimits.hostnameCharsMax) {
    return `it has ${text.length} characters, at most ${accountLimits.hostnameCharsMax} are allowed`
  }
  return /\p{Cc}/u.test(text) || !text.isWellFormed()
    ? 'it holds control characters or half a character'
    : null
}

export function openRegistry(ledger: Ledger): Registry {
  const servers = new Map<string, Server>()
  const deletedServers = new Set(ledger.load('deleted-server', z.object({})).map(({ key }) => key))
  const deletedMetrics = new Set(ledger.load('deleted-metric', z.object({})).map(({ key }) => key))
  const roles = openRoles(ledger)
  let account = { notifications: true }

  for (const { value } of ledger.load('server', serverRecord)) servers.set(value.hostname, value)
  for (const { value } of ledger.load('account', accountRecord)) account = value

  return {
    servers: () => [...servers.values()].sort((a, b) => (a.hostname < b.hostname ? -1 : 1)),
    server: (hostname) => servers.get(hostname),
    addServer({ hostname, environment, kind }, ownRoles) {
      const known = servers.get(hostname)
      if (known !== undefined) return known
      if (servers.size >= accountLimits.serversMax) {
        throw new Refusal(422, `expected at most ${accountLimits.serversMax} servers; there are that many`)
      }
      const server: Server = {
        hostname,
        name: hostname,
        environment,
        kind,
        notifications: true,
        noDataGroup: null,
      }
      ledger.put('server', hostname, server)
      servers.set(hostname, server)
      for (const role of ownRoles) roles.addRole(hostname, role)
      return server
    },
    update(server, patch) {
      const next = { ...server, ...patch }
      ledger.put('server', server.hostname, next)
      servers.set(server.hostname, next)
    },
    deleteServer(hostname) {
      ledger.remove('server', hostname)
      const kind = servers.get(hostname)?.kind
      if (kind === 'fleet' || kind === 'scraped') {
        ledger.put('deleted-server', hostname, {})
        deletedServers.add(hostname)
      }
      servers.delete(hostname)
      roles.removeServer(hostname)
    },
    isDeleted: (hostname) => deletedServers.has(hostname),
    revive(hostname) {
      ledger.remove('deleted-server', hostname)
      deletedServers.delete(hostname)
    },
    isIn: roles.isIn,
    removeRole: roles.removeRole,
    roles: roles.roles,
    addRole: roles.addRole,
    account: () => account,
    setAccountNotifications(on) {
      ledger.put('account', 'account', { notifications: on })
      account = { notifications: on }
    },
    ...openMarkers(ledger),
    deleteCustomMetric(name) {
      ledger.put('deleted-metric', name, {})
      deletedMetrics.add(name)
    },
    isCustomMetricDeleted: (name) => deletedMetrics.has(name),
  }
}

type Roles = Pick<Registry, 'isIn' | 'removeRole' | 'roles' | 'addRole'> & {
  /** From every role. */
  removeServer(hostname: string): void
}

function openRoles(ledger: Ledger): Roles {
  const roles = new Map<string, ReadonlySet<string>>()
  for (const { key, value } of ledger.load('role', roleRecord)) roles.set(key, new Set(value.hostnames))

  function setRole(role: string, hostnames: ReadonlySet<string>): void {
    ledger.put('role', role, { hostnames: [...hostnames] })
    roles.set(role, hostnames)
  }

  function removeRole(hostname: string, role: string): void {
    const members = roles.get(role)
    if (members?.has(hostname) === true)
      setRole(role, new Set([...members].filter((one) => one !== hostname)))
  }

  /** Role names that change with each deployment must not block new ones. False if every role has a server. */
  function forgetEmptyRole(): boolean {
    const empty = [...roles].find(([, members]) => members.size === 0)
    if (empty === undefined) return false
    ledger.remove('role', empty[0])
    return roles.delete(empty[0])
  }

  return {
    isIn: (hostname, role) => roles.get(role)?.has(hostname) === true,
    removeRole,
    roles: () =>
      new Map([...roles].sort(byName).map(([role, members]) => [role, [...members].sort()] as const)),
    addRole(hostname, role) {
      const known = roles.get(role)
      if (known?.has(hostname) === true) return 'had'
      if (known === undefined && roles.size >= accountLimits.rolesMax && !forgetEmptyRole()) {
        throw new Refusal(422, `expected at most ${accountLimits.rolesMax} roles; there are that many`)
      }
      setRole(role, new Set([...(known ?? []), hostname]))
      return known === undefined ? 'created' : 'joined'
    },
    removeServer(hostname) {
      for (const role of roles.keys()) removeRole(hostname, role)
    },
  }
}

function openMarkers(ledger: Ledger): Pick<Registry, 'markers' | 'addMarker'> {
  const markers = ledger.load('marker', markerRecord).map(({ key, value }) => ({ key, marker: value }))
  let nextMarker = Number(markers.at(-1)?.key ?? 0) + 1

  return {
    markers: () => markers.map(({ marker }) => marker),
    addMarker(notes, atMs) {
      const key = String(nextMarker).padStart(12, '0')
      ledger.together(() => {
        ledger.put('marker', key, { notes, atMs })
        const old = markers.length < accountLimits.markersMax ? undefined : markers[0]
        if (old !== undefined) ledger.remove('marker', old.key)
      })
      nextMarker += 1
      markers.push({ key, marker: { notes, atMs } })
      if (markers.length > accountLimits.markersMax) markers.shift()
    },
  }
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1
}
