/**
 * Alerts and acts of a stretch of time, from the world and from the past on disk, each once; an act in a sentence; and the timeline of an
 * alert, as a file.
 */
import { second } from '../clock.ts'
import { isLeftOut } from '../decide/standing.ts'
import { muteSentence, mutesOfAct } from '../view/mutes.ts'
import { actSentence } from '../view/said.ts'
import type { Scene } from '../view/view.ts'
import { duration, escaped, webAddress } from '../view/words.ts'
import type { Act, Alert, Post } from '../world/types.ts'
import type { Reads } from './action.ts'

type Sources = { readonly reads: Reads; scene(): Scene }

/** Of each kind; of more, the newest. */
const rowsMax = 10_000

/** All that was open since, but what the policy ignores, the earliest first. */
export async function alertsSince({ reads, scene }: Sources, fromMs: number): Promise<Alert[]> {
  const past = await reads.pastAlerts(fromMs, rowsMax)
  const now = scene()
  const { world } = now
  return united(past, world.alerts)
    .filter(
      ({ id, startedMs, closedMs }) => world.open.has(id) || Math.max(startedMs, closedMs ?? 0) >= fromMs,
    )
    .filter((alert) => !isLeftOut(now, alert))
    .sort((a, b) => a.startedMs - b.startedMs)
}

export async function actsSince({ reads, scene }: Sources, fromMs: number): Promise<Act[]> {
  const past = await reads.pastActs(fromMs, rowsMax)
  return united(past, scene().world.acts)
    .filter(({ atMs }) => atMs >= fromMs)
    .sort((a, b) => a.atMs - b.atMs)
}

/** The world knows better: a record may have left it while the disk was read. */
function united<T extends { readonly id: string }>(past: readonly T[], live: ReadonlyMap<string, T>): T[] {
  return [...new Map([...past.map((one) => [one.id, one] as const), ...live]).values()]
}

/** A mute's own sentence as long as it is known: its act names neither end nor reason. */
export function actWords(act: Act, scene: Scene): string {
  const isMute = (act.kind === 'mute' || act.kind === 'plan') && act.outcome !== 'refused'
  const mutes = isMute ? mutesOfAct(act, scene.world) : []
  return mutes.length === 0 ? actSentence(act) : muteSentence(mutes, scene)
}

/** Its alerts, the earliest first: where the card is its own, all that came back onto it. */
export function timelineAlerts(alert: Alert, post: Post | undefined, { world }: Scene): Alert[] {
  const ids = post?.kind === 'alert' ? post.shows.map((shown) => shown.alert) : []
  return [...new Set([...ids, alert.id])]
    .flatMap((id) => world.alerts.get(id) ?? [])
    .sort((a, b) => a.startedMs - b.startedMs)
}

/** The text of the file. Times are of the team's zone, people are called by their names. `acts`: of that time, all. */
export function timelineText(alerts: readonly Alert[], acts: readonly Act[], scene: Scene): string {
  const clock = clockOf(scene)
  const last = alerts.at(-1)
  if (last === undefined) return ''
  const rows = [
    ...alerts.flatMap((alert) => [
      { atMs: alert.startedMs, words: 'It opened' },
      ...(alert.closedMs === null ? [] : [{ atMs: alert.closedMs, words: closedWords(alert) }]),
    ]),
    ...acts
      .filter((act) => isPartOf(act, alerts, scene.nowMs))
      .map((act) => ({ atMs: act.atMs, words: inFile(actWords(act, scene), scene) })),
  ].sort((a, b) => a.atMs - b.atMs)
  const { title, server, number, severity } = last
  const url = webAddress(last.url ?? '')
  return [
    `# ${inFile(escaped(title), scene)} on ${inFile(escaped(server), scene)}`,
    '',
    `Alert ${number}, ${severity}. Made ${clock(scene.nowMs)}; times are of ${scene.policy.timezone}.`,
    ...(url === null ? [] : [`Monitoring: <${url}>`]),
    '',
    ...rows.map(({ atMs, words }) => `- ${clock(atMs)} · ${words}`),
    '',
  ].join('\n')
}

/** Of the alerts, of their server while one was open, or of everything at that time. */
function isPartOf(act: Act, alerts: readonly Alert[], nowMs: number): boolean {
  const ids = new Set(alerts.map(({ id }) => id))
  if (act.alert !== undefined) return ids.has(act.alert)
  if (act.data.alerts?.some((id) => ids.has(id))) return true
  const isThen = alerts.some((one) => one.startedMs <= act.atMs && act.atMs <= (one.closedMs ?? nowMs))
  const isHere = alerts.some(
    ({ host, server }) => host === act.host || act.subject.split(', ').includes(server),
  )
  return isThen && (isHere || ['marker', 'outage'].includes(act.kind) || act.subject === 'everything')
}

function closedWords({ closedAfterMs, closedBy }: Alert): string {
  const after = closedAfterMs === null ? '' : ` after ${duration(closedAfterMs)}`
  return closedBy === 'absence' ? 'It was no longer listed' : `It closed${after}`
}

/** What stands in Slack, as Markdown: names in place of mentions, times of the team's zone, nothing that formats. */
function inFile(mrkdwn: string, scene: Scene): string {
  const people = scene.world.fact('people') ?? {}
  return mrkdwn
    .replaceAll(/<@([UW][A-Z0-9]+)>/g, (_, id: string) => `@${people[id]?.name ?? id}`)
    .replaceAll(/<!date\^(\d+)\^[^>]*>/g, (_, seconds: string) => clockOf(scene)(Number(seconds) * second))
    .replaceAll(/<[^|>]*\|([^>]*)>/g, '$1')
    .replaceAll(/&(amp|lt|gt);/g, (entity) => ({ '&amp;': '&', '&lt;': '<', '&gt;': '>' })[entity] ?? '')
    .replaceAll(/[*\u2217]/g, '')
    .replaceAll(/[\\`_[\]<>#|~]/g, '\\$&')
}

/** `2026-11-21 04:12:30`. */
function clockOf({ policy }: Scene): (ms: number) => string {
  const format = new Intl.DateTimeFormat('sv-SE', {
    timeZone: policy.timezone,
    dateStyle: 'short',
    timeStyle: 'medium',
  })
  return (ms) => format.format(ms)
}
