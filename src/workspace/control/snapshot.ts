/** Describes the workspace's state for the page, the terminal and tests. It contains no token, trigger or response URL. */

import type { Sockets } from '../delivery/sockets.ts'
import { valuesOf } from '../people/elements.ts'
import type { Fields } from '../state/fields.ts'
import { isInChannel } from '../state/messages.ts'
import type { State } from '../state/state.ts'
import type { View } from '../state/views.ts'
import { wireMessage, wireView } from '../state/wire.ts'

/** The state without messages and views. `seq` is the newest event in it. */
export function snapshot(state: State, sockets: Sockets): Fields {
  return {
    epoch: state.epoch,
    seq: state.events.range().newestSeq,
    team: state.team,
    bot: { userId: state.bot.userId, name: state.bot.name },
    app: { ...state.app, homeEnabled: state.homeEnabled },
    town: state.hasTown,
    users: [...state.people.values()].map(({ id, name, realName, tz, isBot }) => ({
      id,
      name,
      realName,
      tz,
      isBot,
    })),
    groups: state.groups,
    channels: [...state.channels.all.values()].map((channel) => ({
      id: channel.id,
      name: channel.name,
      kind: channel.kind,
      topic: channel.topic,
      archived: channel.archived,
      members: [...channel.members],
      withBot: channel.members.has(state.bot.userId),
    })),
    sockets: sockets.serving(),
    faults: state.faults.list(),
  }
}

/** A channel's messages and its threads' replies, oldest first, with their metadata. */
export function messagesOf(state: State, channelId: string): readonly Fields[] {
  return state.messages.all(channelId).map((message) => wireMessage(state, message, { withMetadata: true }))
}

/** The newest `limit` messages of the channel itself, oldest first, and whether there are older ones. */
export function pageOf(
  state: State,
  channelId: string,
  { before, limit }: { before?: string | undefined; limit: number },
): Fields {
  const all = state.messages
    .all(channelId)
    .filter(isInChannel)
    .filter((message) => before === undefined || message.ts < before)
  const shown = all.slice(-limit)
  return {
    messages: shown.map((message) => wireMessage(state, message, { withMetadata: true })),
    more: shown.length < all.length,
  }
}

/** A message and the replies to it, oldest first; empty where there is no such message. */
export function threadOf(state: State, channelId: string, ts: string): readonly Fields[] {
  const parent = state.messages.find(channelId, ts)
  if (parent === undefined || parent.onlyFor !== undefined) return []
  return [parent, ...state.messages.replies(channelId, ts)].map((message) =>
    wireMessage(state, message, { withMetadata: true }),
  )
}

/** What only this person sees, with its channel, oldest first. */
export function ephemeralsOf(state: State, userId: string): readonly Fields[] {
  return state.messages.ephemeral(userId).map((message) => ({
    channel: message.channelId,
    ...wireMessage(state, message, { withMetadata: false }),
  }))
}

/** A person's modal, as a list of at most one. */
export function modalsOf(state: State, userId: string): readonly Fields[] {
  return shownView(state, state.views.modal(userId))
}

export function homeOf(state: State, userId: string): Fields | undefined {
  return shownView(state, state.views.home(userId))[0]
}

function shownView(state: State, view: View | undefined): readonly Fields[] {
  return view === undefined ? [] : [wireView(state, view, valuesOf(view.ask.blocks, view.values))]
}
