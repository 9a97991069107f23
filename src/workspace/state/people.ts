/** The people of the workspace and their groups: who they are, and how the Web API gives them. */
import type { Fields } from './fields.ts'
import type { Ids } from './ids.ts'

export type Person = {
  readonly id: string
  readonly name: string
  readonly realName: string
  /** IANA time zone. */
  readonly tz: string
  /** Absent: the profile has none. */
  readonly email?: string
  readonly isBot: boolean
  /** Cannot be reached any more. */
  readonly isDeactivated?: true
  /** Where it is another than the app's: of the same Grid, or of an organization that shares a channel with this one. */
  readonly home?: Home
}

/** A workspace, and the Grid that it belongs to, or null. */
export type Home = { readonly teamId: string; readonly enterpriseId: string | null }

export type UserGroup = {
  readonly id: string
  readonly handle: string
  readonly name: string
  readonly userIds: readonly string[]
}

/** A person to be made when the workspace opens; what is left out is made up. */
export type PersonAsk = {
  readonly id?: string
  readonly name: string
  readonly realName?: string
  readonly tz?: string
  readonly email?: string
  readonly home?: Home
  readonly isDeactivated?: true
}

export type GroupAsk = {
  readonly id?: string
  readonly handle: string
  readonly name?: string
  /** Names of people. */
  readonly members: readonly string[]
}

export const usualPeople: readonly PersonAsk[] = [
  { id: 'U0ANA00001', name: 'ana', realName: 'Ana Costa', tz: 'Europe/Lisbon', email: 'ana@example.com' },
  { id: 'U0BEN00001', name: 'ben', realName: 'Ben Okafor', tz: 'America/New_York', email: 'ben@example.com' },
  { id: 'U0CLEO0001', name: 'cleo', realName: 'Cleo Tanaka', tz: 'Asia/Tokyo', email: 'cleo@example.com' },
]

export const usualGroups: readonly GroupAsk[] = [
  { id: 'S0ONCALL01', handle: 'oncall', name: 'On call', members: ['ana', 'cleo'] },
]

export function makePerson(ask: PersonAsk, ids: Ids): Person {
  return {
    id: ask.id ?? ids.make('U'),
    name: ask.name,
    realName: ask.realName ?? ask.name,
    tz: ask.tz ?? 'Etc/UTC',
    isBot: false,
    ...(ask.email === undefined ? {} : { email: ask.email }),
    ...(ask.home === undefined ? {} : { home: ask.home }),
    ...(ask.isDeactivated === true ? { isDeactivated: true } : {}),
  }
}

export function makeGroup(
  { id, handle, name, members }: GroupAsk,
  people: readonly Person[],
  ids: Ids,
): UserGroup {
  return {
    id: id ?? ids.make('S'),
    handle,
    name: name ?? handle,
    userIds: people.filter((person) => members.includes(person.name)).map((person) => person.id),
  }
}

/** `user` as `users.info` gives it, as far as the bot reads it; the e-mail only with its scope. */
export function wirePerson(
  person: Person,
  team: { readonly id: string },
  scopes: ReadonlySet<string>,
): Fields {
  return {
    id: person.id,
    team_id: person.home?.teamId ?? team.id,
    name: person.name,
    deleted: person.isDeactivated === true,
    real_name: person.realName,
    tz: person.tz,
    is_bot: person.isBot,
    profile: {
      display_name: person.name,
      real_name: person.realName,
      ...(person.email !== undefined && scopes.has('users:read.email') ? { email: person.email } : {}),
    },
    ...(person.home === undefined || person.home.teamId === team.id ? {} : { is_stranger: true }),
  }
}
