/**
 * The way to the bot: sends a payload and returns its acknowledgement. Here in Socket Mode: each payload goes in an envelope to one
 * socket, and must be acknowledged by its id within three seconds (docs/slack.md#socket-mode).
 */
import type { Fields } from '../state/fields.ts'
import type { State } from '../state/state.ts'
import type { Sockets } from './sockets.ts'

export type PayloadKind = 'events_api' | 'interactive' | 'slash_commands'

/**
 * The result of a delivery. `detail` is one sentence without an address or a secret; `reason` is what a second try would give as
 * its reason.
 */
export type Delivery =
  /** `payload` is undefined where the acknowledgement held nothing. */
  | { readonly kind: 'acked'; readonly payload: unknown }
  /** `late`: sent, and not acknowledged in time. `isFinal`: the bot wants no second try. */
  | {
      readonly kind: 'late' | 'failed'
      readonly reason: string
      readonly detail: string
      readonly isFinal?: boolean
    }

export type DeliveryOptions = {
  /** Whether the acknowledgement may hold an answer. */
  readonly acceptsResponse: boolean
  /** Of events: 0 for the first, and why the one before failed. */
  readonly attempt?: { readonly number: number; readonly reason: string }
}

export type BotLine = {
  /** Sends once and waits for the acknowledgement, at most `ackWithinMs`. */
  deliver(kind: PayloadKind, payload: Fields, options: DeliveryOptions): Promise<Delivery>
  close(): void
}

export const ackWithinMs = 3_000
/** Deliveries under way at once. */
const underWayMax = 5_000

export const late = 'the bot did not acknowledge within 3 seconds'
/** Of every retry over a socket, whatever became of the one before. */
const reason = 'timeout'
const missed: Delivery = { kind: 'late', reason, detail: late }
const unreached: Delivery = { kind: 'failed', reason, detail: 'no socket is open to send this to the bot' }

export function openEnvelopes(state: State, sockets: Sockets): BotLine {
  const pending = new Map<string, (delivery: Delivery) => void>()
  let closed = false

  sockets.onMessage((message) => {
    if (typeof message.envelope_id === 'string') {
      pending.get(message.envelope_id)?.({ kind: 'acked', payload: message.payload })
    }
  })

  return {
    deliver(type, payload, { acceptsResponse, attempt }) {
      if (closed || pending.size >= underWayMax) return Promise.resolve(unreached)
      const envelope_id = state.ids.uuid()
      const retry = attempt && { retry_attempt: attempt.number, retry_reason: attempt.reason }
      const envelope = { envelope_id, type, payload, accepts_response_payload: acceptsResponse, ...retry }
      return new Promise((resolve) => {
        const settle = (delivery: Delivery): void => {
          cancel()
          pending.delete(envelope_id)
          resolve(delivery)
        }
        const cancel = state.timers.after(ackWithinMs, () => settle(missed))
        pending.set(envelope_id, settle)
        if (!sockets.send(envelope)) settle(unreached)
      })
    },
    close() {
      closed = true
      for (const settle of [...pending.values()]) settle(missed)
    },
  }
}
