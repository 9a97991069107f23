/** A person uses an element of a message or a view: `block_actions` (docs/slack.md#requests). Only what it offers can be chosen. */
import { z } from 'zod'
import { type Reply, yes } from '../api/reply.ts'
import { type Fields, present } from '../state/fields.ts'
import type { Person } from '../state/people.ts'
import type { View } from '../state/views.ts'
import { wireMessage, wireView } from '../state/wire.ts'
import { choiceShape, choose, type Element, elementsIn, valuesOf } from './elements.ts'
import {
  basePayload,
  interact,
  messageSeenBy,
  name,
  personOf,
  refuseAct,
  responseUrl,
  type Stage,
  ts,
} from './stage.ts'

const clicked = {
  user: name,
  actionId: name,
  blockId: name.optional(),
  choice: choiceShape.optional(),
}
export const clickShape = z.union([
  z.strictObject({ ...clicked, channel: name, ts }),
  z.strictObject({ ...clicked, viewId: name }),
])

export async function click(stage: Stage, ask: z.output<typeof clickShape>): Promise<Reply> {
  const person = personOf(stage, ask.user)
  const place = 'viewId' in ask ? inView(stage, ask.viewId, person) : inMessage(stage, ask, person)
  const elements = elementsIn(place.blocks)
  const isMeant = ({ actionId, blockId }: Element) =>
    actionId === ask.actionId && (ask.blockId === undefined || blockId === ask.blockId)
  // What was edited away while somebody pressed it is delivered as they saw it, which they cannot know.
  const element = elements.find(isMeant) ?? elementsIn(place.replaced).find(isMeant)
  if (element === undefined) {
    const there = JSON.stringify(elements.map((one) => one.actionId))
    return refuseAct('unknown_action', `expected one of ${there}, got ${JSON.stringify(ask.actionId)}`)
  }
  if (element.input !== undefined)
    refuseAct('no_dispatch', `${ask.actionId} stands in an input block: submit the view`)
  const chosen = choose(element, ask.choice ?? null)
  const { state } = stage
  const { blockId, actionId, type, fields } = element
  const { text, value, style } = type === 'button' ? fields : {}
  const of = { action_id: actionId, block_id: blockId, text, value, style }
  const payload = place.payload(element, chosen)
  await interact(stage, 'block_actions', person.id, 'interactive', {
    type: 'block_actions',
    ...basePayload(stage, person),
    trigger_id: state.triggers.issue(person.id),
    ...payload,
    actions: [present({ ...of, ...chosen, type, action_ts: state.messages.nextTs() })],
  })
  return yes()
}

type Place = {
  readonly blocks: readonly unknown[]
  readonly replaced: readonly unknown[]
  payload(element: Element, chosen: Fields): Fields
}

function inMessage(stage: Stage, at: { channel: string; ts: string }, { id: userId }: Person): Place {
  const { state } = stage
  const { channel, message } = messageSeenBy(stage, userId, at)
  const { ts, blocks, replacedBlocks = [], threadTs } = message
  const isEphemeral = message.onlyFor !== undefined
  const answerAt = { channelId: channel.id, userId, messageTs: ts }
  const where = { message_ts: ts, channel_id: channel.id, is_ephemeral: isEphemeral, thread_ts: threadTs }
  return {
    blocks,
    replaced: replacedBlocks,
    payload: ({ blockId, actionId }, chosen) =>
      present({
        container: present({ type: 'message', ...where }),
        channel: { id: channel.id, name: channel.kind === 'im' ? 'directmessage' : channel.name },
        // Slack sends no copy of an ephemeral message.
        message: isEphemeral ? undefined : wireMessage(state, message, { withMetadata: true }),
        response_url: responseUrl(stage, 'actions', answerAt),
        // The bot reads of it what was chosen now.
        state: { values: { [blockId]: { [actionId]: chosen } } },
      }),
  }
}

function inView({ state }: Stage, viewId: string, person: Person): Place {
  const view = state.views.find(viewId)
  if (view === undefined || view.userId !== person.id)
    return refuseAct('view_not_found', `this person has no open view ${viewId}`)
  return {
    blocks: view.ask.blocks,
    replaced: [],
    payload(element, chosen) {
      keep(view, element, chosen)
      const values = valuesOf(view.ask.blocks, view.values)
      const container = { type: 'view', view_id: view.id }
      return { container, view: wireView(state, view, values), state: { values } }
    },
  }
}

export function keep(view: View, { blockId, actionId }: Element, chosen: Fields): void {
  view.values = { ...view.values, [blockId]: { ...view.values[blockId], [actionId]: chosen } }
}
