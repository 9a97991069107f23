/** What a call says to the pager: the worst alert of its message, and how many there are, as they are when it is told. */

import { permalink } from '../view/alert.ts'
import type { Scene } from '../view/scene.ts'
import { headlineWords, plain } from '../view/words.ts'
import type { Alert, Effect } from '../world/types.ts'
import type { PageEvent } from './pager.ts'

const order = ['critical', 'warning', 'info']
const words = { critical: 'Critical', warning: 'Warning', info: 'Info' }

export function pageEvent(effect: Effect, { world }: Scene): PageEvent {
  const { data, id, atMs } = effect
  const post = world.posts.get(data.post ?? '')
  const shown = [...new Set(post?.shows.map(({ alert }) => alert))].flatMap(
    (one) => world.alerts.get(one) ?? [],
  )
  const own = world.alerts.get(data.alert ?? '')
  const open = shown.filter((alert) => world.open.has(alert.id))
  const alerts = open.length > 0 ? open : own === undefined ? shown : [own]
  const [worst] = [...alerts].sort(
    (a, b) => order.indexOf(a.severity) - order.indexOf(b.severity) || a.startedMs - b.startedMs,
  )
  const servers = new Set(alerts.map(({ server }) => server))
  const more = alerts.length > 1 ? ` and ${alerts.length - 1} more` : ''
  const headline =
    worst === undefined
      ? plain(data.text ?? 'An alert', 500)
      : `${words[worst.severity]}: ${plain(headlineWords(worst), 500)}${more}`
  return {
    id,
    type: data.type ?? 'triggered',
    dedupKey: data.dedupKey ?? id,
    atMs,
    headline,
    severity: worst?.severity ?? 'critical',
    server: servers.size === 1 ? ([...servers][0] ?? null) : null,
    labels: sharedLabels(alerts),
    alerts: Math.max(alerts.length, 1),
    openedMs: Math.min(atMs, ...alerts.map(({ startedMs }) => startedMs)),
    link: permalink(post, world),
    // The pager knows its people by their names alone.
    by: data.by?.replace(/^(?:pager|name):/, '') ?? null,
    to: data.to ?? null,
  }
}

/** Those that all of them have. */
function sharedLabels([first, ...others]: readonly Alert[]): Record<string, string> {
  const own = Object.entries(first?.details.labels ?? {})
  return Object.fromEntries(
    own.filter(([name, value]) => others.every(({ details }) => details.labels[name] === value)),
  )
}
