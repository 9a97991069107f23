/** A shop that a real Prometheus watches, with real Alertmanagers. */
import { setTimeout as wait } from 'node:timers/promises'
import { openShop } from './front.ts'
import type { Ending } from './programs.ts'
import { openAlertmanagers, openPrometheus } from './real.ts'

/** Longer than the two readings that a closing needs. */
const whileMs = 9_000

export const waiting = {
  alert: 'OrdersWaiting',
  expr: 'orders_waiting > 100',
  annotations: { summary: 'orders wait in {{ $labels.shop }}' },
}

/** One shop, one rule, a Prometheus and so many Alertmanagers. */
export async function openEngine(
  t: Ending,
  given: {
    readonly alertmanagers?: number
    readonly config?: object
    readonly resendDelay?: string
    readonly past?: string
  } = {},
) {
  const shop = await openShop(t)
  const managers = await openAlertmanagers(t, {
    count: given.alertmanagers ?? 1,
    ...(given.config === undefined ? {} : { config: given.config }),
  })
  const [manager] = managers
  if (manager === undefined) throw new Error('one was asked for')
  const prometheus = await openPrometheus(t, {
    jobs: [
      { job: 'shop', targets: [shop.url], instance: 'shop-1:9100', labels: { role: 'web', env: 'prod' } },
    ],
    rules: [waiting],
    alertmanagers: managers.map(({ url }) => url),
    ...(given.resendDelay === undefined ? {} : { resendDelay: given.resendDelay }),
    ...(given.past === undefined ? {} : { past: given.past }),
  })
  const at = { prometheus: prometheus.url, alertmanagers: managers.map(({ url }) => url) }
  return { shop, prometheus, manager, managers, at }
}

/** What is open at each look for a while: nothing else may come in between. */
export async function staysOpen(open: () => Promise<readonly string[]>): Promise<readonly string[]> {
  const seen = new Set<string>()
  const untilMs = performance.now() + whileMs
  while (performance.now() < untilMs) {
    seen.add((await open()).join(' and '))
    await wait(500)
  }
  return [...seen]
}
