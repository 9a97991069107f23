/**
 * Who somebody is: names and zones of people, and the members of groups. Whoever acts is remembered on disk, so that Slack's silence
 * costs nobody their name; the list of everybody and the groups are kept for minutes and in memory alone.
 */
import { type Clock, hour, minute } from '../clock.ts'
import type { Person } from '../world/facts.ts'
import type { World } from '../world/world.ts'
import type { SlackPort } from './port.ts'

export type Directory = ReturnType<typeof openDirectory>

const personFreshMs = hour
const listFreshMs = 10 * minute
const groupFreshMs = 5 * minute
const rememberedMax = 300
const groupsMax = 200

export function openDirectory(
  slack: Pick<SlackPort, 'person' | 'people' | 'personByEmail' | 'groupMembers'>,
  world: () => World,
  clock: Pick<Clock, 'nowMs'>,
) {
  const list = openCache(clock, listFreshMs, 1, async () => (await slack.people())?.flatMap(named) ?? null)
  const groups = openCache(clock, groupFreshMs, groupsMax, (id) => slack.groupMembers(id))
  const emails = openCache(clock, personFreshMs, groupsMax, (email) => slack.personByEmail(email))

  async function read(id: string): Promise<Person | null> {
    const found = await slack.person(id)
    if (found === null) return null
    const now = { ...found, readMs: clock.nowMs() }
    remember(world(), now)
    return now
  }

  /**
   * Never fails: somebody whom Slack does not tell of is called by their id, in UTC. Nobody waits for Slack to say again who they are.
   */
  async function person(id: string): Promise<Person> {
    const known = world().fact('people')?.[id]
    if (known === undefined) return (await read(id)) ?? unknownPerson(id)
    if (!isFresh(known.readMs, clock.nowMs(), personFreshMs)) void read(id)
    return known
  }

  return {
    person,
    /**
     * Who is meant by `<@U…>`, `@ben`, `Ben`, `Ben Okafor`: one, several of one name, or none. A whole name counts more than a first
     * one. All words are the name: where a note may follow, ask for the longest beginning first.
     */
    findPeople: async (words: string): Promise<readonly Person[]> => {
      const said = words.trim()
      const id = /^<@([UW][A-Z0-9]+)(?:\|[^>]*)?>/.exec(said)?.[1]
      if (id !== undefined) return [await person(id)]
      const everybody = (await list('')) ?? Object.values(world().fact('people') ?? {}).flatMap(named)
      return namesakes(plain(said.replace(/^@/, '')), everybody)
    },
    /** null: Slack did not say who is in the group. */
    isInGroup: async (userId: string, groupId: string) => (await groups(groupId))?.includes(userId) ?? null,
    personByEmail: emails,
  }
}

type Named = { readonly person: Person; readonly names: readonly string[]; readonly first: string }

/** Nobody hands an alert to an app or to somebody who left. */
function named(person: Person): Named[] {
  if (person.isBot || person.isDeleted) return []
  const real = plain(person.realName)
  return [{ person, names: [plain(person.name), real], first: real.split(' ')[0] ?? '' }]
}

/** Whole names first, and then first names: `Ben` is Ben Okafor where nobody else is. */
function namesakes(name: string, everybody: readonly Named[]): Person[] {
  if (name === '') return []
  const whole = everybody.filter(({ names }) => names.includes(name))
  const found = whole.length > 0 ? whole : everybody.filter(({ first }) => first === name)
  return found.map(({ person }) => person)
}

/** Case, accents and runs of spaces aside. */
function plain(name: string): string {
  return name.normalize('NFD').replaceAll(/\p{M}/gu, '').replaceAll(/\s+/g, ' ').trim().toLowerCase()
}

function remember(world: World, read: Person): void {
  const others = Object.values(world.fact('people') ?? {}).filter(({ id }) => id !== read.id)
  const kept = others.toSorted((a, b) => b.readMs - a.readMs).slice(0, rememberedMax - 1)
  world.setFact('people', Object.fromEntries([read, ...kept].map((one) => [one.id, one])))
}

function unknownPerson(id: string): Person {
  const nothing = { email: null, zone: 'Etc/UTC', isBot: false, isDeleted: false, readMs: 0 }
  return { id, name: id, realName: id, ...nothing }
}

/** A clock that was set back makes what is remembered stale. */
function isFresh(readMs: number, nowMs: number, freshMs: number): boolean {
  return nowMs >= readMs && nowMs - readMs < freshMs
}

/** One request for everybody who waits; a failure (null) is remembered by nobody. */
function openCache<T>(
  clock: Pick<Clock, 'nowMs'>,
  freshMs: number,
  entriesMax: number,
  ask: (key: string) => Promise<T | null>,
): (key: string) => Promise<T | null> {
  const kept = new Map<string, { readonly atMs: number; readonly value: Promise<T | null> }>()
  return (key) => {
    const known = kept.get(key)
    if (known !== undefined && isFresh(known.atMs, clock.nowMs(), freshMs)) return known.value
    if (kept.size >= entriesMax) kept.clear()
    const value = ask(key)
    kept.set(key, { atMs: clock.nowMs(), value })
    void value.then((found) => {
      if (found === null && kept.get(key)?.value === value) kept.delete(key)
    })
    return value
  }
}
