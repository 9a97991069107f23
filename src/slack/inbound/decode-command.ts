/** Turns a slash command into a request, or into a refusal. */
import { z } from 'zod'
import { parseCommand } from '../../domain/command/commands.ts'
import { type Asked, type Asker, address, word } from './asked.ts'

/** Slack's limit for one message is slightly lower. */
const textCharsMax = 40_000

const shape = z.object({
  user_id: word,
  channel_id: word,
  text: z.string().max(textCharsMax).default(''),
  trigger_id: word,
  response_url: address.optional(),
})

/** Null if it is not a command (slack-facts.md 4.3). */
export function decodeCommand(body: unknown): Asked | null {
  const read = shape.safeParse(body)
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
