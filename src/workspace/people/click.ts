/**
 * A person uses an element of a message or a view: `block_actions` (docs/slack.md#requests). It is the element that is shown now,
 * and only what it offers can be chosen.
 */
import { z } from 'zod'
import { type Reply, yes } from '../api/reply.ts'
import { type Fields, present } from '../state/fields.ts'
import type { Person } from '../state/people.ts'
import type { View } from '../state/views.ts'
import { wireMessage, wireView } from '../state/wire.ts'
import { choiceShape, choose, type Element, elementsIn, valuesOf } from './elements.ts'
import {
  basePayload,
  channelPayload,
  interact,
  messageSeenBy,
  name,
  personOf,
  refuseAct,
  responseUrl,
  type Stage,
  ts,
} from './stage.ts'

export const inMessage = { channel: name, ts }
export const inView = { viewId: name }
const clicked = {
  user: name,
  actionId: name,
  blockId: name.optional(),
  /** For selects and inputs: what is chosen or typed. */
  choice: choiceShape.optional(),
}
export const clickShape = z.union([
  z.strictObject({ ...clicked, ...inMessage }),
  z.strictObject({ ...clicked, ...inView }),
])

export async function click(stage: Stage, ask: z.output<typeof clickShape>): Promise<Reply> {
  const person = personOf(stage, ask.user)
  const place = placeOf(stage, ask, person)
  const elements = elementsIn(place.blocks)
  const element = elements.find(
    (one) => one.actionId === ask.actionId && (ask.blockId === undefined || one.blockId === ask.blockId),
  )
  if (element === undefined) {
    const there = JSON.stringify(elements.map((one) => one.actionId))
    return refuseAct('unknown_action', `expected one of ${there}, got ${JSON.stringify(ask.actionId)}`)
  }
  if (element.input !== undefined)
    refuseAct('no_dispatch', `${ask.actionId} stands in an input block: submit the view`)
  const chosen = choose(element, ask.choice ?? null)
  const values = place.choose(element, chosen)
  const { state } = stage
  await interact(stage, 'block_actions', person.id, 'interactive', {
    type: 'block_actions',
    ...basePayload(stage, person),
    trigger_id: state.triggers.issue(person.id),
    ...place.payload(),
    ...place.answerAt(),
    state: { values },
    actions: [toAction(element, chosen, state.messages.nextTs())],
  })
  return yes()
}

function toAction({ actionId, blockId, type, fields }: Element, chosen: Fields, ts: string): Fields {
  const { text, value, style } = type === 'button' ? fields : {}
  return present({
    action_id: actionId,
    block_id: blockId,
    text,
    value,
    style,
    ...chosen,
    type,
    action_ts: ts,
  })
}

export type Place = { readonly channel: string; readonly ts: string } | { readonly viewId: string }

export type Found = {
  readonly blocks: readonly unknown[]
  /** Remembers a choice, and gives all that is chosen now. */
  choose(element: Element, chosen: Fields): Fields
  /** What a payload says of the place. */
  payload(): Fields
  /** A new response URL; a view has none. */
  answerAt(): Fields
}

export function placeOf(stage: Stage, place: Place, person: Person): Found {
  return 'viewId' in place ? viewPlace(stage, place.viewId, person) : messagePlace(stage, place, person)
}

function messagePlace(
  stage: Stage,
  at: { readonly channel: string; readonly ts: string },
  { id: userId }: Person,
): Found {
  const { state } = stage
  const { channel, message } = messageSeenBy(stage, userId, at)
  const { ts, blocks, threadTs } = message
  const isEphemeral = message.onlyFor !== undefined
  return {
    blocks,
    // What was chosen before in this message, which Slack remembers, the bot does not read.
    choose: ({ blockId, actionId }, chosen) => valuesOf(blocks, { [blockId]: { [actionId]: chosen } }),
    payload: () =>
      present({
        container: present({
          type: 'message',
          message_ts: ts,
          channel_id: channel.id,
          is_ephemeral: isEphemeral,
          thread_ts: threadTs,
        }),
        channel: channelPayload(channel),
        // Slack sends no copy of an ephemeral message.
        message: isEphemeral ? undefined : wireMessage(state, message, { withMetadata: true }),
      }),
    answerAt: () => ({
      response_url: responseUrl(stage, 'actions', {
        channelId: channel.id,
        userId,
        messageTs: ts,
      }),
    }),
  }
}

function viewPlace({ state }: Stage, viewId: string, person: Person): Found {
  const view = state.views.find(viewId)
  if (view === undefined || view.userId !== person.id)
    return refuseAct('view_not_found', `this person has no open view ${viewId}`)
  return {
    blocks: view.ask.blocks,
    choose(element, chosen) {
      keep(view, element, chosen)
      return valuesOf(view.ask.blocks, view.values)
    },
    payload: () => ({
      container: { type: 'view', view_id: view.id },
      view: wireView(state, view, valuesOf(view.ask.blocks, view.values)),
    }),
    answerAt: () => ({}),
  }
}

/** Remembers what was chosen or typed in a view; it survives updates that keep the ids. */
export function keep(view: View, { blockId, actionId }: Element, chosen: Fields): void {
  view.values = { ...view.values, [blockId]: { ...view.values[blockId], [actionId]: chosen } }
}
