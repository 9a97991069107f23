/** What is fetched without a key: an alert's page and its little picture, by addresses that nobody guesses, and the figures of `/metrics`. */
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { scaleLinear } from 'd3-scale'
import { area, line } from 'd3-shape'
import type { Hono } from 'hono'
import { fontFamily, loadPaint } from '../shared/painter.ts'
import { version } from '../shared/program.ts'
import type { Desk } from './api/operation.ts'
import type { Env } from './api/serve.ts'
import { amount } from './metrics.ts'
import type { MutedBy, Point, StoredAlert, Window } from './source.ts'
import { type Db, metaOf, setMeta } from './store.ts'

const minute = 60_000
const size = { width: 640, height: 180 }
const plot = { left: 12, right: size.width - 70, top: 30, bottom: size.height - 24 }
const pointsMax = 150

type Drawn = { readonly point: Point; readonly atMs: number }

/** `GET /a/:id?t=…`, `GET /account/alerts/:id/sparkline.png?t=…` and `GET /`. */
export function addPages(app: Hono<Env>, desk: Desk): void {
  const find = (id: string, token = ''): StoredAlert | undefined =>
    /^\d{1,16}$/.test(id) && desk.links.isToken(Number(id), token) ? desk.ledger.get(Number(id)) : undefined

  app.get('/', (c) => c.text('A monitoring service. Its API is under /api/v2/<API_KEY>/.\n'))
  app.get('/a/:id', async (c) => {
    const alert = find(c.req.param('id'), c.req.query('t'))
    if (alert === undefined) return c.text('There is no such alert, or the link is not whole.\n', 404)
    const drawn = await drawnOf(alert, desk).catch(() => [])
    return c.html(pageOf(alert, desk, drawn.length > 0), 200, {
      'content-security-policy': policy,
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    })
  })
  app.get('/account/alerts/:id/sparkline.png', async (c) => {
    const alert = find(c.req.param('id'), c.req.query('t'))
    if (alert === undefined) return c.text('There is no such picture, or the link is not whole.\n', 404)
    const drawn = await drawnOf(alert, desk)
    // Of an event, or where an Alertmanager alone is behind.
    if (drawn.length === 0) return c.text('There is nothing to draw.\n', 404)
    const paint = await loadPaint()
    const png = paint(svgOf(alert, drawn, desk))
    return c.body(new Uint8Array(png), 200, {
      'content-type': 'image/png',
      'cache-control': 'private, max-age=10',
    })
  })
}

/** From 15 minutes before it opened until 2 after it closed, at most a day. */
export function windowOf({ startedMs, endedMs }: StoredAlert, nowMs: number): Window {
  const untilMs = Math.min(nowMs, (endedMs ?? nowMs) + 2 * minute)
  const fromMs = Math.max(startedMs - 15 * minute, untilMs - 24 * 60 * minute)
  const stepMs = Math.max(5000, Math.ceil((untilMs - fromMs) / pointsMax / 1000) * 1000)
  return {
    fromMs: Math.floor(fromMs / stepMs) * stepMs,
    stepMs,
    count: Math.ceil((untilMs - fromMs) / stepMs) + 1,
  }
}

/** What was measured around it. */
async function drawnOf(alert: StoredAlert, { source, nowMs }: Desk): Promise<Drawn[]> {
  const window = windowOf(alert, nowMs())
  const course = await source.course(alert, window)
  return (course?.blocks[0]?.points ?? []).flatMap((point, n) =>
    point === null ? [] : [{ point, atMs: window.fromMs + (n + 0.5) * window.stepMs }],
  )
}

function svgOf(alert: StoredAlert, there: readonly Drawn[], { servers, nowMs }: Desk): string {
  const { fromMs, stepMs, count } = windowOf(alert, nowMs())
  const untilMs = fromMs + stepMs * count
  const { left, right, top, bottom } = plot
  const { limit, metric, startedMs, endedMs } = alert
  const values = [
    ...there.flatMap(({ point }) => [point[0], point[2]]),
    ...(limit === undefined ? [] : [limit]),
  ]
  const [low, high] = [Math.min(0, ...values), Math.max(Math.min(0, ...values) + 1e-9, ...values)]
  const x = scaleLinear([fromMs, untilMs], [left, right]).clamp(true)
  const y = scaleLinear([low, low + (high - low) * 1.08], [bottom, top]).nice(4)
  const [xOf, yOf] = [({ atMs }: Drawn) => x(atMs), (at: 0 | 1 | 2) => (one: Drawn) => y(one.point[at])]
  const band = area<Drawn>(xOf, yOf(0), yOf(2))(there)
  const means = line<Drawn>(xOf, yOf(1))(there)
  const write = (px: number, py: number, words: string, color: string, rest = 'font-size="11"') =>
    `<text x="${px.toFixed(1)}" y="${py.toFixed(1)}" font-family="${fontFamily}" fill="${color}" ${rest}>${escaped(words)}</text>`
  const rule = (x1: number, y1: number, x2: number, y2: number, color: string, rest = '') =>
    `<line x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}" stroke="${color}" ${rest}/>`
  const units = alert.units ?? ''
  const openPx = Math.max(2, x(endedMs ?? untilMs) - x(startedMs))
  const [grey, red, end] = ['#6b7280', '#dc2626', 'text-anchor="end" font-size="11"']
  const name = [...new Set([alert.host, alert.plugin, metric ?? alert.plugin])].join(' · ')
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${size.width}" height="${size.height}"><rect width="100%" height="100%" fill="#fff"/>`,
    `<rect x="${x(startedMs)}" y="${top}" width="${openPx}" height="${bottom - top}" fill="#fee2e2"/>`,
    ...y
      .ticks(3)
      .flatMap((tick) => [
        rule(left, y(tick), right, y(tick), '#e5e7eb'),
        write(right + 8, y(tick) + 4, short(tick, units), grey),
      ]),
    band === null ? '' : `<path d="${band}" fill="#bfdbfe"/>`,
    means === null
      ? ''
      : `<path d="${means}" fill="none" stroke="#2563eb" stroke-width="3" stroke-linecap="round"/>`,
    ...servers
      .markers()
      .map(({ atMs }) => atMs)
      .filter((atMs) => atMs >= fromMs && atMs <= untilMs)
      .map((atMs) => rule(x(atMs), top, x(atMs), bottom, '#7c3aed', 'stroke-dasharray="2 3"')),
    ...(limit === undefined
      ? []
      : [
          rule(left, y(limit), right, y(limit), red, 'stroke-width="1.5" stroke-dasharray="6 4"'),
          write(right, 19, `limit ${short(limit, units)}`, red, end),
        ]),
    write(left, 19, cut(name), '#1f2937', 'font-size="13" font-weight="600"'),
    write(left, bottom + 17, clockOf(fromMs), grey),
    write(right, bottom + 17, `${clockOf(untilMs)} UTC`, grey, end),
    '</svg>',
  ].join('\n')
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

function pageOf(alert: StoredAlert, { servers, links, nowMs }: Desk, hasPicture: boolean): string {
  const isOpen = alert.endedMs === null
  const state = alert.isOneoff === true ? 'event' : isOpen ? 'open' : 'closed'
  const units = alert.units ?? ''
  const { fromMs } = windowOf(alert, nowMs())
  const facts: readonly (readonly [string, string | null])[] = [
    ['Server', alert.host],
    ['Plugin', alert.plugin],
    ['Metric', alert.metric],
    ['Value', alert.value === null ? null : amount(alert.value, units)],
    ['Limit', alert.limit === undefined ? null : amount(alert.limit, units)],
    ...(isOpen ? (alert.mutedBy ?? []) : []).map((one) => ['Muted', mutedWords(one)] as const),
    ['Roles', servers.rolesOf(alert.host).join(', ') || null],
    ['Began', timeOf(alert.startedMs)],
    ['Ended', alert.endedMs === null || alert.isOneoff === true ? null : timeOf(alert.endedMs)],
    ['Alert', String(alert.id)],
  ]
  const rows = (all: readonly (readonly [string, string | null])[]) =>
    all
      .flatMap(([name, text]) =>
        text === null ? [] : [`<dt>${escaped(name)}</dt><dd>${escaped(text)}</dd>`],
      )
      .join('\n')
  const anchors = (alert.links ?? []).map(
    ({ text, url }) =>
      `<li><a href="${escaped(url)}" rel="noopener noreferrer nofollow">${escaped(text)}</a></li>`,
  )
  const markers = servers
    .markers()
    .filter(({ atMs }) => atMs >= fromMs)
    .map(({ notes, atMs }) => `<li>${timeOf(atMs)} — ${escaped(notes)}</li>`)
  const heading = escaped(`${alert.plugin} on ${alert.host}: ${alert.title}`)
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex"><title>${heading}</title><style>${style}</style></head>
<body><main><p><span class="state ${state}">${state}</span></p><h1>${heading}</h1>
${alert.description ? `<p class="description">${escaped(alert.description)}</p>` : ''}
${anchors.length === 0 ? '' : `<ul>${anchors.join('')}</ul>`}
${hasPicture ? `<img src="${escaped(links.pictureFromPage(alert.id))}" width="${size.width}" height="${size.height}" alt="${escaped(`Chart of ${alert.metric ?? alert.plugin} on ${alert.host}`)}">` : ''}
<dl>${rows(facts)}</dl>
${alert.labels === undefined ? '' : `<h2>Labels</h2><dl>${rows(Object.entries(alert.labels).sort(([a], [b]) => (a < b ? -1 : 1)))}</dl>`}
${markers.length === 0 ? '' : `<h2>Markers</h2><ul>${markers.join('')}</ul>`}
</main></body></html>
`
}

/** `silenced by ana until 2026-11-22 15:04:00 UTC: disk is being replaced`. */
function mutedWords({ kind, by, untilMs, why }: MutedBy): string {
  const words = [
    kind === 'silence' ? 'silenced' : 'inhibited',
    by === null ? '' : `by ${by}`,
    untilMs === null ? '' : `until ${timeOf(untilMs)}`,
  ]
  return words.filter((word) => word !== '').join(' ') + (why === null ? '' : `: ${why}`)
}

function short(value: number, units: string): string {
  const gap = units === '' || units === '%' ? '' : ' '
  return `${Number(value.toPrecision(4)).toLocaleString('en-US', { maximumFractionDigits: Math.abs(value) < 1 ? 3 : 1 })}${gap}${units}`
}

function cut(title: string): string {
  const chars = [...title]
  return chars.length > 56 ? `${chars.slice(0, 55).join('')}…` : title
}

const clockOf = (ms: number) => new Date(ms).toISOString().slice(11, 16)
const timeOf = (ms: number) => `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} UTC`

/** Safe inside HTML and SVG, in text and in quoted attributes; characters that XML forbids are left out. */
function escaped(text: string): string {
  const safe = text.toWellFormed().replace(/[^\P{Cc}\t\n\r]|[\ufffe\uffff]/gu, '')
  return safe
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
}

export type Links = {
  page(id: number): string
  picture(id: number): string
  /** The picture as the page names it: it may be served below a path. */
  pictureFromPage(id: number): string
  isToken(id: number, token: string): boolean
}

/** Several times the longest list that is promised. */
const keptMax = 20_000

export function openLinks(db: Db, bases: { pages(): string; pictures(): string }): Links {
  const secret = metaOf(db, 'link secret') ?? randomBytes(32).toString('hex')
  setMeta(db, 'link secret', secret)
  // A list of 5,000 alerts is read again and again: making its tokens took a third of the work.
  const made = new Map<number, string>()
  const tokenOf = (id: number): string => {
    const token =
      made.get(id) ?? createHmac('sha256', secret).update(String(id)).digest('base64url').slice(0, 24)
    if (made.size >= keptMax) made.clear()
    made.set(id, token)
    return token
  }
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

type Row = readonly [name: string, type: string, help: string, values: Readonly<Record<string, number>>]

export function metricsText(desk: Desk, requests: Readonly<Record<string, number>>): string {
  const { ledger, loop, mutes, servers, nowMs } = desk
  const open = ledger.open()
  const hidden = open.filter(({ mutedBy = [] }) => mutedBy.some(({ isOurs }) => !isOurs))
  const reading = loop.last()
  const byOperation = Object.entries(requests).map(([of, n]) => [`{operation=${JSON.stringify(of)}}`, n])
  const build = `{version="${version}",node="${process.versions.node}"}`
  const rows: readonly Row[] = [
    [
      'build_info',
      'gauge',
      'Always 1; its labels say which version of the service and of Node runs',
      { [build]: 1 },
    ],
    ['open_alerts', 'gauge', 'Alerts that are open', { '': open.length }],
    [
      'hidden_alerts',
      'gauge',
      'Open alerts that somebody else silenced, or that are inhibited',
      { '': hidden.length },
    ],
    ['servers', 'gauge', 'Servers that are known', { '': servers.all().length }],
    ['mutes', 'gauge', 'Mutes that clients asked for', { '': mutes.count() }],
    ['source_up', 'gauge', '1 while what it watches can be read', { '': reading === null ? 0 : 1 }],
    [
      'reading_age_seconds',
      'gauge',
      'Time since the last good reading',
      { '': (nowMs() - loop.goodMs()) / 1000 },
    ],
    ['doubts', 'gauge', '1 while a reading may not be all', { '': reading?.doubt == null ? 0 : 1 }],
    ['requests_total', 'counter', 'Requests to the API by operation', Object.fromEntries(byOperation)],
  ]
  const text = rows.map(([name, type, help, values]) => {
    const full = `monbot_service_${name}`
    const lines = Object.entries(values).map(([labels, value]) => `${full}${labels} ${value}`)
    return [`# HELP ${full} ${help}`, `# TYPE ${full} ${type}`, ...lines].join('\n')
  })
  return `${text.join('\n')}\nprocess_resident_memory_bytes ${process.memoryUsage.rss()}\n`
}
