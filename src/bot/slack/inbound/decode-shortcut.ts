/** Decodes a message shortcut: it names the message that it was used on, and the store knows which card that is. */
import { z } from 'zod'
import type { FormName } from '../../domain/request/named.ts'
import { shortcuts } from '../vocabulary.ts'
import { type Asked, type Asker, address, threadOf, word } from './asked.ts'

const shape = z.object({
  type: z.literal('message_action'),
  callback_id: word,
  trigger_id: word,
  user: z.object({ id: word }),
  channel: z.object({ id: word }),
  message_ts: word,
  message: z.object({ thread_ts: word.optional() }).optional(),
  response_url: address.optional(),
})

export type ShortcutUse = {
  readonly form: FormName
  readonly channel: string
  /** The message, then its thread's root: a reply belongs to the card above it. */
  readonly messages: readonly string[]
  readonly asker: Asker
}

/** The message and form of a shortcut; null if it is not one of this bot's. */
export function decodeShortcut(body: unknown): ShortcutUse | null {
  const read = shape.safeParse(body)
  if (!read.success) return null
  const { callback_id: name, user, channel, message, message_ts: ts, trigger_id: triggerId } = read.data
  const form = formOf(name)
  if (form === null) return null
  const threadTs = threadOf(message?.thread_ts, ts)
  return {
    form,
    channel: channel.id,
    messages: threadTs === null ? [ts] : [ts, threadTs],
    asker: {
      userId: user.id,
      channel: channel.id,
      threadTs,
      responseUrl: read.data.response_url ?? null,
      triggerId,
      replaces: 'never',
    },
  }
}

function formOf(callbackId: string): FormName | null {
  switch (callbackId) {
    case shortcuts.muteServer:
      return 'mute_server'
    case shortcuts.addNote:
      return 'add_note'
    default:
      return null
  }
}

/** The request of a shortcut. `alertId` is null if the message is not about a single alert. */
export function askedOfShortcut({ form, channel, asker }: ShortcutUse, alertId: string | null): Asked {
  if (alertId === null) {
    return { kind: 'refused', refusal: { why: 'not_on_card' }, asker }
  }
  return {
    kind: 'request',
    request: {
      intent: { kind: 'open_form', form, alertId, given: null },
      userId: asker.userId,
      via: 'shortcut',
      keys: [`trigger:${asker.triggerId}`],
      channel,
      card: null,
    },
    asker,
  }
}
