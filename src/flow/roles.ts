/** The roles of a server, asked for only when a new alert needs them: they are its route and stand on its card. */
import { OutsideFailure } from '../domain/failure.ts'
import { isWithin } from '../domain/set-clock.ts'
import type { Clock, Journal, Monitor } from './ports.ts'
import { within } from './within.ts'

const freshMs = 60_000
/** An alert waits no longer than this for its roles; it goes out with those known before, or with none. */
const patienceMs = 3_000

type RoleMap = ReadonlyMap<string, readonly string[]>

export type RoleBook = { rolesOf(hostnames: readonly string[]): Promise<(hostname: string) => string[]> }

export function openRoleBook(ports: { monitor: Monitor; clock: Clock; journal: Journal }): RoleBook {
  const { monitor, clock, journal } = ports
  let known: RoleMap = new Map()
  let knownAtMs = Number.NEGATIVE_INFINITY

  async function read(): Promise<void> {
    try {
      known = await monitor.roles()
      knownAtMs = clock.nowMs()
    } catch (error) {
      if (!(error instanceof OutsideFailure)) throw error
      journal.warn('roles:unread', { why: error.message, kind: error.kind })
    }
  }

  return {
    rolesOf: async (hostnames) => {
      if (hostnames.length > 0 && !isWithin(knownAtMs, clock.nowMs(), freshMs)) {
        await within(clock, patienceMs, read())
      }
      const roles = known
      return (hostname) =>
        [...roles].filter(([, servers]) => servers.includes(hostname)).map(([role]) => role)
    },
  }
}
