/** Decodes what somebody types into a request: after `/mon`, with a mention, or in a direct message. */
import { z } from 'zod'
import { parseCommand } from '../../domain/command/commands.ts'
import type { Intent } from '../../domain/request/intent.ts'
import type { Refusal } from '../../domain/request/reply.ts'
import { command } from '../vocabulary.ts'
import { type Asked, type Asker, address, word } from './asked.ts'

/** Slack's limit for one message is slightly lower. */
const textCharsMax = 40_000

const commandShape = z.object({
  user_id: word,
  channel_id: word,
  text: z.string().max(textCharsMax).default(''),
  trigger_id: word,
  response_url: address.optional(),
})

/** The request of a slash command (docs/slack.md#requests); null if it is none. */
export function decodeCommand(body: unknown): Asked | null {
  const read = commandShape.safeParse(body)
  if (!read.success) return null
  const { user_id: userId, channel_id: channel, trigger_id: triggerId } = read.data
  const asker: Asker = {
    userId,
    channel,
    threadTs: null,
    responseUrl: read.data.response_url ?? null,
    triggerId,
    replaces: 'never',
  }
  const parsed = parseCommand(read.data.text)
  if (!parsed.ok) return { kind: 'refused', refusal: parsed.refusal, asker }
  const keys = [`trigger:${triggerId}`]
  return {
    kind: 'request',
    request: { intent: parsed.intent, userId, via: 'command', keys, channel, card: null },
    asker,
  }
}

const talkShape = z.object({
  type: z.enum(['app_mention', 'message']),
  channel_type: z.string().optional(),
  // Has a subtype: an edit, a deletion, a join. Nobody says anything new.
  subtype: z.never().optional(),
  // Set for every bot, this one included. Bots are never answered, or two of them would never stop.
  bot_id: z.never().optional(),
  user: word,
  channel: word,
  ts: word,
  thread_ts: word.optional(),
  text: z.string().max(textCharsMax),
  // The author's, in a channel that is shared with another workspace.
  user_team: word.optional(),
  team: word.optional(),
})

/** The envelope of an event: the app's Grid, and whether the channel is shared with other organizations. */
const envelopeShape = z.object({
  is_ext_shared_channel: z.literal(false),
  authorizations: z.tuple([z.object({ enterprise_id: word })], z.unknown()),
})

type Talked = {
  readonly asked: Asked
  /** The same for every try of Slack's at the same message. */
  readonly key: string
  /** As `senderOf` reads it. */
  readonly sender: {
    readonly user_id: string
    readonly channel_id?: string
    readonly team_id?: string
    readonly enterprise_id?: string
  }
}

/**
 * A mention or direct message as a request; null for what nobody said to the bot. In a channel the answer is visible only to the
 * person, in the same thread. In a direct message it is a message, and changes are announced as those from the Home tab are.
 */
export function decodeTalk(event: unknown, envelope: unknown, botUserId: string): Talked | null {
  const read = talkShape.safeParse(event)
  if (!read.success) return null
  const { type, channel_type: kind, user: userId, channel, ts, thread_ts: threadTs, text } = read.data
  const isDirect = type === 'message'
  if (userId === botUserId || (isDirect && kind !== 'im')) return null
  const team = read.data.user_team ?? read.data.team
  // If the channel is not shared with another organization, everybody belongs to the app's own.
  const around = envelopeShape.safeParse(envelope).data
  const asker: Asker = {
    userId,
    channel: isDirect ? null : channel,
    threadTs: isDirect ? null : (threadTs ?? null),
    responseUrl: null,
    triggerId: null,
    replaces: 'never',
  }
  const key = `talk:${channel}:${ts}`
  const meant = meaningOf(text, botUserId)
  const sender = {
    user_id: userId,
    ...(asker.channel === null ? {} : { channel_id: asker.channel }),
    ...(team === undefined ? {} : { team_id: team }),
    ...(around === undefined ? {} : { enterprise_id: around.authorizations[0].enterprise_id }),
  }
  if ('why' in meant) return { asked: { kind: 'refused', refusal: meant, asker }, key, sender }
  const request = {
    intent: meant,
    userId,
    via: 'command',
    keys: [key],
    channel: asker.channel,
    card: null,
  } as const
  return { asked: { kind: 'request', request, asker }, key, sender }
}

/** The command after the mention; any other sentence asks for help. */
function meaningOf(text: string, botUserId: string): Intent | Refusal {
  const [before = '', ...after] = text.split(`<@${botUserId}>`)
  const said = (after.length === 0 ? before : after.join(' ')).trim()
  const typed = said.replace(/^[,:]\s*/, '').replace(/^\/?mon(?:\s+|$)/i, '')
  const parsed = parseCommand(typed)
  if (parsed.ok) {
    // A form opens only from what Slack gives a trigger for.
    return parsed.intent.kind === 'open_form'
      ? { why: 'invalid', expected: `${command} ${typed}`, came: '' }
      : parsed.intent
  }
  const { refusal } = parsed
  const isNoCommand = refusal.why === 'unknown_command' && refusal.similar.length === 0
  return isNoCommand ? { kind: 'help', topic: null } : refusal
}
