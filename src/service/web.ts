/** What is fetched without a key: an alert's page and its little picture, by addresses that nobody guesses, and the figures of `/metrics`. */
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { scaleLinear } from 'd3-scale'
import { area, line } from 'd3-shape'
import type { Context, Hono } from 'hono'
import { html, raw } from 'hono/html'
import { fontFamily, loadPaint } from '../shared/painter.ts'
import { version } from '../shared/program.ts'
import type { Desk } from './api/operation.ts'
import type { Env } from './api/serve.ts'
import { amount } from './metrics.ts'
import { type MutedBy, type Point, Refusal, type StoredAlert, type Window } from './source.ts'
import { type Db, metaOf, setMeta } from './store.ts'

const minute = 60_000
const size = { width: 640, height: 180 }
const plot = { left: 12, right: size.width - 12, top: 30, bottom: size.height - 24 }
const pointsMax = 150

type Drawn = { readonly point: Point; readonly atMs: number }

/** `GET /a/:id?t=…`, `GET /account/alerts/:id/sparkline.png?t=…` and `GET /`. */
export function addPages(app: Hono<Env>, desk: Desk): void {
  const find = (c: Context<Env>): StoredAlert => {
    const [id = '', token = ''] = [c.req.param('id'), c.req.query('t')]
    const isGood = /^\d{1,16}$/.test(id) && desk.links.isToken(Number(id), token)
    const alert = isGood ? desk.ledger.get(Number(id)) : undefined
    if (alert === undefined) throw new Refusal(404, 'there is no such alert, or the link is not whole')
    return alert
  }
  app.get('/', (c) => c.text('A monitoring service. Its API is under /api/v2/<API_KEY>/.\n'))
  app.get('/a/:id', async (c) => {
    const alert = find(c)
    const drawn = await drawnOf(alert, desk).catch(() => [])
    return c.html(pageOf(alert, desk, drawn.length > 0), 200, {
      'content-security-policy': policy,
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    })
  })
  app.get('/account/alerts/:id/sparkline.png', async (c) => {
    const alert = find(c)
    const drawn = await drawnOf(alert, desk)
    // Of an event, or where an Alertmanager alone is behind.
    if (drawn.length === 0) throw new Refusal(404, 'there is nothing to draw')
    const paint = await loadPaint()
    const png = new Uint8Array(paint(String(await svgOf(alert, drawn, desk))))
    return c.body(png, 200, { 'content-type': 'image/png', 'cache-control': 'private, max-age=10' })
  })
}

/** From 15 minutes before it opened until 2 after it closed, at most a day. */
function aroundOf({ startedMs, endedMs }: StoredAlert, nowMs: number): Window {
  const untilMs = Math.min(nowMs, (endedMs ?? nowMs) + 2 * minute)
  const fromMs = Math.max(startedMs - 15 * minute, untilMs - 24 * 60 * minute)
  const stepMs = Math.max(5000, Math.ceil((untilMs - fromMs) / pointsMax / 1000) * 1000)
  const beginMs = Math.floor(fromMs / stepMs) * stepMs
  return { fromMs: beginMs, stepMs, count: Math.ceil((untilMs - fromMs) / stepMs) + 1 }
}

async function drawnOf(alert: StoredAlert, { source, nowMs }: Desk): Promise<Drawn[]> {
  const window = aroundOf(alert, nowMs())
  const course = await source.course(alert, window)
  return (course?.blocks[0]?.points ?? []).flatMap((point, n) =>
    point === null ? [] : [{ point, atMs: window.fromMs + (n + 0.5) * window.stepMs }],
  )
}

function svgOf(alert: StoredAlert, there: readonly Drawn[], { servers, nowMs }: Desk) {
  const { limit, metric, startedMs, endedMs, host, plugin, units = '' } = alert
  const { fromMs, stepMs, count } = aroundOf(alert, nowMs())
  const untilMs = fromMs + stepMs * count
  const { left, right, top, bottom } = plot
  const values = [...there.flatMap(({ point }) => [point[0], point[2]]), limit ?? 0, 0]
  const [low, high] = [Math.min(...values), Math.max(...values)]
  const x = scaleLinear([fromMs, untilMs], [left, right]).clamp(true)
  const y = scaleLinear([low, high + (high - low) * 0.08 + 1e-9], [bottom, top])
  const [xOf, yOf] = [({ atMs }: Drawn) => x(atMs), (at: 0 | 1 | 2) => (one: Drawn) => y(one.point[at])]
  const name = [...new Set([host, plugin, metric ?? plugin])].join(' · ').replace(/\p{Cc}/gu, ' ')
  const limitWords = limit === undefined ? '' : `limit ${short(limit, units)}`
  const shown = { height: bottom - top, open: Math.max(2, x(endedMs ?? untilMs) - x(startedMs)) }
  const markers = servers.markers().filter(({ atMs }) => atMs >= fromMs && atMs <= untilMs)
  const end = raw('text-anchor="end"')
  return html`<svg xmlns="http://www.w3.org/2000/svg" width="${size.width}" height="${size.height}"
      font-family="${fontFamily}" font-size="12" fill="#6b7280"><rect width="100%" height="100%" fill="#fff"/>
    <rect x="${x(startedMs)}" y="${top}" width="${shown.open}" height="${shown.height}" fill="#fee2e2"/>
    <path d="${area<Drawn>(xOf, yOf(0), yOf(2))(there)}" fill="#bfdbfe"/>
    <path d="${line<Drawn>(xOf, yOf(1))(there)}" fill="none" stroke="#2563eb" stroke-width="3" stroke-linecap="round"/>
    ${markers.map(({ atMs }) => html`<path d="M${x(atMs)} ${top}V${bottom}" stroke="#7c3aed" stroke-dasharray="2 3"/>`)}
    ${limit !== undefined && html`<path d="M${left} ${y(limit)}H${right}" stroke="#dc2626" stroke-dasharray="6 4"/>`}
    <text x="${left}" y="19" fill="#1f2937" font-weight="600">${name.length > 70 ? `${name.slice(0, 69)}…` : name}</text>
    <text x="${right}" y="19" fill="#dc2626" ${end}>${limitWords}</text>
    <text x="${left}" y="${bottom + 17}">${clockOf(fromMs)}</text>
    <text x="${right}" y="${bottom + 17}" ${end}>${clockOf(untilMs)} UTC</text></svg>`
}

const style = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 42rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; line-height: 1.3; overflow-wrap: anywhere; }
.state { padding: .1rem .6rem; border-radius: 1rem; color: #fff; font-size: .85rem; background: #475569; }
.open { background: #b91c1c; } .closed { background: #15803d; }
img { display: block; max-width: 100%; height: auto; border: 1px solid #d1d5db; }
dl { display: grid; grid-template-columns: fit-content(40%) minmax(0, 1fr); gap: .2rem 1rem; }
dt { color: #6b7280; } dd { margin: 0; overflow-wrap: anywhere; } .description { white-space: pre-wrap; overflow-wrap: anywhere; }
`
/** Its own style and pictures from its own origin, nothing else, no framing. */
const policy = `default-src 'none'; img-src 'self'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

function pageOf(alert: StoredAlert, { servers, links, nowMs }: Desk, hasPicture: boolean) {
  const { host, plugin, metric, title, description, endedMs, labels = {}, units = '', value, limit } = alert
  const isOneoff = alert.isOneoff === true
  const state = isOneoff ? 'event' : endedMs === null ? 'open' : 'closed'
  const { fromMs } = aroundOf(alert, nowMs())
  const facts = [
    ['Server', host],
    ['Plugin', plugin],
    ['Metric', metric],
    ['Value', value === null ? null : amount(value, units)],
    ['Limit', limit === undefined ? null : amount(limit, units)],
    ...(alert.mutedBy ?? []).map((one) => ['Muted', mutedWords(one)]),
    ['Roles', servers.rolesOf(host).join(', ')],
    ['Began', timeOf(alert.startedMs)],
    ['Ended', endedMs === null || isOneoff ? null : timeOf(endedMs)],
    ['Alert', String(alert.id)],
    ...servers
      .markers()
      .flatMap(({ notes, atMs }) => (atMs < fromMs ? [] : [['Marker', `${timeOf(atMs)}: ${notes}`]])),
  ]
  const rows = (all: readonly (readonly (string | null | undefined)[])[]) =>
    all.map(([name, text]) => text && html`<dt>${name}</dt><dd>${text}</dd>`)
  const heading = `${plugin} on ${host}: ${title}`
  const [width, height] = [size.width, size.height]
  const picture = html`<img src="${links.pictureFromPage(alert.id)}" width="${width}" height="${height}" alt="Its chart">`
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex"><title>${heading}</title><style>${raw(style)}</style></head>
<body><main><p><span class="state ${state}">${state}</span></p><h1>${heading}</h1>
<p class="description">${description}</p>
${(alert.links ?? []).map(({ text, url }) => html`<p><a href="${url}" rel="noopener noreferrer nofollow">${text}</a></p>`)}
${hasPicture && picture}
<dl>${rows(facts)}</dl>
<dl>${rows(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)))}</dl>
</main></body></html>
`
}

/** `silence by ana until 2026-11-22 15:04:00 UTC: disk is being replaced`. */
function mutedWords({ kind, by, untilMs, why }: MutedBy): string {
  const until = untilMs === null ? '' : ` until ${timeOf(untilMs)}`
  return `${kind}${by === null ? '' : ` by ${by}`}${until}${why === null ? '' : `: ${why}`}`
}

function short(value: number, units: string): string {
  const gap = units === '' || units === '%' ? '' : ' '
  return `${Number(value.toPrecision(4)).toLocaleString('en-US')}${gap}${units}`
}

const clockOf = (ms: number) => new Date(ms).toISOString().slice(11, 16)
const timeOf = (ms: number) => `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} UTC`

export type Links = {
  page(id: number): string
  picture(id: number): string
  /** The picture as the page names it: it may be served below a path. */
  pictureFromPage(id: number): string
  isToken(id: number, token: string): boolean
}

export function openLinks(db: Db, bases: { pages(): string; pictures(): string }): Links {
  const secret = metaOf(db, 'link secret') ?? randomBytes(32).toString('hex')
  setMeta(db, 'link secret', secret)
  const tokenOf = (id: number) =>
    createHmac('sha256', secret).update(String(id)).digest('base64url').slice(0, 24)
  const picture = (id: number) => `/account/alerts/${id}/sparkline.png?t=${tokenOf(id)}`
  return {
    page: (id) => `${bases.pages()}/a/${id}?t=${tokenOf(id)}`,
    picture: (id) => bases.pictures() + picture(id),
    pictureFromPage: (id) => `..${picture(id)}`,
    isToken: (id, token) => {
      const [wanted, came] = [Buffer.from(tokenOf(id)), Buffer.from(token)]
      return wanted.length === came.length && timingSafeEqual(wanted, came)
    },
  }
}

export function metricsText(desk: Desk, requests: Readonly<Record<string, number>>): string {
  const { ledger, loop, mutes, servers, nowMs } = desk
  const open = ledger.open()
  const hidden = open.filter(({ mutedBy = [] }) => mutedBy.some(({ isOurs }) => !isOurs))
  const reading = loop.last()
  const build = `{version="${version}",node="${process.versions.node}"} 1`
  const asked = Object.entries(requests).map(([of, n]) => `{operation=${JSON.stringify(of)}} ${n}`)
  const rows: readonly (readonly [name: string, help: string, ...values: (number | string)[]])[] = [
    ['build_info', 'Always 1; its labels say which version of the service and of Node runs', build],
    ['open_alerts', 'Alerts that are open', open.length],
    ['hidden_alerts', 'Open alerts that somebody else silenced, or that are inhibited', hidden.length],
    ['servers', 'Servers that are known', servers.all().length],
    ['mutes', 'Mutes that clients asked for', mutes.ids().length],
    ['source_up', '1 while what it watches can be read', Number(reading !== null)],
    ['reading_age_seconds', 'Time since the last good reading', (nowMs() - loop.goodMs()) / 1000],
    ['doubts', '1 while a reading may not be all', Number(reading?.doubt != null)],
    ['requests_total', 'Requests to the API by operation', ...asked],
  ]
  const text = rows.map(([name, help, ...values]) => {
    const full = `monbot_service_${name}`
    const type = name.endsWith('_total') ? 'counter' : 'gauge'
    const lines = values.map((value) => `${full}${typeof value === 'number' ? ` ${value}` : value}`)
    return [`# HELP ${full} ${help}`, `# TYPE ${full} ${type}`, ...lines].join('\n')
  })
  return `${text.join('\n')}\nprocess_resident_memory_bytes ${process.memoryUsage.rss()}\n`
}
