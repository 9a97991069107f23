/** The known servers and roles by name: for globs, for "did you mean", and for select lists. */

import { isGlob } from '../../shared/glob.ts'
import { remainingMs } from '../domain/base/set-clock.ts'
import { type NameBook, openNameBook } from '../domain/request/name-book.ts'
import { attempt } from './attempt.ts'
import { yieldIfLarge } from './concurrency/in-turns.ts'
import { within } from './concurrency/within.ts'
import type { Clock, Logger, Monitor } from './ports/ports.ts'
import type { Store } from './ports/store.ts'

const freshMs = 60_000
/** After a failed reading the API is left alone for this long, and the names known before are used. */
const retryMs = 10_000
/** Somebody waits for the answer; after this the names known before are used, and the reading goes on. */
const patienceMs = 1_500
/** As many options as a Slack select can show. */
const optionsMax = 100

export type Roles = ReadonlyMap<string, readonly string[]>

export type Servers = {
  /** Hostnames of every role and of every remembered alert, sorted. */
  names(): Promise<readonly string[]>
  /** At most a minute old; older, or empty, while the API cannot be read. */
  roles(): Promise<Roles>
  /** Roles that begin with this, then those that contain it, ignoring case; at most a hundred. */
  roleNames(part: string): Promise<readonly string[]>
  /** All names known at the moment. */
  book(): Promise<NameBook>
  /** "Did you mean" for each of these, in their order; `others` may be meant as well. */
  similar(hostnames: readonly string[], others?: readonly string[]): Promise<readonly (readonly string[])[]>
  /** The hostnames that somebody means, by `NameBook.meant`; remembered ones are known even while the API hangs. */
  meant(names: readonly string[]): Promise<readonly string[]>
  /** Why the roles could not be read last time, or null: with a reason, a name may be unknown only because of that. */
  unread(): string | null
  /** Roles or servers were changed: the next query reads them again. */
  forget(): void
}

export function openServers(ports: {
  readonly monitor: Pick<Monitor, 'roles'>
  readonly store: Pick<Store, 'hostnames' | 'displayNames'>
  readonly clock: Clock
  readonly logger: Logger
}): Servers {
  const { monitor, store, clock, logger } = ports
  let known: Roles = new Map()
  let notBeforeMs = Number.NEGATIVE_INFINITY
  let underWay: Promise<void> | null = null
  let sorted: { of: Roles; roles: readonly { role: string; lower: string }[] } = { of: known, roles: [] }
  let unread: string | null = 'the monitoring API has not answered yet'

  async function read(): Promise<void> {
    const answer = await attempt(() => monitor.roles())
    if (answer.ok) known = answer.value.roles
    else logger.warn('servers:unread', { why: answer.failure.message, kind: answer.failure.kind })
    unread = answer.ok ? null : answer.failure.message
    notBeforeMs = clock.nowMs() + (answer.ok ? freshMs : retryMs)
  }

  async function roles(): Promise<Roles> {
    if (remainingMs(notBeforeMs, clock.nowMs(), freshMs) > 0) return known
    underWay ??= read().finally(() => {
      underWay = null
    })
    await within(clock, patienceMs, underWay)
    return known
  }

  /** Sorted once per reading, not for each letter that somebody types. */
  function rolesByName(of: Roles): typeof sorted.roles {
    if (sorted.of !== of) {
      const roles = [...of.keys()].sort().map((role) => ({ role, lower: role.toLowerCase() }))
      sorted = { of, roles }
    }
    return sorted.roles
  }

  async function book(): Promise<NameBook> {
    const [inRoles, remembered, shown] = await Promise.all([roles(), store.hostnames(), store.displayNames()])
    return openNameBook([...[...inRoles.values()].flat(), ...remembered], shown)
  }

  async function meant(typed: readonly string[]): Promise<readonly string[]> {
    const names = typed.map((name) => name.trim())
    // Remembered servers need no API: a server with an alert is known.
    const remembered = new Set(await store.hostnames())
    if (names.every((name) => isGlob(name) || remembered.has(name))) return names
    const known = await book()
    return names.map((name) => known.meant(name))
  }

  const similar: Servers['similar'] = async (hostnames, others = []) => {
    const known = await book()
    const found: (readonly string[])[] = []
    for (const hostname of hostnames) {
      await yieldIfLarge(clock, known.names.length)
      found.push(known.similar(hostname, others))
    }
    return found
  }

  return {
    names: async () => (await book()).names,
    book,
    meant,
    roles,
    roleNames: async (part) => {
      const wanted = part.trim().toLowerCase()
      const begin: string[] = []
      const inside: string[] = []
      for (const { role, lower } of rolesByName(await roles())) {
        const place = lower.indexOf(wanted)
        if (place === 0) begin.push(role)
        else if (place > 0 && inside.length < optionsMax) inside.push(role)
        if (begin.length === optionsMax) break
      }
      return [...begin, ...inside].slice(0, optionsMax)
    },
    similar,
    unread: () => unread,
    forget: () => {
      notBeforeMs = Number.NEGATIVE_INFINITY
    },
  }
}
