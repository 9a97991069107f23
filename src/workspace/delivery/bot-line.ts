/** The way to the bot, in Socket Mode: an envelope to one socket, to be acknowledged in three seconds (docs/slack.md#socket-mode). */
import type { Fields } from '../state/fields.ts'
import type { State } from '../state/state.ts'
import type { Sockets } from './sockets.ts'

export type PayloadKind = 'events_api' | 'interactive' | 'slash_commands'

/** `detail` is a sentence without an address or a secret; `reason` is what a second try would give as its reason. */
export type Delivery =
  | { readonly kind: 'acked'; readonly payload: unknown }
  /** `late`: sent, and not acknowledged in time. `isFinal`: the bot wants no second try. */
  | {
      readonly kind: 'late' | 'failed'
      readonly reason: string
      readonly detail: string
      readonly isFinal?: boolean
    }

export type DeliveryOptions = {
  readonly acceptsResponse: boolean
  readonly attempt?: { readonly number: number; readonly reason: string }
}

export type BotLine = {
  deliver(kind: PayloadKind, payload: Fields, options: DeliveryOptions): Promise<Delivery>
  close(): void
}

export const ackWithinMs = 3_000
const underWayMax = 5_000

export const late = 'the bot did not acknowledge within 3 seconds'
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

export type EventTries = ReturnType<typeof openEventTries>

const retryAfterMs = [0, 60_000, 300_000] as const

export function openEventTries(state: State, line: BotLine) {
  let closed = false

  async function tryEvent(event: Fields & { readonly type: string }): Promise<void> {
    const payload = wrap(state, event)
    const log = (type: 'event_sent' | 'event_acked' | 'event_missed' | 'event_lost', attempt: number) =>
      state.events.emit({ type, event: event.type, attempt })
    let reason = ''
    for (let number = 0; number <= retryAfterMs.length; number += 1) {
      if (number > 0) await state.timers.wait(retryAfterMs[number - 1] ?? 0)
      if (closed) return
      log('event_sent', number)
      const attempt = { number, reason }
      const delivery = await line.deliver('events_api', payload, { acceptsResponse: false, attempt })
      log(delivery.kind === 'acked' ? 'event_acked' : 'event_missed', number)
      if (delivery.kind === 'acked') return
      if (delivery.isFinal === true) return log('event_lost', number)
      reason = delivery.reason
    }
    log('event_lost', retryAfterMs.length)
  }

  return {
    send(event: Fields & { readonly type: string }): void {
      void tryEvent(event)
    },
    close(): void {
      closed = true
    },
  }
}

function wrap(state: State, event: Fields): Fields {
  const to = { enterprise_id: null, team_id: state.team.id, user_id: state.bot.userId, is_bot: true }
  return {
    type: 'event_callback',
    team_id: state.team.id,
    api_app_id: state.appId,
    event,
    event_id: state.ids.make('Ev'),
    event_time: Math.floor(state.nowMs() / 1_000),
    authorizations: [{ ...to, is_enterprise_install: false }],
    is_ext_shared_channel: false,
  }
}
