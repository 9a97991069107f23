/** Keeps the servers that the file names in the registry, with their environments and roles, for as long as it names them. */
import { z } from 'zod'
import type { Target } from '../config/read-config.ts'
import type { Generated } from '../metrics/generated.ts'
import { quoted, Refusal } from '../refusal.ts'
import type { Ledger } from '../store/ledger.ts'
import type { Registry } from '../store/registry.ts'

const targetRecord = z.object({ roles: z.array(z.string()) })

/**
 * Returns a function that applies the targets of a file; one that the registry refuses is reported, and the others are applied.
 */
export function openFileServers(parts: {
  readonly registry: Registry
  readonly generated: Generated
  readonly ledger: Ledger
  readonly report: (line: string) => void
}): (targets: readonly Target[]) => void {
  const { registry, generated, ledger, report } = parts
  /** Roles from the file: they go when the file drops them; roles added over the API stay. */
  const rolesGiven = new Map(
    ledger.load('target', targetRecord).map(({ key, value }) => [key, value.roles] as const),
  )

  function settle({ server, environment, roles }: Target): void {
    const known = registry.server(server)
    // It was simulated until now: simulated data is not the real server's history.
    if (known?.kind === 'fleet' || known?.kind === 'extra') generated.removeServer(server)
    const one = known ?? registry.addServer({ hostname: server, environment, kind: 'scraped' }, [])
    if (one.kind !== 'scraped' || one.environment !== environment) {
      registry.update(one, { kind: 'scraped', environment })
    }
    const given = rolesGiven.get(server) ?? []
    for (const role of given) if (!roles.includes(role)) registry.removeRole(server, role)
    for (const role of roles) registry.addRole(server, role)
    if (rolesGiven.has(server) && JSON.stringify(given) === JSON.stringify(roles)) return
    rolesGiven.set(server, [...roles])
    ledger.put('target', server, { roles: [...roles] })
  }

  function settleAll(targets: readonly Target[]): void {
    const names = new Set(targets.map(({ server }) => server))
    for (const { hostname, kind } of registry.servers()) {
      if (kind === 'scraped' && !names.has(hostname)) registry.deleteServer(hostname)
    }
    for (const server of rolesGiven.keys()) {
      if (names.has(server)) continue
      // If named again, it comes back even if it was deleted.
      registry.revive(server)
      rolesGiven.delete(server)
      ledger.remove('target', server)
    }
    for (const target of targets) {
      if (registry.isDeleted(target.server) && rolesGiven.has(target.server)) continue
      try {
        settle(target)
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        report(`${quoted(target.server)} of the file cannot be taken up as it is: ${error.message}`)
      }
    }
  }

  return (targets) => ledger.together(() => settleAll(targets))
}
