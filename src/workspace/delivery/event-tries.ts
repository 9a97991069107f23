/**
 * Delivers events to the bot, with retries at once, after a minute and after five, until one is acknowledged or the bot refuses
 * more; otherwise the event is lost (docs/slack.md#requests).
 */
import type { Fields } from '../state/fields.ts'
import type { State } from '../state/state.ts'
import type { BotLine } from './bot-line.ts'

export type EventTries = ReturnType<typeof openEventTries>

/** Before the first, second and third retry. */
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
