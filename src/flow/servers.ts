/** The servers and roles that are known by name: for globs, for "did you mean", and for lists to choose from. */
import { nearest } from '../domain/nearest.ts'
import { remainingMs } from '../domain/set-clock.ts'
import { isGlob } from '../domain/wide-mute.ts'
import { attempt } from './attempt.ts'
import type { Clock, Journal, Monitor } from './ports.ts'
import type { Store } from './store-port.ts'
import { within } from './within.ts'

const freshMs = 60_000
/** After a failed reading the API is left alone for this long: what was known before is as good as an error. */
const retryMs = 10_000
/** Somebody waits for the answer; after this it is given with what was known before, and the reading goes on. */
const patienceMs = 1_500
/** As many options as Slack shows in a select. */
const optionsMax = 100

export type Roles = ReadonlyMap<string, readonly string[]>

export type Servers = {
  /** Hostnames of every role and of every alert that is remembered, sorted. */
  names(): Promise<readonly string[]>
  /** At most a minute old; older, or empty, while the API cannot be read. */
  roles(): Promise<Roles>
  /** Roles that begin with this before those that contain it, case ignored; at most a hundred. */
  roleNames(part: string): Promise<readonly string[]>
  /** "Did you mean": known hostnames that this one is close to, the likeliest first, at most three. */
  similar(hostname: string): Promise<readonly string[]>
  /**
   * The hostname that somebody means: the same name; else the only known one that differs in case alone; else the only
   * server that goes by this display name, case ignored. The name itself where none is meant, or more than one, and for a glob.
   */
  meant(name: string): Promise<string>
  /** Why the roles could not be read when they were wanted last, or null: with a reason, a name may be unknown by that alone. */
  unread(): string | null
  /** Roles or servers were changed: the next question reads them anew. */
  forget(): void
}

const similarMax = 3

export function openServers(ports: {
  readonly monitor: Pick<Monitor, 'roles'>
  readonly store: Pick<Store, 'hostnames' | 'displayNames'>
  readonly clock: Clock
  readonly journal: Journal
}): Servers {
  const { monitor, store, clock, journal } = ports
  let known: Roles = new Map()
  let notBeforeMs = Number.NEGATIVE_INFINITY
  let underWay: Promise<void> | null = null
  let unread: string | null = 'the monitoring API has not answered yet'

  async function read(): Promise<void> {
    const answer = await attempt(() => monitor.roles())
    if (answer.ok) known = answer.value.roles
    else journal.warn('servers:unread', { why: answer.failure.message, kind: answer.failure.kind })
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

  async function names(): Promise<readonly string[]> {
    const [inRoles, remembered] = await Promise.all([roles(), store.hostnames()])
    return [...new Set([...[...inRoles.values()].flat(), ...remembered])].sort()
  }

  async function meant(typed: string): Promise<string> {
    const name = typed.trim()
    // What is remembered needs no API: a server that alerts is known by its name.
    if (isGlob(name) || (await store.hostnames()).includes(name)) return name
    const all = await names()
    const found = all.filter((one) => isSame(one, name))
    const [only = name, ...others] = found.length > 0 ? found : await displayed(name)
    return others.length === 0 ? only : name
  }

  async function displayed(name: string): Promise<readonly string[]> {
    const shown = await store.displayNames()
    return [...new Set(shown.filter((one) => isSame(one.name, name)).map(({ hostname }) => hostname))]
  }

  async function similar(name: string): Promise<readonly string[]> {
    // Several servers of one display name: that name says nothing, theirs do.
    const hostnames = await displayed(name)
    if (hostnames.length > 1) return hostnames.slice(0, similarMax)
    const shown = (await store.displayNames()).map((one) => one.name)
    return nearest(name, [...(await names()), ...shown], similarMax)
  }

  return {
    names,
    meant,
    roles,
    roleNames: async (part) => {
      const wanted = part.trim().toLowerCase()
      const all = [...(await roles()).keys()].sort()
      const place = (role: string) => role.toLowerCase().indexOf(wanted)
      const begin = all.filter((role) => place(role) === 0)
      return [...begin, ...all.filter((role) => place(role) > 0)].slice(0, optionsMax)
    },
    similar,
    unread: () => unread,
    forget: () => {
      notBeforeMs = Number.NEGATIVE_INFINITY
    },
  }
}

function isSame(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase()
}
