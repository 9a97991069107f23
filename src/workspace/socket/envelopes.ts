/**
 * Envelopes over Socket Mode: each goes to one socket, and is acknowledged by its id within three seconds or counts as
 * missed. Only events are tried again (slack-facts 4.1, 4.5).
 */
import { z } from 'zod'
import type { Fields } from '../fields.ts'
import type { State } from '../state.ts'
import type { Sockets } from './sockets.ts'

export type EnvelopeType = 'events_api' | 'interactive' | 'slash_commands'

export type Delivery =
  | { readonly kind: 'acked'; readonly payload: unknown }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'no_socket' }

/** The next envelopes come twice: again with the same id, acknowledged or not (bolt-js #2487). */
export const redeliveryShape = z.strictObject({
  times: z.number().int().nonnegative().max(1_000_000).nullable().default(1),
  afterMs: z.number().int().nonnegative().max(86_400_000).default(10_000),
})

export type Envelopes = {
  /** Sends once and waits for the acknowledgement. */
  send(
    type: EnvelopeType,
    payload: Fields,
    options: { acceptsResponse: boolean; attempt?: number },
  ): Promise<Delivery>
  /** Sends an event, and again at once, after a minute and after five, until it is acknowledged; then it is lost. */
  sendEvent(event: Fields & { readonly type: string }): void
  redeliver(ask: z.input<typeof redeliveryShape>): void
  close(): void
}

const ackWithinMs = 3_000
/** Before the first, second and third retry of an event. */
const retryAfterMs = [0, 60_000, 300_000] as const
/** Envelopes under way at once. */
const pendingMax = 5_000

export function openEnvelopes(state: State, sockets: Sockets): Envelopes {
  const pending = new Map<string, (delivery: Delivery) => void>()
  let redelivery: { times: number | null; afterMs: number } = { times: 0, afterMs: 0 }
  let closed = false

  sockets.onMessage((message) => {
    if (typeof message.envelope_id === 'string') {
      pending.get(message.envelope_id)?.({ kind: 'acked', payload: message.payload })
    }
  })

  function repeatLater(envelope: Fields): void {
    if (redelivery.times === 0) return
    if (redelivery.times !== null) redelivery.times -= 1
    state.timers.after(redelivery.afterMs, () => sockets.send(envelope))
  }

  const send: Envelopes['send'] = (type, payload, { acceptsResponse, attempt }) => {
    if (closed || pending.size >= pendingMax) return Promise.resolve({ kind: 'no_socket' })
    const envelopeId = state.ids.uuid()
    const retries =
      attempt === undefined ? {} : { retry_attempt: attempt, retry_reason: attempt === 0 ? '' : 'timeout' }
    const envelope = {
      envelope_id: envelopeId,
      type,
      payload,
      accepts_response_payload: acceptsResponse,
      ...retries,
    }
    return new Promise((resolve) => {
      const settle = (delivery: Delivery): void => {
        cancel()
        pending.delete(envelopeId)
        resolve(delivery)
      }
      const cancel = state.timers.after(ackWithinMs, () => settle({ kind: 'timeout' }))
      pending.set(envelopeId, settle)
      if (sockets.send(envelope)) repeatLater(envelope)
      else settle({ kind: 'no_socket' })
    })
  }

  async function tryEvent(event: Fields & { readonly type: string }): Promise<void> {
    const payload = wrap(event)
    for (let attempt = 0; attempt <= retryAfterMs.length; attempt += 1) {
      if (attempt > 0) await state.timers.wait(retryAfterMs[attempt - 1] ?? 0)
      if (closed) return
      state.events.tell({ type: 'event_sent', event: event.type, attempt })
      const delivery = await send('events_api', payload, { acceptsResponse: false, attempt })
      const acked = delivery.kind === 'acked'
      state.events.tell({ type: acked ? 'event_acked' : 'event_missed', event: event.type, attempt })
      if (acked) return
    }
    state.events.tell({ type: 'event_lost', event: event.type, attempt: retryAfterMs.length })
  }

  function wrap(event: Fields): Fields {
    return {
      type: 'event_callback',
      team_id: state.team.id,
      api_app_id: state.appId,
      event,
      event_id: state.ids.make('Ev'),
      event_time: Math.floor(state.nowMs() / 1_000),
      authorizations: [
        {
          enterprise_id: null,
          team_id: state.team.id,
          user_id: state.bot.userId,
          is_bot: true,
          is_enterprise_install: false,
        },
      ],
      is_ext_shared_channel: false,
    }
  }

  return {
    send,
    sendEvent: (event) => {
      void tryEvent(event)
    },
    redeliver: (ask) => {
      redelivery = redeliveryShape.parse(ask)
    },
    close() {
      closed = true
      for (const settle of [...pending.values()]) settle({ kind: 'timeout' })
    },
  }
}
