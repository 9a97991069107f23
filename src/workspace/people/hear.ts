/**
 * What the bot hears of messages: a mention in a channel that it is in (`app_mention`), and everything in its direct messages,
 * its own messages and edits among them (`message.im`); each only with its scope and where it has subscribed
 * (docs.slack.dev/reference/events/app_mention and /message.im). Nobody mentions the bot in direct messages.
 */
import type { Emitted } from '../state/events.ts'
import { type Stage, sendEvent } from './stage.ts'

/** Ends with the workspace. */
export function hearMessages(stage: Stage): void {
  stage.state.events.listen(({ event }) => hear(stage, event))
}

function hear(stage: Stage, event: Emitted['event']): void {
  const { state } = stage
  if (event.type !== 'message_posted' && event.type !== 'message_updated') return
  const channel = state.channels.all.get(event.channel)
  const message = state.messages.find(event.channel, event.ts)
  if (channel === undefined || message === undefined || !channel.members.has(state.bot.userId)) return
  const said = { ...event.message, channel: channel.id, event_ts: event.ts }
  if (channel.kind === 'im') {
    if (!state.bot.scopes.has('im:history')) return
    const payload =
      event.type === 'message_posted'
        ? { ...said, type: 'message' }
        : {
            type: 'message',
            subtype: 'message_changed',
            channel: channel.id,
            ts: event.ts,
            message: event.message,
          }
    sendEvent(stage, { ...payload, channel_type: 'im' }, 'message.im')
    return
  }
  // An edit that adds a mention is none; an app hears no mention in its own messages.
  if (event.type !== 'message_posted' || message.byBot) return
  if (!state.bot.scopes.has('app_mentions:read') || !message.text.includes(`<@${state.bot.userId}>`)) return
  sendEvent(stage, { ...said, type: 'app_mention' })
}
