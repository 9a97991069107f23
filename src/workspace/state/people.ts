/** The people of the workspace and their groups: who they are, and how the Web API gives them. */
import type { Fields } from './fields.ts'
import type { Ids } from './ids.ts'
import type { State } from './state.ts'

export type Person = {
  readonly id: string
  readonly name: string
  readonly realName: string
  readonly tz: string
  readonly email?: string
  readonly isBot: boolean
  readonly isDeactivated?: true
}

export type PersonAsk = { readonly name: string } & Partial<Omit<Person, 'isBot'>>

export type UserGroup = { readonly id: string; readonly handle: string; readonly userIds: readonly string[] }

export const usualPeople: readonly PersonAsk[] = [
  { id: 'U0ANA00001', name: 'ana', realName: 'Ana Costa', tz: 'Europe/Lisbon', email: 'ana@example.com' },
  { id: 'U0BEN00001', name: 'ben', realName: 'Ben Okafor', tz: 'America/New_York', email: 'ben@example.com' },
  { id: 'U0CLEO0001', name: 'cleo', realName: 'Cleo Tanaka', tz: 'Asia/Tokyo', email: 'cleo@example.com' },
]

export const onCall = { id: 'S0ONCALL01', handle: 'oncall', members: ['ana', 'cleo'] }

export function makePerson(ask: PersonAsk, ids: Ids): Person {
  return { realName: ask.name, tz: 'Etc/UTC', isBot: false, ...ask, id: ask.id ?? ids.make('U') }
}

/** `user` as `users.info` gives it, as far as the bot reads it; the e-mail only with its scope. */
export function wirePerson(person: Person, { team, bot }: Pick<State, 'team' | 'bot'>): Fields {
  return {
    id: person.id,
    team_id: team.id,
    name: person.name,
    deleted: person.isDeactivated === true,
    real_name: person.realName,
    tz: person.tz,
    is_bot: person.isBot,
    profile: {
      display_name: person.name,
      real_name: person.realName,
      ...(person.email !== undefined && bot.scopes.has('users:read.email') ? { email: person.email } : {}),
    },
  }
}
