/** Storms for tests of the outbox: plans that begin and close them, and a record of posts and edits. */
import type { Alert } from '../../src/bot/domain/alert/alert.ts'
import { stormCards, summaryCards } from '../../src/bot/domain/card/storm-cards.ts'
import { emptyPlan, type Plan } from '../../src/bot/domain/plan.ts'
import { anAlert, closing, opening } from './delivery-world.ts'
import type { ForgetfulChat } from './forgetful-chat.ts'
import type { ManualClock } from './manual-clock.ts'

const minuteMs = 60_000
export function alertsOf(count: number, name = 'a'): Alert[] {
  return Array.from({ length: count }, (_, n) => anAlert(`${name}${n}`))
}

export function storming(
  alerts: readonly Alert[],
  atMs: number,
  channel = 'C1',
  kind: 'storm' | 'summary' = 'storm',
): Plan {
  const cardsOf = { storm: stormCards, summary: summaryCards }[kind]
  return { ...opening(alerts, channel, atMs), cards: cardsOf(alerts, { channel, mention: null }, atMs) }
}

export function closingAll(alerts: readonly Alert[], atMs: number): Plan {
  const plans = alerts.map((alert) => closing(alert, atMs))
  return {
    ...emptyPlan(atMs),
    alerts: plans.flatMap((plan) => plan.alerts),
    dirty: plans.flatMap((plan) => plan.dirty),
  }
}

/** Every post and edit, by the kind of its card and the milliseconds since the start. */
export function watched() {
  const said: {
    readonly by: 'post' | 'update'
    readonly kind: string
    readonly key: string
    readonly atMs: number
  }[] = []
  const over = (real: ForgetfulChat, { steadyMs }: ManualClock): Partial<ForgetfulChat> => ({
    post: (to, view) => {
      said.push({ by: 'post', kind: view.kind, key: to.key, atMs: steadyMs() })
      return real.post(to, view)
    },
    update: (at, view) => {
      said.push({ by: 'update', kind: view.kind, key: at.key, atMs: steadyMs() })
      return real.update(at, view)
    },
  })
  const times = (by: 'post' | 'update', kind?: string) =>
    said.filter((one) => one.by === by && (kind === undefined || one.kind === kind)).map(({ atMs }) => atMs)
  return { said, over, times }
}

export function mostInAMinute(times: readonly number[]): number {
  return Math.max(0, ...times.map((from) => times.filter((t) => t >= from && t < from + minuteMs).length))
}

/** The alerts that the storms, or their pages, show. */
export function listed({ messages }: ForgetfulChat, kind: 'storm' | 'page'): Alert[] {
  return messages.flatMap(({ view }) => (view.kind === kind ? view.alerts : []))
}
