/**
 * Whoever looks into alerts, outside of this program: it gets an alert with all that is known around it, as JSON signed by Standard
 * Webhooks, and may take ten minutes to answer with what it found (docs/pager.md#an-investigator). It is asked once.
 */
import type { Dispatcher } from 'undici'
import type { Series } from '../api/port.ts'
import { call, NoAnswer } from '../call.ts'
import { type Clock, hour, minute } from '../clock.ts'
import type { Secret } from '../config/settings.ts'
import { kindOf } from '../decide/matching.ts'
import { linksOf, markersBefore, permalink } from '../view/alert.ts'
import type { Scene } from '../view/view.ts'
import type { Outside } from '../world/journal.ts'
import type { Alert, Effect } from '../world/types.ts'
import { signed } from './webhook.ts'

/** `text`: Markdown of theirs, cut. `why` is fit for people. */
export type Finding =
  | { readonly kind: 'done'; readonly text: string }
  | { readonly kind: 'failed'; readonly why: string }

const withinMs = 10 * minute
const textCharsMax = 3_000
const neighborsMax = 20

type Parts = {
  readonly secret: Secret | null
  readonly dispatcher: Dispatcher
  readonly outside: Outside
  readonly scene: () => Scene
  readonly series: (alert: Alert, fromMs: number) => Promise<readonly Series[]>
  readonly clock: Clock
}

export function openInvestigator({ dispatcher, outside, scene, series, clock, ...parts }: Parts) {
  return async (effect: Effect): Promise<Finding> => {
    const { world, policy, nowMs } = scene()
    const alert = world.alerts.get(effect.data.alert ?? '')
    const secret = parts.secret ?? policy.investigate?.secret ?? null
    if (policy.investigate === null || secret === null || alert === undefined)
      return { kind: 'failed', why: 'it is no longer set up' }
    const { url } = policy.investigate
    const measured = await series(alert, nowMs - hour).catch(() => [])
    const body = JSON.stringify(caseOf(effect, alert, measured, scene()))
    const { hostname } = new URL(url)
    try {
      const { status, body: said } = await outside(() => {
        const proof = signed(secret, effect.id, body, clock.nowMs())
        const headers = { 'content-type': 'application/json', ...proof }
        return call(dispatcher, url, { method: 'POST', headers, body, withinMs })
      })
      const text = said.toString().trim().slice(0, textCharsMax).toWellFormed()
      if (status < 200 || status >= 300) return { kind: 'failed', why: `${hostname} returned HTTP ${status}` }
      return text === '' ? { kind: 'failed', why: `${hostname} had nothing to say` } : { kind: 'done', text }
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error
      return { kind: 'failed', why: `${hostname} ${error.message}` }
    }
  }
}

function caseOf({ data }: Effect, alert: Alert, measured: readonly Series[], scene: Scene) {
  const { world, nowMs } = scene
  const { description, labels, units, limit, side } = alert.details
  const neighbors = [...world.open.values()]
    .filter((one) => one.id !== alert.id && (one.host === alert.host || kindOf(one) === kindOf(alert)))
    .sort((a, b) => b.startedMs - a.startedMs)
  return {
    type: 'alert.investigate',
    timestamp: iso(nowMs),
    data: {
      alert: { ...briefly(alert), description, labels, units, limit, side, links: linksOf(alert, scene) },
      series: measured.map(({ points, ...one }) => ({
        ...one,
        points: points
          .filter(({ atMs }) => atMs >= nowMs - hour)
          .map(({ atMs, min, mean, max }) => [atMs, min, mean, max]),
      })),
      markers: markersBefore(alert.startedMs, world).map(({ atMs, subject, by }) => ({
        at: iso(atMs),
        text: subject,
        by: by === 'somebody' ? null : by.replace(/^name:/, ''),
      })),
      neighbors: neighbors.slice(0, neighborsMax).map(briefly),
      card: permalink(world.posts.get(data.post ?? ''), world),
      by: data.by ?? null,
    },
  }
}

function briefly(alert: Alert) {
  const { number, host, server, title, plugin, metric, value, severity, url, startedMs } = alert
  return { number, host, server, title, plugin, metric, value, severity, url, opened: iso(startedMs) }
}

function iso(ms: number): string {
  return new Date(ms).toISOString()
}
