/** Slack's Web API as the port: each call once, in its own time, with an outcome in place of an error (docs/slack.md). */
import type { View as SlackView } from '@slack/types'
import type { AuthTestResponse, WebClient } from '@slack/web-api'
import type { Member } from '@slack/web-api/dist/types/response/UsersListResponse.js'
import { type Clock, isZone, second } from '../clock.ts'
import type { Secret } from '../config/settings.ts'
import type { Person, SlackIdentity } from '../world/facts.ts'
import { codeOf, fetchWithin, openClient, outcomeOf, type Reach, whyOf } from './client.ts'
import { keyHash, lookFor, metadataType } from './look.ts'
import type { Message, Outcome, SlackPort } from './port.ts'

const peoplePage = 1000
/** A larger workspace is not listed whole: who acts is asked for by id. */
const peopleMax = 20_000

export function openSlack(botToken: Secret, reach: Reach, clock: Clock): SlackPort {
  const client = openClient(botToken, reach)
  const files = openFiles(client, reach, clock)
  let known: SlackIdentity | null = null

  async function identity(): ReturnType<SlackPort['identity']> {
    if (known !== null) return known
    try {
      known = identityOf(await client.auth.test())
      return known
    } catch (error) {
      const outcome = outcomeOf(error)
      return { why: whyOf(outcome), isToken: outcome.kind === 'token' }
    }
  }

  return {
    ...readsOf(client),
    identity,
    post: async (_pass, call) => {
      const thread =
        call.threadTs === null ? {} : { thread_ts: call.threadTs, reply_broadcast: call.isBroadcast }
      return outcomeFrom(
        client.chat.postMessage({
          channel: call.channel,
          ...contentOf(call),
          ...thread,
          unfurl_links: false,
          unfurl_media: false,
          metadata: { event_type: metadataType, event_payload: { key: keyHash(call.key) } },
        }),
        call.threadTs,
      )
    },
    update: (_pass, call) =>
      outcomeFrom(client.chat.update({ channel: call.channelId, ts: call.ts, ...contentOf(call) })),
    delete: (_pass, channel, ts) => outcomeFrom(client.chat.delete({ channel, ts })),
    look: async (channel, threadTs, fromMs) => {
      const self = await identity()
      if ('why' in self) return { kind: 'unreadable', why: self.why, isShut: false }
      return lookFor(client, self.botId, channel, threadTs, fromMs)
    },
    upload: (png, name, alt) => files.upload(png, name, name, alt),
    share: async (_pass, { bytes, name, title }, channel, threadTs) => {
      const sent = await files.upload(bytes, name, title, null)
      if (sent.kind !== 'ok') return { kind: sent.kind === 'later' ? 'later' : 'content', why: sent.why }
      // Its address in the text of our own message brings the file (docs/slack.md#files).
      const text = `<${sent.permalink}|${title.replaceAll(/[&<>|]/g, ' ')}>`
      const thread = threadTs === null ? {} : { thread_ts: threadTs }
      return outcomeFrom(client.chat.postMessage({ channel, text, ...thread }), threadTs)
    },
    ephemeral: (_pass, channel, user, threadTs, message) =>
      outcomeFrom(
        client.chat.postEphemeral({
          channel,
          user,
          ...contentOf(message),
          ...(threadTs === null ? {} : { thread_ts: threadTs }),
        }),
        threadTs,
      ),
    openView: async (trigger_id, view) => {
      try {
        const { view: opened } = await client.views.open({ trigger_id, view })
        return opened?.id === undefined ? { why: 'an answer without a form' } : { viewId: opened.id }
      } catch (error) {
        return { why: whyOf(outcomeOf(error)) }
      }
    },
    updateView: (_pass, view_id, view) => outcomeFrom(client.views.update({ view_id, view })),
    publishHome: (_pass, user_id, view) =>
      outcomeFrom(client.views.publish({ user_id, view: view as SlackView & { type: 'home' } })),
    pin: async (_pass, channel, timestamp) => {
      const pinned = client.pins.add({ channel, timestamp }).catch((error: unknown) => {
        if (codeOf(error) !== 'already_pinned') throw error
        return {}
      })
      const outcome = await outcomeFrom(pinned)
      // Pinning is an extra, whose scope an administrator may have left out.
      return outcome.kind === 'token' ? { kind: 'content', why: outcome.why } : outcome
    },
  }
}

type Answer = {
  readonly ts?: string
  readonly message_ts?: string
  readonly channel?: unknown
  readonly message?: { readonly thread_ts?: string }
}

async function outcomeFrom(call: Promise<object>, threadTs: string | null = null): Promise<Outcome> {
  try {
    const answer: Answer = await call
    // A reply to a message that is gone stands in the channel, and its answer names no thread.
    const standsIn = answer.message === undefined ? threadTs : (answer.message.thread_ts ?? null)
    return {
      kind: 'ok',
      ts: answer.ts ?? answer.message_ts ?? '',
      channelId: typeof answer.channel === 'string' ? answer.channel : '',
      threadTs: standsIn,
    }
  } catch (error) {
    return outcomeOf(error)
  }
}

/** Text alone takes the blocks of a message away. */
function contentOf({ text, blocks }: Message) {
  return blocks.length === 0 ? { text } : { text, blocks: [...blocks] }
}

function readsOf(
  client: WebClient,
): Pick<SlackPort, 'channel' | 'person' | 'people' | 'personByEmail' | 'groupMembers'> {
  return {
    channel: async (id) => {
      try {
        const { channel } = await client.conversations.info({ channel: id })
        const { is_member: isMember = true, is_archived: isArchived = false, name = id } = channel ?? {}
        return { isMember, isArchived, name }
      } catch (error) {
        return { why: whyOf(outcomeOf(error)) }
      }
    },
    person: async (id) => {
      const found = await client.users.info({ user: id }).catch(() => null)
      return found?.user ? personOf(found.user) : null
    },
    people: async () => {
      const people: Person[] = []
      const pages = client.paginate('users.list', { limit: peoplePage }) as AsyncIterable<{
        members?: Member[]
      }>
      try {
        for await (const { members = [] } of pages) {
          people.push(...members.map(personOf))
          if (people.length >= peopleMax) break
        }
        return people
      } catch {
        return null
      }
    },
    personByEmail: async (email) => {
      const found = await client.users.lookupByEmail({ email }).catch(() => null)
      return found?.user?.id ?? null
    },
    groupMembers: async (usergroup) => {
      const found = await client.usergroups.users.list({ usergroup }).catch(() => null)
      return found?.users ?? null
    },
  }
}

function personOf({ id = '', name = id, real_name, tz, is_bot, deleted, profile }: Member): Person {
  return {
    id,
    name: profile?.display_name || name,
    realName: profile?.real_name || real_name || name,
    email: profile?.email ?? null,
    zone: tz !== undefined && isZone(tz) ? tz : 'Etc/UTC',
    // Slack's own bot does not say that it is one.
    isBot: is_bot === true || id === 'USLACKBOT',
    isDeleted: deleted === true,
    readMs: 0,
  }
}

function identityOf(self: AuthTestResponse): SlackIdentity {
  return {
    teamUrl: self.url ?? 'https://slack.com/',
    teamId: self.team_id ?? '',
    enterpriseId: self.enterprise_id ?? null,
    botId: self.bot_id ?? '',
    botUserId: self.user_id ?? '',
  }
}

type Uploaded =
  | { readonly kind: 'ok'; readonly file: string; readonly permalink: string | null }
  | { readonly kind: 'refused' | 'later'; readonly why: string }

/** Slack takes a file in after the upload, up to 12 s later in reports. These are the pauses between two looks. */
const looksAfterMs = [0, 150, 300, 600, 1000, 2000, 3000, 5000, 8000]
/** Nobody may say whether it is ready, without the scope `files:read`. */
const blindMs = 4 * second

export function openFiles(client: WebClient, reach: Reach, clock: Clock) {
  const fetch = fetchWithin(reach)

  async function send(bytes: Uint8Array, name: string, title: string, alt: string | null): Promise<Uploaded> {
    const begun = await client.files.getUploadURLExternal({
      filename: name,
      length: bytes.length,
      ...(alt === null ? {} : { alt_txt: alt.slice(0, 1000) }),
    })
    if (begun.upload_url === undefined || begun.file_id === undefined) return later('no address to upload to')
    const sent = await fetch(begun.upload_url, {
      method: 'POST',
      body: Buffer.from(bytes),
      headers: { 'content-type': 'application/octet-stream' },
      redirect: 'error',
    })
    if (!sent.ok) return later(`the upload was answered with HTTP ${sent.status}`)
    const done = await client.files.completeUploadExternal({ files: [{ id: begun.file_id, title }] })
    return { kind: 'ok', file: begun.file_id, permalink: done.files?.[0]?.permalink ?? null }
  }

  async function isReady(file: string): Promise<boolean | null> {
    try {
      return ((await client.files.info({ file })).file?.mimetype ?? '') !== ''
    } catch (error) {
      return codeOf(error) === 'missing_scope' ? null : false
    }
  }

  return {
    /** Resolves once messages can show it. */
    async upload(bytes: Uint8Array, name: string, title: string, alt: string | null): Promise<Uploaded> {
      try {
        const sent = await send(bytes, name, title, alt)
        if (sent.kind !== 'ok') return sent
        for (const afterMs of looksAfterMs) {
          await clock.wait(afterMs)
          const ready = await isReady(sent.file)
          if (ready === null) await clock.wait(blindMs)
          if (ready !== false) return sent
        }
        return later('Slack has not taken the file in')
      } catch (error) {
        const outcome = outcomeOf(error)
        const isFinal = ['content', 'channel', 'token'].includes(outcome.kind)
        return { kind: isFinal ? 'refused' : 'later', why: whyOf(outcome) }
      }
    },
  }
}

function later(why: string): Uploaded {
  return { kind: 'later', why }
}
