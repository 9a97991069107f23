/** `pins.add` and `pins.remove` (docs.slack.dev/reference/methods/pins.add): a message of a channel that the bot is in. */
import type { Message } from '../state/messages.ts'
import { change } from '../state/speak.ts'
import type { State } from '../state/state.ts'
import { isTimestamp } from '../state/timestamps.ts'
import type { Args, Method } from './call.ts'
import { reachById } from './reach.ts'
import { refuse, yes } from './reply.ts'

/** Slack's limit for one channel. */
const pinsMax = 100

export const addPin: Method = ({ state, args }) => {
  const message = messageToPin(state, args)
  if (message.isPinned) refuse('already_pinned')
  if (message.tombstone) refuse('not_pinnable')
  const pinned = state.messages.all(message.channelId).filter(({ isPinned }) => isPinned)
  if (pinned.length >= pinsMax) refuse('too_many_pins')
  setPin(state, message, true)
  return yes()
}

export const removePin: Method = ({ state, args }) => {
  const message = messageToPin(state, args)
  if (!message.isPinned) refuse('no_pin')
  setPin(state, message, false)
  return yes()
}

/** No rule is checked here. */
export function setPin(state: State, message: Message, isPinned: boolean): void {
  const { isPinned: _before, ...rest } = message
  change(state, isPinned ? { ...rest, isPinned } : rest)
}

function messageToPin(state: State, args: Args): Message {
  const channel = reachById(state, args)
  if (!channel.members.has(state.bot.userId)) refuse('not_in_channel')
  if (channel.archived) refuse('is_archived')
  const ts = args.text('timestamp') ?? ''
  if (ts === '') refuse('no_item_specified')
  if (!isTimestamp(ts)) refuse('bad_timestamp')
  const message = state.messages.find(channel.id, ts)
  return message === undefined || message.onlyFor !== undefined ? refuse('message_not_found') : message
}
