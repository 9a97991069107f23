/**
 * Keeps from the SDK what it cannot read: it takes every envelope of the Events API to hold an `event`, and lets a
 * rejection go unhandled, which ends the process, where there is none, as in `app_rate_limited` (@slack/socket-mode 3.1.0).
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

/** To be called once for each client, before it is started. What is kept back is acknowledged, and said in the log. */
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
    // Unacknowledged, Slack would send it again. On a socket that is gone there is nobody to tell.
    if (unread.envelopeId !== null)
      void sender(client)
        .send(unread.envelopeId)
        .catch(() => undefined)
  })
}

/** What the SDK acknowledges by. It is private there, and without it only an event that was emitted has an `ack`. */
function sender(client: SocketModeReceiver['client']) {
  return client as unknown as { send(envelopeId: string): Promise<void> }
}

/** Null where the SDK can read it: what is no JSON at all it leaves alone by itself. */
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
