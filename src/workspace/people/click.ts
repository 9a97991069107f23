/**
 * A person uses an element of a message or a view: `block_actions` (slack-facts 4.3). The element is the real one that
 * stands there; what it does not offer cannot be chosen.
 */

import { type Reply, yes } from '../api/reply.ts'
import { type Fields, present } from '../state/fields.ts'
import type { Message } from '../state/messages.ts'
import { tellMessage } from '../state/tell-message.ts'
import { tellView } from '../state/tell-view.ts'
import type { View } from '../state/views.ts'
import { type Choice, choose, type Element, elementsIn, valuesOf } from './elements.ts'
import { basePayload, interact, personOf, refused, responseUrl, type Stage, userPayload } from './stage.ts'

export type ClickAsk = {
  readonly user: string
  readonly actionId: string
  readonly blockId?: string | undefined
  /** For selects and inputs: what is chosen or typed. */
  readonly choice?: Choice | undefined
} & ({ readonly channel: string; readonly ts: string } | { readonly viewId: string })

export async function click(stage: Stage, ask: ClickAsk): Promise<Reply> {
  const person = personOf(stage, ask.user)
  if (!person.ok) return person.reply
  const place =
    'viewId' in ask ? viewPlace(stage, ask.viewId, person.id) : messagePlace(stage, ask, person.id)
  if ('refused' in place) return place.refused

  const element = elementsIn(place.blocks).find(
    (one) => one.actionId === ask.actionId && (ask.blockId === undefined || one.blockId === ask.blockId),
  )
  if (element === undefined) {
    const there = elementsIn(place.blocks).map((one) => one.actionId)
    return refused(
      'unknown_action',
      `expected one of ${JSON.stringify(there)}, got ${JSON.stringify(ask.actionId)}`,
    )
  }
  if (element.input !== undefined && !dispatches(place.blocks, element)) {
    return refused(
      'no_dispatch',
      `${ask.actionId} stands in an input block without dispatch_action: submit the view`,
    )
  }
  const verdict = choose(element, ask.choice ?? null)
  if (!verdict.ok) return refused('invalid_choice', verdict.why)
  const values = place.choose(element, verdict.state)

  const { state } = stage
  const answered = await interact(stage, 'block_actions', person.id, 'interactive', {
    type: 'block_actions',
    ...basePayload(stage),
    user: userPayload(stage, person),
    trigger_id: state.triggers.issue({ userId: person.id, ...place.trigger }),
    ...place.payload(),
    state: { values },
    actions: [toAction(element, verdict.state, state.messages.nextTs())],
  })
  return answered.ok ? yes() : answered.reply
}

type Place = {
  readonly blocks: readonly unknown[]
  readonly trigger: { readonly viewId?: string }
  /** What is chosen now, everything together. */
  choose(element: Element, chosen: Fields): Fields
  payload(): Fields
}
type PlaceVerdict = Place | { readonly refused: Reply }

function messagePlace(
  stage: Stage,
  { channel: ref, ts }: { channel: string; ts: string },
  userId: string,
): PlaceVerdict {
  const { state } = stage
  const channel = state.channels.find(ref)
  const message = channel === undefined ? undefined : state.messages.find(channel.id, ts)
  const sees = message?.onlyFor === undefined || message.onlyFor === userId
  if (channel === undefined || message === undefined || message.tombstone || !sees) {
    return {
      refused: refused('message_not_found', `there is no message ${ts} in ${ref} that this person sees`),
    }
  }
  if (channel.kind !== 'public' && !channel.members.has(userId)) {
    return { refused: refused('not_in_channel', `this person is not in ${ref}`) }
  }
  const blocks = blocksOf(message)
  return {
    blocks,
    trigger: {},
    choose: ({ blockId, actionId }, chosen) => {
      const place = { userId, channelId: channel.id, ts }
      return valuesOf(blocks, state.choices.keep(place, { blockId, actionId, state: chosen }))
    },
    payload: () =>
      present({
        container: {
          type: 'message',
          message_ts: ts,
          channel_id: channel.id,
          is_ephemeral: message.onlyFor !== undefined,
          ...(message.threadTs === undefined ? {} : { thread_ts: message.threadTs }),
        },
        channel: { id: channel.id, name: channel.kind === 'im' ? 'directmessage' : channel.name },
        // Slack sends no copy of an ephemeral message.
        message:
          message.onlyFor === undefined ? tellMessage(state, message, { withMetadata: true }) : undefined,
        response_url: responseUrl(stage, 'actions', {
          channelId: channel.id,
          userId,
          messageTs: ts,
          ...(message.threadTs === undefined ? {} : { threadTs: message.threadTs }),
        }),
      }),
  }
}

function viewPlace({ state }: Stage, viewId: string, userId: string): PlaceVerdict {
  const view = state.views.find(viewId)
  if (view === undefined || view.userId !== userId) {
    return { refused: refused('view_not_found', `this person has no open view ${viewId}`) }
  }
  return {
    blocks: view.ask.blocks,
    trigger: view.ask.type === 'modal' ? { viewId } : {},
    choose: (element, chosen) => {
      keep(view, element, chosen)
      return valuesOf(view.ask.blocks, view.values)
    },
    payload: () => ({
      container: { type: 'view', view_id: view.id },
      view: tellView(state, view, valuesOf(view.ask.blocks, view.values)),
    }),
  }
}

/** Remembers what was chosen or typed in a view; it survives updates that keep the ids. */
export function keep(view: View, element: Element, chosen: Fields): void {
  view.values = {
    ...view.values,
    [element.blockId]: { ...view.values[element.blockId], [element.actionId]: chosen },
  }
}

function blocksOf(message: Message): readonly unknown[] {
  return [...message.blocks, ...message.attachments.flatMap((attachment) => attachment.blocks ?? [])]
}

function dispatches(blocks: readonly unknown[], element: Element): boolean {
  return blocks.some(
    (block) =>
      typeof block === 'object' &&
      block !== null &&
      'block_id' in block &&
      block.block_id === element.blockId &&
      'dispatch_action' in block &&
      block.dispatch_action === true,
  )
}

function toAction({ actionId, blockId, type, fields }: Element, chosen: Fields, ts: string): Fields {
  const shown =
    type === 'button' || type === 'icon_button'
      ? { text: fields.text, value: fields.value, style: fields.style }
      : {}
  return present({ action_id: actionId, block_id: blockId, ...shown, ...chosen, type, action_ts: ts })
}
