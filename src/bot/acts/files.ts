/**
 * Files that people ask for: wanted as an effect, made when it is sent. A chart and a CSV (RFC 4180; one row an alert) go to the asker's
 * direct messages. Text that a spreadsheet would run begins with an apostrophe.
 */
import { wantEffect } from '../decide/want.ts'
import { section, viewOfBlocks } from '../view/blocks.ts'
import type { Scene } from '../view/view.ts'
import { escaped, subjectOf } from '../view/words.ts'
import type { Alert, ChartWish, EffectData } from '../world/types.ts'
import type { Ask, Context, Reads, Reply } from './action.ts'
import { actsSince, alertsSince, timelineAlerts, timelineText } from './past.ts'

type File = { readonly bytes: Uint8Array; readonly name: string; readonly title: string }
/** `draw` is the wiring's: it asks the API for the points. */
export type FileSources = Reads & { draw(wish: ChartWish, scene: Scene): Promise<Uint8Array> }

/** Wants a file, and answers with what became of it. `told` is said of a file that arrived. */
export function wantFile(data: EffectData, told: string, { ask, scene }: Context): Reply {
  const { id } = wantEffect(scene(), { id: `file:${ask.key}`, does: 'file', data })
  const render = (now: Scene) => {
    const { state = 'done', why = null } = now.world.effects.get(id) ?? {}
    if (state === 'done') return viewOfBlocks([section(told)])
    if (state === 'failed')
      return viewOfBlocks([section(`Couldn't send the file: ${escaped(why ?? 'no answer')}`)])
    if (state === 'unknown') return viewOfBlocks([section(`${told}, but Slack hasn't confirmed it`)])
    return viewOfBlocks([section("I'm making the file; it comes in a moment")])
  }
  return { kind: 'say', waitsFor: [id], render }
}

/** The alerts of a stretch one by one. */
export function wantCsv(file: 'handoff_csv' | 'report_csv', forMs: number, context: Context): Reply {
  const data = { file, forMs, to: context.ask.person.id }
  return wantFile(data, 'I sent you the CSV as a direct message', context)
}

/** Where a file for the asker goes: the thread of the card they asked in, else their direct messages. */
export function placeFor({ person, threadPost }: Ask): { readonly to?: string; readonly post?: string } {
  return threadPost === null ? { to: person.id } : { post: threadPost }
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

const header =
  'alert,rule,server,severity,state,title,opened,closed,open_seconds,closed_by,acknowledged,on_it,link'

export function csvOf(alerts: readonly Alert[]): string {
  const rows = alerts
    .toSorted((a, b) => b.startedMs - a.startedMs)
    .slice(0, csvRowsMax)
    .map(rowOf)
  return `${[header, ...rows].join('\r\n')}\r\n`
}

function rowOf(alert: Alert): string {
  const { closedMs, closedAfterMs, heldMs } = alert
  return [
    alert.number,
    subjectOf(alert),
    alert.server,
    alert.severity,
    stateOf(alert),
    alert.title,
    isoTime(alert.startedMs),
    closedMs === null ? '' : isoTime(closedMs),
    closedAfterMs === null ? '' : String(Math.round(closedAfterMs / 1000)),
    alert.closedBy ?? '',
    heldMs === null ? '' : isoTime(heldMs),
    alert.holder ?? '',
    alert.url ?? '',
  ]
    .map(cell)
    .join(',')
}

function stateOf({ isOneoff, closedMs, unlistedMs }: Alert): string {
  if (isOneoff) return 'one-off'
  if (closedMs !== null) return 'closed'
  return unlistedMs === null ? 'open' : 'unlisted'
}

function isoTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`
}

/** Formulas may hide behind spaces, and begin with a full-width sign. */
function cell(text: string): string {
  const plain = text.replaceAll('\0', '')
  const safe = /^\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/u.test(plain) ? `'${plain}` : plain
  return /[",\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
