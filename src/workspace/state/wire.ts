/** Messages, files and views as the Web API, the payloads and the events give them. */
import type { ChannelKind } from './channels.ts'
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

/** A file as the Web API gives it: without a type until it is usable (docs/slack.md#pictures). */
export function wireFile(state: State, file: StoredFile): Fields {
  const kind =
    state.files.isReady(file) && file.bytes !== undefined
      ? kindOf(file.bytes, file.name)
      : { mimetype: '', filetype: '' }
  const address = `${state.url()}files/${file.id}/${encodeURIComponent(file.name)}`
  return {
    id: file.id,
    created: Math.floor(file.createdMs / 1_000),
    name: file.name,
    title: file.title,
    ...kind,
    user: file.ownerId,
    user_team: state.team.id,
    size: file.announcedBytes,
    url_private: address,
    permalink: permalinkOf(state, file),
    ...sharesOf(state, file),
  }
}

/** The address of a file for people: in the text of a message of who owns it, it brings the file (docs/slack.md#files). */
export function permalinkOf(state: State, { ownerId, id, name }: StoredFile): string {
  return `${state.url()}files/${ownerId}/${id}/${encodeURIComponent(name.toLowerCase())}`
}

/** Where it was shared, by the kind of the channel (docs.slack.dev/reference/objects/file-object). */
function sharesOf({ channels }: State, { shares }: StoredFile): Fields {
  const ofKind = (kind: ChannelKind) =>
    [...new Set(shares.values())].filter((id) => channels.all.get(id)?.kind === kind)
  return { channels: ofKind('public'), groups: ofKind('private'), ims: ofKind('im') }
}

function tellThread(state: State, message: Message): Fields {
  if (message.onlyFor !== undefined) return present({ thread_ts: message.threadTs })
  if (message.threadTs !== undefined) {
    const parent = state.messages.find(message.channelId, message.threadTs)
    const isRootShown = message.isBroadcast === true && parent !== undefined
    return present({
      thread_ts: message.threadTs,
      parent_user_id: parent?.userId,
      // What the channel shows it under (docs.slack.dev/reference/events/message/thread_broadcast).
      root: isRootShown ? wireMessage(state, parent, { withMetadata: false }) : undefined,
    })
  }
  const replies = state.messages.replies(message.channelId, message.ts)
  if (replies.length === 0) return {}
  const users = [...new Set(replies.map((reply) => reply.userId))]
  return {
    thread_ts: message.ts,
    reply_count: replies.length,
    reply_users_count: users.length,
    reply_users: users,
    latest_reply: replies.at(-1)?.ts,
  }
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
