/** The page at an alert's `url`: its text and chart, in HTML without scripts or external resources. */
import { createHash } from 'node:crypto'
import type { AlertRecord, MutedBy } from '../alerts/alert-records.ts'
import { unitsOf } from '../alerts/details.ts'
import { amountOf } from '../metrics/metric-key.ts'
import type { Marker } from '../store/registry.ts'
import { chartSize, escaped } from './chart-svg.ts'

const style = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 42rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; line-height: 1.3; overflow-wrap: anywhere; }
h2 { font-size: 1.1rem; }
.state { display: inline-block; padding: .1rem .6rem; border-radius: 1rem; color: #fff; font-size: .85rem; }
.start { background: #b91c1c; } .end { background: #15803d; } .oneoff { background: #475569; }
img { display: block; max-width: 100%; height: auto; border: 1px solid #d1d5db; border-radius: .4rem; }
dl { display: grid; grid-template-columns: fit-content(40%) minmax(0, 1fr); gap: .2rem 1rem; }
dt { color: #6b7280; overflow-wrap: anywhere; } dd { margin: 0; overflow-wrap: anywhere; }
.description { white-space: pre-wrap; overflow-wrap: anywhere; }
`

/** Security policy of the page: its own style and pictures from its own origin, nothing else, no framing. */
export const alertPagePolicy = [
  "default-src 'none'",
  "img-src 'self'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const stateWords = { start: 'open', end: 'closed', oneoff: 'one-off' } as const

export function alertPage(
  alert: AlertRecord,
  parts: {
    readonly picture: string
    readonly markers: readonly Marker[]
    readonly roles: readonly string[]
  },
): string {
  const state = alert.lifecycle === 'start' && !alert.isOpen ? 'end' : alert.lifecycle
  const units = unitsOf(alert)
  const decimals = alert.upstream === undefined ? 2 : null
  const amount = (value: number | null): string | null =>
    value === null ? null : amountOf(value, units, decimals)
  const { labels = {}, description = '', links = [], mutedBy = [] } = alert.upstream ?? {}
  const facts: readonly (readonly [string, string | null])[] = [
    ['Server', alert.serverName],
    ['Plugin', alert.plugin],
    ['Metric', alert.metric],
    ['Value', alert.key === null ? null : amount(alert.value)],
    ['Limit', alert.limitSide === undefined ? null : amount(alert.limit)],
    ...(alert.isOpen ? mutedBy.map((one) => ['Muted', mutedWords(one)] as const) : []),
    ['Roles', parts.roles.join(', ') || null],
    ['Began', timeOf(alert.openedMs)],
    ['Ended', alert.endedMs === null ? null : timeOf(alert.endedMs)],
    ['Alert', String(alert.id)],
  ]
  const rows = rowsOf(facts)
  const anchors = links.map(
    ({ text, url }) =>
      `<li><a href="${escaped(url)}" rel="noopener noreferrer nofollow">${escaped(text)}</a></li>`,
  )
  const own = rowsOf(Object.entries(labels).sort(([one], [other]) => (one < other ? -1 : 1)))
  const markers = parts.markers.map(({ notes, atMs }) => `<li>${timeOf(atMs)} — ${escaped(notes)}</li>`)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escaped(`${alert.plugin} on ${alert.serverName}`)}</title>
<style>${style}</style>
</head>
<body>
<main>
<p><span class="state ${state}">${stateWords[state]}</span></p>
<h1>${escaped(`${alert.plugin} on ${alert.serverName}: ${alert.title}`)}</h1>
${description === '' ? '' : `<p class="description">${escaped(description)}</p>`}
${anchors.length === 0 ? '' : `<ul>\n${anchors.join('\n')}\n</ul>`}
<img src="${escaped(parts.picture)}" width="${chartSize.width}" height="${chartSize.height}" alt="${escaped(
    `Chart of ${alert.metric ?? alert.plugin} on ${alert.serverName}`,
  )}">
<dl>
${rows.join('\n')}
</dl>
${own.length === 0 ? '' : `<h2>Labels</h2>\n<dl>\n${own.join('\n')}\n</dl>`}
${markers.length === 0 ? '' : `<h2>Markers</h2>\n<ul>\n${markers.join('\n')}\n</ul>`}
</main>
</body>
</html>
`
}

function rowsOf(facts: readonly (readonly [string, string | null])[]): readonly string[] {
  return facts.flatMap(([name, text]) =>
    text === null ? [] : [`<dt>${escaped(name)}</dt><dd>${escaped(text)}</dd>`],
  )
}

/** `silenced by ana until 2026-11-22 15:04:00 UTC: disk is being replaced`, `inhibited by NodeDown on node-3`. */
function mutedWords({ kind, by, untilMs, why }: MutedBy): string {
  const parts = [
    kind === 'silence' ? 'silenced' : 'inhibited',
    ...(by === null ? [] : [`by ${by}`]),
    ...(untilMs === null ? [] : [`until ${timeOf(untilMs)}`]),
  ]
  return parts.join(' ') + (why === null ? '' : `: ${why}`)
}

function timeOf(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} UTC`
}
