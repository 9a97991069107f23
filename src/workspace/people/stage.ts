/** Where people act: the workspace's state and the line to the bot. */

import { type No, no, type Reply } from '../api/reply.ts'
import type { BotLine, PayloadKind } from '../delivery/bot-line.ts'
import type { EventTries } from '../delivery/event-tries.ts'
import type { Fields } from '../state/fields.ts'
import type { State } from '../state/state.ts'

export type Stage = {
  readonly state: State
  readonly line: BotLine
  /** Events go over the line as well, and are tried again. */
  readonly tries: EventTries
  /** The events that the bot has subscribed to. */
  readonly botEvents: ReadonlySet<string>
  /** The commands that the bot has; undefined: any. */
  readonly commands: ReadonlySet<string> | undefined
}

/** What a person is told when something does not work; `detail` is one sentence for whoever drives the workspace. */
export function refused(error: string, detail: string): No {
  return no(error, { detail })
}

export type Answered =
  | { readonly ok: true; readonly payload: unknown }
  | { readonly ok: false; readonly reply: No }

/** Sends an interaction; without an acknowledgement the answer is what the person would see (slack-facts 4.1). */
export async function interact(
  { state, line }: Stage,
  kind: string,
  user: string,
  type: PayloadKind,
  payload: Fields,
): Promise<Answered> {
  const delivery = await line.deliver(type, payload, { acceptsResponse: true })
  const outcome = outcomes[delivery.kind]
  state.events.tell({ type: 'interaction', kind, user, outcome })
  if (delivery.kind === 'acked') return { ok: true, payload: delivery.payload }
  return { ok: false, reply: refused(outcome, delivery.detail) }
}

/** What the person sees. */
const outcomes = { acked: 'ok', late: 'operation_timeout', failed: 'dispatch_failed' } as const

/** Sends an event to the bot if it has subscribed to it. */
export function tellBot({ tries, botEvents }: Stage, event: Fields & { readonly type: string }): void {
  if (botEvents.has(event.type)) tries.send(event)
}

/** The person, or the sentence that says there is none of this id or name. */
export function personOf(
  { state }: Stage,
  ref: string,
):
  | { readonly ok: true; readonly id: string; readonly name: string }
  | { readonly ok: false; readonly reply: Reply & No } {
  const person = state.people.get(ref) ?? [...state.people.values()].find((one) => one.name === ref)
  if (person !== undefined && !person.isBot) return { ok: true, id: person.id, name: person.name }
  const known = [...state.people.values()].filter((one) => !one.isBot).map((one) => one.name)
  return {
    ok: false,
    reply: refused('user_not_found', `expected a person (${known.join(', ')}), got ${JSON.stringify(ref)}`),
  }
}

/** What every payload says of the person and the place. */
export function userPayload({ state }: Stage, user: { id: string; name: string }): Fields {
  return { id: user.id, username: user.name, name: user.name, team_id: state.team.id }
}

export function basePayload({ state }: Stage): Fields {
  return {
    api_app_id: state.appId,
    team: { id: state.team.id, domain: state.team.domain },
    enterprise: null,
    is_enterprise_install: false,
  }
}

/** A response URL for a place. */
export function responseUrl(
  { state }: Stage,
  kind: 'actions' | 'commands',
  place: Parameters<State['responseUrls']['issue']>[0],
): string {
  return `${state.url()}respond/${kind}/${state.team.id}/${state.responseUrls.issue(place)}`
}
