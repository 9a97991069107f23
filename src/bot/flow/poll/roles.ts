/** Reads the roles of servers, only when a new alert needs them: they decide its route and are shown on its card. */
import { OutsideFailure, stoppingCode } from '../../domain/base/failure.ts'
import { isWithin } from '../../domain/base/set-clock.ts'
import { within } from '../concurrency/within.ts'
import type { Clock, Logger, Monitor } from '../ports/ports.ts'

const freshMs = 60_000
/** How long an alert waits for its roles; then it is announced with those known before, or without. */
const patienceMs = 3_000

export type RoleBook = {
  /**
   * Returns the roles. Throws only if monbot stops, because a route that was decided without roles would stay after the next
   * start.
   */
  rolesOf(hostnames: readonly string[]): Promise<(hostname: string) => string[]>
  /** Why the last new alerts may lack roles, and may therefore be in the wrong channel; null if they lack none. */
  doubt(): string | null
}

export function openRoleBook(ports: { monitor: Monitor; clock: Clock; logger: Logger }): RoleBook {
  const { monitor, clock, logger } = ports
  /** Roles by server, because a role may have tens of thousands of servers, and there may be as many new alerts. */
  let known: ReadonlyMap<string, string[]> = new Map()
  let knownAtMs = Number.NEGATIVE_INFINITY
  let doubt: string | null = null
  let askedMs = Number.NEGATIVE_INFINITY
  let stopped: OutsideFailure | null = null

  async function read(): Promise<void> {
    askedMs = clock.nowMs()
    try {
      const { roles, skipped } = await monitor.roles()
      known = byServer(roles)
      knownAtMs = clock.nowMs()
      doubt = skipped > 0 ? `${skipped} of what the monitoring API lists cannot be read` : null
    } catch (error) {
      if (!(error instanceof OutsideFailure)) throw error
      if (error.code === stoppingCode) stopped = error
      doubt = error.message
      logger.warn('roles:unread', { why: error.message, kind: error.kind })
    }
  }

  return {
    rolesOf: async (hostnames) => {
      const isFresh = isWithin(knownAtMs, clock.nowMs(), freshMs)
      if (hostnames.length > 0 && !isFresh) {
        if ((await within(clock, patienceMs, read())) === 'late') doubt ??= 'the monitoring API takes long'
        if (stopped !== null) throw stopped
      } else if (doubt !== null && !isFresh && !isWithin(askedMs, clock.nowMs(), freshMs)) {
        // Until they can be read, the failure is shown, and nothing waits for them.
        void read()
      }
      const roles = known
      return (hostname) => roles.get(hostname) ?? []
    },
    doubt: () => doubt,
  }
}

function byServer(roles: ReadonlyMap<string, readonly string[]>): Map<string, string[]> {
  const found = new Map<string, string[]>()
  for (const [role, servers] of roles) {
    for (const hostname of new Set(servers)) {
      const own = found.get(hostname)
      if (own === undefined) found.set(hostname, [role])
      else own.push(role)
    }
  }
  return found
}
