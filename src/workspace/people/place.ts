/** Where a person uses an element: a message or a view that stands in front of them (slack-facts 4.3). */
import { type Fields, present } from '../state/fields.ts'
import type { Person } from '../state/people.ts'
import type { View } from '../state/views.ts'
import { wireMessage, wireView } from '../state/wire.ts'
import { type Element, valuesOf } from './elements.ts'
import { channelPayload, messageSeenBy, refuseAct, responseUrl, type Stage } from './stage.ts'

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
    choose({ blockId, actionId }, chosen) {
      const place = { userId, channelId: channel.id, ts }
      return valuesOf(blocks, state.choices.keep(place, { blockId, actionId, state: chosen }))
    },
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
        ...(threadTs === undefined ? {} : { threadTs }),
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
