/** The pager as the program sees it: PagerDuty's Events v2, or anything that takes Standard Webhooks. */
import type { Dispatcher } from 'undici'
import { NoAnswer } from '../call.ts'
import type { Clock } from '../clock.ts'
import type { Config } from '../config/settings.ts'
import { permalink } from '../view/alert.ts'
import type { Scene } from '../view/view.ts'
import { headlineWords, plain } from '../view/words.ts'
import type { Pass } from '../world/journal.ts'
import type { Alert, Effect } from '../world/types.ts'
import { tellPagerDuty } from './pagerduty.ts'
import { tellWebhook } from './webhook.ts'

export type PageEvent = ReturnType<typeof pageEvent>
export type PageOutcome =
  /** `acknowledgedBy`: the answer may already say that somebody has it. */
  | { readonly kind: 'ok'; readonly acknowledgedBy: string | null }
  /** It may have heard. */
  | { readonly kind: 'unclear'; readonly why: string; readonly afterMs: number | null }
  /** It surely heard nothing. */
  | { readonly kind: 'later'; readonly why: string; readonly afterMs: null }
  | { readonly kind: 'refused'; readonly why: string }

export type Pager = {
  /** Tries once. */
  send(pass: Pass, event: PageEvent): Promise<PageOutcome>
}

/** The one that the settings name. What nobody answered is told again: the id is the same. */
export function openPager(pager: NonNullable<Config['pager']>, dispatcher: Dispatcher, clock: Clock): Pager {
  const isPagerDuty = pager.kind === 'pagerduty'
  const tell = isPagerDuty ? tellPagerDuty(pager, dispatcher) : tellWebhook(pager, dispatcher, clock)
  const who = isPagerDuty ? 'PagerDuty' : 'the pager'
  return {
    send: (_, event) =>
      tell(event).catch((error: unknown) => {
        if (!(error instanceof NoAnswer)) throw error
        return { kind: error.isSent ? 'unclear' : 'later', why: `${who} ${error.message}`, afterMs: null }
      }),
  }
}

const order = ['critical', 'warning', 'info']
const words = { critical: 'Critical', warning: 'Warning', info: 'Info' }

export function pageEvent(effect: Effect, { world }: Scene) {
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
    /** The same at every try: the webhook's id. */
    id,
    type: data.type ?? 'triggered',
    /** The same for all events of one round. */
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
    /** Whom a person wants to be called; null: whoever is on call. */
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
