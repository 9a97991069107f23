/** Messages, files and views as the Web API, the payloads and the events give them. */
import { type Fields, present } from './fields.ts'
import { kindOf, type StoredFile } from './files.ts'
import type { Message } from './messages.ts'
import type { State } from './state.ts'
import type { StateValues, View } from './views.ts'

export function wireMessage(
  state: State,
  message: Message,
  { withMetadata }: { withMetadata: boolean },
): Fields {
  const { bot, team, appId } = state
  return present({
    type: 'message',
    subtype: message.tombstone ? 'tombstone' : message.isBroadcast ? 'thread_broadcast' : undefined,
    user: message.userId,
    ts: message.ts,
    ...(message.byBot ? { bot_id: bot.botId, app_id: appId } : {}),
    team: team.id,
    text: message.text,
    blocks: message.blocks.length > 0 ? message.blocks : undefined,
    attachments: message.attachments,
    edited: message.edited,
    files: filesOn(state, message),
    pinned_to: message.isPinned ? [message.channelId] : undefined,
    metadata: withMetadata ? message.metadata : undefined,
    is_ephemeral: message.onlyFor === undefined ? undefined : true,
    ...tellThread(state, message),
  })
}

function filesOn(state: State, { fileIds = [] }: Message): Fields[] | undefined {
  const files = fileIds.flatMap((id) => state.files.find(id) ?? [])
  return files.length === 0 ? undefined : files.map((file) => wireFile(state, file))
}

export function wireFile(state: State, file: StoredFile): Fields {
  const kind =
    state.files.isReady(file) && file.bytes !== undefined
      ? kindOf(file.bytes)
      : { mimetype: '', filetype: '' }
  const address = `${state.url()}files/${file.id}/${encodeURIComponent(file.name)}`
  return {
    id: file.id,
    name: file.name,
    title: file.title,
    ...kind,
    size: file.announcedBytes,
    url_private: address,
    permalink: permalinkOf(state, file),
  }
}

/** The address of a file for people: in the text of a message of who owns it, it brings the file (docs/slack.md#files). */
export function permalinkOf(state: State, { ownerId, id, name }: StoredFile): string {
  return `${state.url()}files/${ownerId}/${id}/${encodeURIComponent(name.toLowerCase())}`
}

function tellThread(state: State, message: Message): Fields {
  if (message.onlyFor !== undefined) return present({ thread_ts: message.threadTs })
  if (message.threadTs !== undefined) {
    const parent = state.messages.find(message.channelId, message.threadTs)
    const isRootShown = message.isBroadcast === true && parent !== undefined
    return present({
      thread_ts: message.threadTs,
      // What the channel shows it under (docs.slack.dev/reference/events/message/thread_broadcast).
      root: isRootShown ? wireMessage(state, parent, { withMetadata: false }) : undefined,
    })
  }
  const replies = state.messages.replies(message.channelId, message.ts)
  if (replies.length === 0) return {}
  return { thread_ts: message.ts, reply_count: replies.length }
}

export function wireView(state: State, view: View, values: StateValues): Fields {
  const { ask } = view
  return {
    id: view.id,
    team_id: state.team.id,
    type: ask.type,
    blocks: ask.blocks,
    private_metadata: ask.private_metadata ?? '',
    callback_id: ask.callback_id ?? '',
    state: { values },
    hash: view.hash,
    title: ask.title ?? { type: 'plain_text', text: 'View Title', emoji: true },
    close: ask.close ?? null,
    submit: ask.submit ?? null,
    app_id: state.appId,
  }
}
