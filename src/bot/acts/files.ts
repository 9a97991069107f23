/**
 * Files that people ask for: wanted as an effect, made when it is sent. A chart and a CSV (RFC 4180; one row an alert) go to the asker's
 * direct messages. Text that a spreadsheet would run begins with an apostrophe.
 */
import { wantEffect } from '../decide/want.ts'
import { section, viewOfBlocks } from '../view/blocks.ts'
import type { Scene } from '../view/view.ts'
import { escaped, subjectOf } from '../view/words.ts'
import type { Alert, ChartWish, EffectData } from '../world/types.ts'
import type { Context, Reads, Reply } from './action.ts'
import { actsSince, alertsSince, timelineAlerts, timelineText } from './past.ts'

type File = { readonly bytes: Uint8Array; readonly name: string; readonly title: string }
/** `draw` is the wiring's: it asks the API for the points. */
export type FileSources = Reads & { draw(wish: ChartWish, scene: Scene): Promise<Uint8Array> }

/** Wants a file, and answers with what became of it. `told` is said of a file that arrived. */
export function wantFile(data: EffectData, told: string, { ask, scene }: Context): Reply {
  const { id } = wantEffect(scene(), { id: `file:${ask.key}`, does: 'file', data })
  const render = (now: Scene) => {
    const { state = 'done', why = null } = now.world.effects.get(id) ?? {}
    const making = "I'm making the file; it comes in a moment"
    const failed = `Couldn't send the file: ${escaped(why ?? 'no answer')}`
    const unknown = `${told}, but Slack hasn't confirmed it`
    return viewOfBlocks([section({ new: making, asked: making, done: told, failed, unknown }[state])])
  }
  return { kind: 'say', waitsFor: [id], render }
}

/** Throws where the API does. Null: what it is about is no longer known. */
export async function contentOf(
  data: EffectData,
  scene: () => Scene,
  sources: FileSources,
): Promise<File | null> {
  const { file, forMs = 0 } = data
  if (file === 'timeline') return timelineFile(data, scene, sources)
  if (file === 'chart' && data.chart !== undefined) {
    const { title } = data.chart
    return { bytes: await sources.draw(data.chart, scene()), name: `${fileWord(title)}.png`, title }
  }
  if (file !== 'handoff_csv' && file !== 'report_csv') return null
  const endMs = data.atMs ?? scene().nowMs
  const since = await alertsSince({ reads: sources, scene }, endMs - forMs)
  const alerts = since.filter(({ startedMs }) => startedMs <= endMs)
  const day = new Date(endMs).toISOString().slice(0, 10)
  return { bytes: Buffer.from(csvOf(alerts), 'utf8'), name: `alerts-${day}.csv`, title: 'Alerts' }
}

async function timelineFile(
  { alert: id = '', post }: EffectData,
  scene: () => Scene,
  reads: FileSources,
): Promise<File | null> {
  const { world } = scene()
  const alert = world.alerts.get(id)
  if (alert === undefined) return null
  const alerts = timelineAlerts(alert, world.posts.get(post ?? ''), scene())
  const acts = await actsSince({ reads, scene }, (alerts[0] ?? alert).startedMs)
  const title = `Timeline of ${alert.title} on ${alert.server}`
  const text = timelineText(alerts, acts, scene())
  return {
    bytes: Buffer.from(text, 'utf8'),
    name: `timeline-${fileWord(`${alert.host}-${alert.number}`)}.md`,
    title,
  }
}

function fileWord(text: string): string {
  const word = text.toLowerCase().replaceAll(/[^a-z0-9.]+/g, '-')
  return word.slice(0, 80).replaceAll(/^[-.]+|[-.]+$/g, '') || 'file'
}

/** More are cut, the oldest first. */
const csvRowsMax = 10_000

const columns: Readonly<Record<string, (alert: Alert) => string>> = {
  alert: ({ number }) => number,
  rule: subjectOf,
  server: ({ server }) => server,
  severity: ({ severity }) => severity,
  state: stateOf,
  title: ({ title }) => title,
  opened: ({ startedMs }) => isoTime(startedMs),
  closed: ({ closedMs }) => isoTime(closedMs),
  open_seconds: ({ closedAfterMs: ms }) => (ms === null ? '' : String(Math.round(ms / 1000))),
  closed_by: ({ closedBy }) => closedBy ?? '',
  acknowledged: ({ heldMs }) => isoTime(heldMs),
  on_it: ({ holder }) => holder ?? '',
  link: ({ url }) => url ?? '',
}

export function csvOf(alerts: readonly Alert[]): string {
  const rows = alerts
    .toSorted((a, b) => b.startedMs - a.startedMs)
    .slice(0, csvRowsMax)
    .map((alert) => Object.values(columns).map((wordsOf) => cell(wordsOf(alert))))
  const lines = [Object.keys(columns), ...rows].map((row) => row.join(','))
  return `${lines.join('\r\n')}\r\n`
}

function stateOf({ isOneoff, closedMs, unlistedMs }: Alert): string {
  if (isOneoff) return 'one-off'
  if (closedMs !== null) return 'closed'
  return unlistedMs === null ? 'open' : 'unlisted'
}

function isoTime(ms: number | null): string {
  return ms === null ? '' : `${new Date(ms).toISOString().slice(0, 19)}Z`
}

/** Formulas may hide behind spaces, and begin with a full-width sign. */
function cell(text: string): string {
  const plain = text.replaceAll('\0', '')
  const safe = /^\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/u.test(plain) ? `'${plain}` : plain
  return /[",\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
