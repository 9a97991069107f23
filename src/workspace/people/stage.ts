/** What acts of people need: the workspace's state and the connection to the bot. */
import { z } from 'zod'
import { refuse } from '../api/reply.ts'
import type { BotLine, EventTries, PayloadKind } from '../delivery/bot-line.ts'
import type { Channel } from '../state/channels.ts'
import type { Fields } from '../state/fields.ts'
import type { Message } from '../state/messages.ts'
import type { Person } from '../state/people.ts'
import type { ResponsePlace, State } from '../state/state.ts'

export type Stage = {
  readonly state: State
  readonly line: BotLine
  readonly tries: EventTries
  readonly botEvents: ReadonlySet<string>
}

export const name = z.string().min(1).max(100)
export const ts = z.string().regex(/^\d{10}\.\d{6}$/, 'expected a timestamp like 1700000000.000100')
export const typed = z.string().max(12_000)

/** Ends an act with what the person sees; `detail` is one sentence for whoever drives the workspace. */
export function refuseAct(error: string, detail: string): never {
  refuse(error, { detail })
}

const outcomes = { acked: 'ok', late: 'operation_timeout', failed: 'dispatch_failed' } as const

/** Sends an interaction and returns the bot's acknowledgement; refused without one (docs/slack.md#requests). */
export async function interact(
  { state, line }: Stage,
  kind: string,
  user: string,
  type: PayloadKind,
  payload: Fields,
): Promise<unknown> {
  const delivery = await line.deliver(type, payload, { acceptsResponse: true })
  const outcome = outcomes[delivery.kind]
  state.events.emit({ type: 'interaction', kind, user, outcome })
  return delivery.kind === 'acked' ? delivery.payload : refuseAct(outcome, delivery.detail)
}

/** Sends an event to the bot if it has subscribed to it, by its type or by a narrower name such as `message.im`. */
export function sendEvent(
  { tries, botEvents }: Stage,
  event: Fields & { readonly type: string },
  subscription: string = event.type,
): void {
  if (botEvents.has(subscription)) tries.send(event)
}

export function personOf({ state }: Stage, ref: string): Person {
  const people = [...state.people.values()].filter((one) => !one.isBot)
  const known = people.map((one) => one.name).join(', ')
  return (
    people.find((one) => one.id === ref || one.name === ref) ??
    refuseAct('user_not_found', `expected a person (${known}), got ${JSON.stringify(ref)}`)
  )
}

export function channelOf({ state }: Stage, ref: string, { id }: Person): Channel {
  const channel = state.channels.find(ref)
  if (channel === undefined)
    return refuseAct('channel_not_found', `there is no channel ${JSON.stringify(ref)}`)
  if (!channel.members.has(id)) refuseAct('not_in_channel', `this person is not in ${ref}`)
  return channel
}

export function messageSeenBy(
  { state }: Stage,
  personId: string,
  { channel: ref, ts }: { readonly channel: string; readonly ts: string },
): { readonly channel: Channel; readonly message: Message } {
  const channel = state.channels.find(ref)
  const message = channel && state.messages.find(channel.id, ts)
  const isHidden = message?.tombstone || (message?.onlyFor !== undefined && message.onlyFor !== personId)
  if (channel === undefined || message === undefined || isHidden)
    return refuseAct('message_not_found', `there is no message ${ts} in ${ref} that this person sees`)
  if (channel.kind !== 'public' && !channel.members.has(personId))
    refuseAct('not_in_channel', `this person is not in ${ref}`)
  return { channel, message }
}

export function basePayload({ state }: Stage, person: Person): Fields {
  return {
    api_app_id: state.appId,
    team: { id: state.team.id, domain: state.team.domain },
    enterprise: null,
    is_enterprise_install: false,
    user: { id: person.id, username: person.name, name: person.name, team_id: state.team.id },
  }
}

export function responseUrl({ state }: Stage, kind: 'actions' | 'commands', place: ResponsePlace): string {
  return `${state.url()}respond/${kind}/${state.team.id}/${state.responseUrls.issue(place)}`
}
