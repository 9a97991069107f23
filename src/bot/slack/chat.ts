/** Implements the port `Chat` with Slack's Web API: posts and updates cards, searches history, uploads pictures. */
import type { MessageMetadata } from '@slack/types'
import type { WebClient } from '@slack/web-api'
import { request } from 'undici'
import { OutsideFailure } from '../domain/base/failure.ts'
import { type CardView, fileBy, treatmentOf } from '../domain/card/kinds.ts'
import type { Outcome } from '../domain/delivery/delivery.ts'
import type { Chat, Clock, HistorySearch, Refused } from '../flow/ports/ports.ts'
import type { Self } from './check-setup.ts'
import { failureOf, outcomeOf, replyOutcomeOf } from './errors.ts'
import { callMs } from './fetch.ts'
import { withPlainDays } from './mrkdwn.ts'
import { homeWithoutMemory, renderHome } from './render/cards/home.ts'
import { renderTimeline } from './render/files/timeline.ts'
import { render, renderPlain } from './render/render.ts'

/** Marks every card's message; together with the bot's own id it identifies the post later. */
const metadataType = 'monbot_card'

const directsMax = 2_000
const historyPageMax = 200
/** What an app that is distributed commercially may ask for at once (docs/slack.md#rate-limits). */
const limitedPageMax = 15
const historyPagesMax = 20

/** `self` is known once Slack is connected. */
export function openChat(
  client: WebClient,
  self: () => Pick<Self, 'botId' | 'botUserId' | 'address'>,
  clock: Pick<Clock, 'nowMs'>,
): Chat {
  const directs = new Map<string, string>()
  return {
    post: async ({ channel, threadTs, key, plain }, view) => {
      // Before the `try`: an error while rendering is not an answer of Slack.
      const drawn = withPlainDays(content(view, plain), clock.nowMs())
      try {
        const answer = await client.chat.postMessage({
          channel,
          ...drawn,
          ...inThread(threadTs, view),
          metadata: metadata(key),
          // Otherwise the address of a file would bring no file (docs/slack.md#files).
          ...(fileBy(view) !== null ? {} : { unfurl_links: false, unfurl_media: false }),
        })
        // An `ok` without a `ts` leaves nothing to store: only the history can show whether the message exists.
        if (answer.ts === undefined) return { kind: 'unknown', why: 'no_ts' }
        return isAstray(threadTs, answer.message)
          ? await takenBack(client, { channel, ts: answer.ts })
          : { kind: 'shown', ts: answer.ts }
      } catch (error) {
        return threadTs === null ? outcomeOf(error) : replyOutcomeOf(error)
      }
    },
    update: async ({ channel, ts, key, plain }, view) => {
      const drawn = withPlainDays(content(view, plain), Number(ts) * 1000)
      try {
        await client.chat.update({ channel, ts, ...drawn, metadata: metadata(key) })
        return { kind: 'shown', ts }
      } catch (error) {
        return outcomeOf(error)
      }
    },
    find: async (where, mayGoOn, search) => {
      try {
        return await find(client, self().botId, where, mayGoOn, search)
      } catch (error) {
        if (!(error instanceof OutsideFailure) || error.code !== 'thread_not_found') throw error
        // Its thread was deleted. If it was posted, then in the channel itself, where it does not belong.
        const astray = await find(client, self().botId, { ...where, threadTs: null }, mayGoOn, search)
        for (const ts of astray) await remove(client, { channel: where.channel, ts })
        return []
      }
    },
    direct: async (userId) => {
      const known = directs.get(userId)
      if (known !== undefined) return known
      const { channel } = await client.conversations.open({ users: userId }).catch((error: unknown) => {
        throw failureOf(error, 'open a direct message')
      })
      if (channel?.id === undefined)
        throw new OutsideFailure('unreachable', 'Slack opened a direct message without an id')
      if (directs.size >= directsMax) directs.clear()
      directs.set(userId, channel.id)
      return channel.id
    },
    probe: (channel) => probe(client, channel),
    remove: (at) => remove(client, at),
    pin: ({ channel, ts }) =>
      done(client.pins.add({ channel, timestamp: ts }), 'pin a message', ['already_pinned']),
    unpin: ({ channel, ts }) =>
      done(client.pins.remove({ channel, timestamp: ts }), 'take a pin away', [
        'no_pin',
        'not_pinned',
        'message_not_found',
      ]),
    upload: async (png, name) => (await upload(client, png, name, 'take a picture')).fileId,
    attach: async (file) => {
      const { name, bytes } = 'kind' in file ? renderTimeline(file) : file
      const { fileId, permalink } = await upload(client, bytes, name, 'take a file')
      const { address, botUserId } = self()
      const own = `${(address ?? 'https://slack.com/').replace(/\/$/, '')}/files/${botUserId}/${fileId}`
      return { fileId, permalink: permalink ?? own, name, bytes: bytes.length }
    },
    isTakenIn: (fileId) => isTakenIn(client, fileId),
    isShared: (fileId, channel) => isShared(client, fileId, channel),
    permalink: async ({ channel, ts }) => {
      try {
        const { permalink } = await client.chat.getPermalink({ channel, message_ts: ts })
        if (permalink === undefined)
          throw new OutsideFailure('unreachable', 'Slack gave no link to a message')
        return permalink
      } catch (error) {
        throw error instanceof OutsideFailure ? error : failureOf(error, 'give a link to a message')
      }
    },
    publishHome: async (userId, view) => {
      const shown = view === null ? [...homeWithoutMemory] : renderHome(view, linkIn(self().address), userId)
      const blocks = withPlainDays(shown, clock.nowMs())
      await client.views
        .publish({ user_id: userId, view: { type: 'home', blocks } })
        .catch((error: unknown) => {
          throw failureOf(error, 'show a Home tab')
        })
    },
  }
}

/**
 * Checks the token and the channel with one call. Null if nothing speaks against a post, also without the scope for this call.
 */
async function probe(client: WebClient, channel: string): Promise<Refused | null> {
  try {
    const { channel: found } = await client.conversations.info({ channel })
    if (found?.is_archived === true) return { kind: 'channel_unavailable', why: 'is_archived' }
    return found?.is_member === false ? { kind: 'channel_unavailable', why: 'not_in_channel' } : null
  } catch (error) {
    const outcome = outcomeOf(error)
    return outcome.why === 'missing_scope' ? null : outcome
  }
}

async function remove(client: WebClient, at: { channel: string; ts: string }): Promise<void> {
  await done(client.chat.delete(at), 'delete a copy', ['message_not_found'])
}

/**
 * Builds a message's link as `chat.getPermalink` does for messages of the channel, because a tab has dozens and each would take a
 * call.
 */
function linkIn(address: string | null): (place: { channel: string; ts: string }) => string | null {
  return ({ channel, ts }) =>
    address === null ? null : `${address.replace(/\/$/, '')}/archives/${channel}/p${ts.replace('.', '')}`
}

function inThread(threadTs: string | null, view: CardView) {
  if (threadTs === null) return {}
  return treatmentOf(view).isBroadcast
    ? { thread_ts: threadTs, reply_broadcast: true as const }
    : { thread_ts: threadTs }
}

/**
 * Was a reply posted in the channel itself? Slack does that if the thread was deleted, and its answer then names no thread
 * (docs/slack.md#posting-once). An answer without the message says nothing.
 */
function isAstray(threadTs: string | null, message: { readonly thread_ts?: string } | undefined): boolean {
  return threadTs !== null && message !== undefined && message.thread_ts === undefined
}

/**
 * Deletes a reply that was posted in the channel, where nobody knows what it is about. If that fails now, the search for it
 * deletes it later.
 */
async function takenBack(client: WebClient, at: { channel: string; ts: string }): Promise<Outcome> {
  try {
    await client.chat.delete(at)
    return { kind: 'gone', why: 'thread_gone' }
  } catch (error) {
    return { kind: 'unknown', why: `astray_${failureOf(error, 'delete a reply').code}` }
  }
}

/** Waits for a call; the codes in `already` mean that it was done before, and count as success. */
async function done(call: Promise<unknown>, doing: string, already: readonly string[]): Promise<void> {
  try {
    await call
  } catch (error) {
    const failure = failureOf(error, doing)
    if (failure.code === undefined || failure.code === null || !already.includes(failure.code)) throw failure
  }
}

// An update with text alone also removes the blocks, as a plain card needs.
function content(view: CardView, plain: boolean) {
  return plain ? { text: renderPlain(view) } : render(view)
}

function metadata(key: string): MessageMetadata {
  return { event_type: metadataType, event_payload: { card: key } }
}

type Message = {
  readonly ts?: string
  readonly bot_id?: string
  readonly metadata?: { readonly event_type?: string; readonly event_payload?: object }
}

/** Reads the history from where `search` is, newest first, and moves it on with each part: what ends in between need not be read again. */
async function find(
  client: WebClient,
  botId: string,
  where: { channel: string; threadTs: string | null; key: string; sinceMs: number },
  mayGoOn: () => Promise<void> = async () => {},
  search: HistorySearch = { cursor: '', found: [] },
): Promise<readonly string[]> {
  const { channel, threadTs, key } = where
  const oldest = (where.sinceMs / 1000).toFixed(6)
  for (let page = 0; page < historyPagesMax; page += 1) {
    if (page > 0) await mayGoOn()
    const ask = {
      channel,
      oldest,
      include_all_metadata: true,
      limit: search.limit ?? historyPageMax,
      ...(search.cursor === '' ? {} : { cursor: search.cursor }),
    }
    const answer = await (threadTs === null
      ? client.conversations.history(ask)
      : client.conversations.replies({ ...ask, ts: threadTs })
    ).catch((error: unknown) => failureOf(error, 'show the history of a channel'))
    if (answer instanceof OutsideFailure) {
      if (answer.code === 'invalid_limit' && search.limit === undefined) search.limit = limitedPageMax
      // A cursor lives for a while only: it begins anew.
      else if (answer.code === 'invalid_cursor' && search.cursor !== '') search.cursor = ''
      else throw answer
      continue
    }
    const cards = ((answer.messages ?? []) as Message[]).flatMap((message) =>
      message.ts !== undefined && isCard(message, botId, key) ? [message.ts] : [],
    )
    search.found = [...new Set([...search.found, ...cards])]
    search.cursor = answer.response_metadata?.next_cursor ?? ''
    if (search.cursor === '') return [...search.found].sort()
  }
  throw new OutsideFailure('unreachable', 'Slack has more history since the post than is read at once')
}

// Any app can write metadata of this type, so the author is compared as well.
function isCard(message: Message, botId: string, key: string): boolean {
  const payload = message.metadata?.event_payload
  return (
    message.bot_id === botId &&
    message.metadata?.event_type === metadataType &&
    payload !== undefined &&
    'card' in payload &&
    payload.card === key
  )
}

/**
 * Was the file shared in this channel? Its `shares` and lists of channels name every place (docs/slack.md#pictures). Null without
 * the scope for it.
 */
async function isShared(client: WebClient, fileId: string, channel: string): Promise<boolean | null> {
  try {
    const { file } = await client.files.info({ file: fileId })
    const { public: open = {}, private: closed = {} } = file?.shares ?? {}
    const lists = [file?.channels, file?.groups, file?.ims, Object.keys(open), Object.keys(closed)]
    return lists.some((channels) => channels?.includes(channel) === true)
  } catch (error) {
    const failure = failureOf(error, 'tell who sees a file')
    if (failure.code === 'missing_scope') return null
    throw failure
  }
}

/** Slack knows the kind of a file once it has taken it in. Null without the scope for it. */
async function isTakenIn(client: WebClient, fileId: string): Promise<boolean | null> {
  try {
    const { file } = await client.files.info({ file: fileId })
    return (file?.mimetype ?? '') !== ''
  } catch (error) {
    const failure = failureOf(error, 'tell whether it has taken a file in')
    if (failure.code === 'missing_scope') return null
    throw failure
  }
}

/** Uploads a file in three calls. The SDK's helper would repeat calls, set no limit on the bytes, and send the token along. */
async function upload(
  client: WebClient,
  bytes: Uint8Array,
  filename: string,
  doing: string,
): Promise<{ readonly fileId: string; readonly permalink: string | undefined }> {
  try {
    const begun = await client.files.getUploadURLExternal({ filename, length: bytes.length })
    const { upload_url: address, file_id: fileId } = begun
    if (address === undefined || fileId === undefined) throw new Error('no upload address')
    const answer = await request(address, {
      method: 'POST',
      body: bytes,
      headers: { 'content-type': 'application/octet-stream' },
      signal: AbortSignal.timeout(callMs),
    })
    await answer.body.dump()
    if (answer.statusCode !== 200) throw new Error('upload refused')
    // Without a channel: nobody sees the file until a message shows it.
    const { files } = await client.files.completeUploadExternal({ files: [{ id: fileId, title: filename }] })
    return { fileId, permalink: files?.[0]?.permalink }
  } catch (error) {
    throw failureOf(error, doing)
  }
}
