/**
 * Whoever looks into alerts, outside of this program: it gets an alert with all that is known around it, as JSON signed by Standard
 * Webhooks, and may take ten minutes to answer with what it found (docs/pager.md#an-investigator). It is asked once.
 */
import type { Series } from '../api/port.ts'
import { call, NoAnswer, type WayOut } from '../call.ts'
import type { Pictures } from '../charts/pictures.ts'
import { type Clock, hour, minute } from '../clock.ts'
import type { Config } from '../config/settings.ts'
import { kindOf } from '../decide/matching.ts'
import { linksOf, markersBefore, permalink } from '../view/alert.ts'
import type { Scene } from '../view/view.ts'
import type { Outside } from '../world/journal.ts'
import type { Alert, Effect } from '../world/types.ts'
import { signed } from './webhook.ts'

const withinMs = 10 * minute
const textCharsMax = 3_000
const neighborsMax = 20

type Parts = {
  readonly config: Pick<Config, 'investigateSecret'>
  readonly way: Pick<WayOut, 'dispatcher'>
  readonly pictures: Pick<Pictures, 'series'>
  readonly outside: Outside
  readonly scene: () => Scene
  readonly clock: Clock
}

/** Answers with Markdown of theirs, cut; throws `NoAnswer`. */
export function openInvestigator({ config, way, pictures, outside, scene, clock }: Parts) {
  return async (effect: Effect): Promise<string> => {
    const { world, policy, nowMs } = scene()
    const alert = world.alerts.get(effect.data.alert ?? '')
    const { url, secret: own } = policy.investigate ?? {}
    const secret = config.investigateSecret ?? own
    if (alert === undefined || url === undefined || !secret)
      throw new NoAnswer('nobody is set up for it', false)
    const measured = await pictures.series(alert, nowMs - hour).catch(() => [])
    const body = JSON.stringify(caseOf(effect, alert, measured, scene()))
    const answer = await outside(() => {
      const headers = {
        'content-type': 'application/json',
        ...signed(secret, effect.id, body, clock.nowMs()),
      }
      return call(way.dispatcher, url, { method: 'POST', headers, body, withinMs })
    })
    const { status } = answer
    if (status < 200 || status >= 300) throw new NoAnswer(`returned HTTP ${status}`, true)
    const text = answer.body.toString().trim().slice(0, textCharsMax).toWellFormed()
    if (text === '') throw new NoAnswer('had nothing to say', true)
    return text
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
        points: points.filter(({ atMs }) => atMs >= nowMs - hour),
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
