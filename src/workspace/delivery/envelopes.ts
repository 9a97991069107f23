/**
 * Delivers payloads to the bot over Socket Mode: each goes in an envelope to one socket, and must be acknowledged by its id
 * within three seconds (docs/slack.md#socket-mode).
 */

import type { State } from '../state/state.ts'
import { ackWithinMs, type BotLine, type Delivery, late, openRepeats, underWayMax } from './bot-line.ts'
import type { Sockets } from './sockets.ts'

/** Of every retry over a socket, whatever became of the one before. */
const retryReason = 'timeout'
const missed: Delivery = { kind: 'late', reason: retryReason, detail: late }
const unreached: Delivery = {
  kind: 'failed',
  reason: retryReason,
  detail: 'no socket is open to send this to the bot',
  isFinal: false,
}

export function openEnvelopes(state: State, sockets: Sockets): BotLine {
  const pending = new Map<string, (delivery: Delivery) => void>()
  const repeats = openRepeats(state.timers)
  let closed = false

  sockets.onMessage((message) => {
    if (typeof message.envelope_id === 'string') {
      pending.get(message.envelope_id)?.({ kind: 'acked', payload: message.payload })
    }
  })

  return {
    deliver(type, payload, { acceptsResponse, attempt }) {
      if (closed || pending.size >= underWayMax) return Promise.resolve(unreached)
      const envelopeId = state.ids.uuid()
      const envelope = {
        envelope_id: envelopeId,
        type,
        payload,
        accepts_response_payload: acceptsResponse,
        ...(attempt === undefined ? {} : { retry_attempt: attempt.number, retry_reason: attempt.reason }),
      }
      return new Promise((resolve) => {
        const settle = (delivery: Delivery): void => {
          cancel()
          pending.delete(envelopeId)
          resolve(delivery)
        }
        const cancel = state.timers.after(ackWithinMs, () => settle(missed))
        pending.set(envelopeId, settle)
        if (sockets.send(envelope)) repeats.meet(() => sockets.send(envelope))
        else settle(unreached)
      })
    },
    redeliver: repeats.set,
    close() {
      closed = true
      for (const settle of [...pending.values()]) settle(missed)
    },
  }
}
