/** Implements the port `Directory`: people's time zones and user groups, cached for a few minutes. */
import { WebAPIPlatformError, type WebClient } from '@slack/web-api'
import { OutsideFailure } from '../domain/base/failure.ts'
import { isWithin } from '../domain/base/set-clock.ts'
import type { PersonIs } from '../domain/request/reply.ts'
import type { Clock, Directory, EmailBook } from '../flow/ports/ports.ts'
import { failureOf } from './errors.ts'

const freshMs = 5 * 60_000
/** A time zone rarely changes; group membership decides permissions, and is never taken from a stale list. */
const staleZoneMs = 60 * 60_000
const usersMax = 2_000
const groupsMax = 200
const fallbackZone = 'Etc/UTC'
const goneUserCodes = new Set(['user_not_found', 'user_not_visible'])

type Kept<T> = { readonly atMs: number; readonly value: T }

export function openDirectory(client: WebClient, clock: Pick<Clock, 'nowMs'>): Directory & EmailBook {
  const people = openCache(clock, { entriesMax: usersMax, staleMs: staleZoneMs }, async (user) => {
    const { user: found } = await client.users.info({ user })
    const zone = found?.tz ?? fallbackZone
    const called = found?.profile?.display_name || found?.profile?.real_name || found?.real_name
    return { zone: isZone(zone) ? zone : fallbackZone, name: called || found?.name || user }
  })
  const groups = openCache(
    clock,
    { entriesMax: groupsMax, staleMs: 0 },
    async (usergroup): Promise<ReadonlySet<string>> => {
      const { users } = await client.usergroups.users.list({ usergroup })
      // An answer without the list is a failure: it must neither allow nor refuse anybody.
      if (users === undefined) throw new OutsideFailure('unreachable', 'Slack gave no list of the group')
      return new Set(users)
    },
  )
  const persons = openCache(clock, { entriesMax: usersMax, staleMs: 0 }, async (user): Promise<PersonIs> => {
    const { user: found } = await client.users.info({ user }).catch((error: unknown) => {
      if (error instanceof WebAPIPlatformError && goneUserCodes.has(error.data.error)) return { user: null }
      throw error
    })
    if (found == null) return 'unknown'
    // Slack's own bot does not say that it is one.
    if (found.is_bot === true || user === 'USLACKBOT') return 'bot'
    if (found.deleted === true) return 'deactivated'
    return found.is_stranger === true ? 'stranger' : 'person'
  })
  const byEmail = openCache(
    clock,
    { entriesMax: usersMax, staleMs: staleZoneMs },
    async (email): Promise<string | null> => {
      try {
        const { user } = await client.users.lookupByEmail({ email })
        return user?.id ?? null
      } catch (error) {
        const failure = failureOf(error, 'look up a person by e-mail')
        if (failure.code === 'users_not_found') return null
        throw failure
      }
    },
  )
  return {
    findByEmail: (email) => byEmail(email, 'look up a person by e-mail'),
    personIs: (userId) => persons(userId, 'look up a person'),
    zoneOf: async (userId) => (await people(userId, 'look up a person')).zone,
    nameOf: async (userId) => (await people(userId, 'look up a person')).name,
    membersOf: (groupId) => groups(groupId, 'look up a user group'),
  }
}

/** A cache that makes one request for everybody who waits, and drops the oldest entry if there are too many. */
function openCache<T>(
  clock: Pick<Clock, 'nowMs'>,
  { entriesMax, staleMs }: { readonly entriesMax: number; readonly staleMs: number },
  ask: (key: string) => Promise<T>,
): (key: string, doing: string) => Promise<T> {
  const kept = new Map<string, Kept<T>>()
  const asking = new Map<string, Promise<T>>()

  async function look(key: string, doing: string): Promise<T> {
    try {
      const value = await ask(key)
      kept.delete(key)
      kept.set(key, { atMs: clock.nowMs(), value })
      for (const oldest of kept.keys()) {
        if (kept.size <= entriesMax) break
        kept.delete(oldest)
      }
      return value
    } catch (error) {
      const last = kept.get(key)
      if (last !== undefined && isWithin(last.atMs, clock.nowMs(), staleMs)) return last.value
      throw error instanceof OutsideFailure ? error : failureOf(error, doing)
    } finally {
      asking.delete(key)
    }
  }

  return (key, doing) => {
    const last = kept.get(key)
    if (last !== undefined && isWithin(last.atMs, clock.nowMs(), freshMs)) return Promise.resolve(last.value)
    const under = asking.get(key) ?? look(key, doing)
    asking.set(key, under)
    return under
  }
}

function isZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone })
    return true
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return false
  }
}
