/**
 * Withholds envelopes that the SDK cannot read. One of the Events API without an `event`, such as `app_rate_limited`, would cause
 * an unhandled rejection and end the process (docs/slack.md#socket-mode).
 */
import type { SocketModeReceiver } from '@slack/bolt'
import { z } from 'zod'
import type { Logger } from '../../flow/ports/ports.ts'
import { printable } from '../mrkdwn.ts'

const typeCharsMax = 100

const named = z.object({ type: z.string() })
const envelope = z.object({
  type: z.unknown().optional(),
  envelope_id: z.string().optional().catch(undefined),
  payload: z.unknown().optional(),
})

/** Call it once per client, before the client is started. Withheld frames are acknowledged and logged. */
export function passReadableFrames(client: SocketModeReceiver['client'], logger: Logger): void {
  const listeners = client.listeners('ws_message')
  client.removeAllListeners('ws_message')
  client.on('ws_message', (data: unknown, isBinary: unknown) => {
    const unread = isBinary === true ? null : unreadable(data)
    if (unread === null) {
      for (const listener of listeners) listener.call(client, data, isBinary)
      return
    }
    logger.warn('socket:unreadable', { type: unread.type })
    // Without an acknowledgement Slack would send it again. On a closed socket there is nobody to acknowledge to.
    if (unread.envelopeId !== null)
      void sender(client)
        .send(unread.envelopeId)
        .catch(() => undefined)
  })
}

/** The SDK's method for acknowledgements. It is private, and otherwise only an emitted event has an `ack`. */
function sender(client: SocketModeReceiver['client']) {
  return client as unknown as { send(envelopeId: string): Promise<void> }
}

/** What is unreadable about a frame; null if the SDK can read it (it ignores invalid JSON by itself). */
function unreadable(data: unknown): { readonly type: string; readonly envelopeId: string | null } | null {
  const frame = parsed(data)
  if (frame === undefined) return null
  const { success, data: outer } = envelope.safeParse(frame)
  if (!success) return { type: 'no envelope', envelopeId: null }
  if (outer.type !== 'events_api') return null
  const payload = z.object({ event: named }).safeParse(outer.payload)
  if (payload.success) return null
  const type = named.safeParse(outer.payload).data?.type ?? 'unknown'
  return { type: printable(type, typeCharsMax), envelopeId: outer.envelope_id ?? null }
}

function parsed(data: unknown): unknown {
  try {
    return JSON.parse(String(data))
  } catch {
    return undefined
  }
}
