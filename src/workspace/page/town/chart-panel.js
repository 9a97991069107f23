/**
 * A metric of one server over the last minutes, as a picture, in words and as a table.
 *
 * @import { Metric, Series, Shown, Town } from './shapes.js'
 */
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { html } from '../html.js'
import { exactClockOf } from '../local-time.js'
import { ask } from '../shell/ask-server.js'
import { Chart, timeAt } from './chart.js'
import { amount, describeSeries, tableOf, titleOf } from './series.js'
import { byName } from './service-panel.js'

const spans = [
  { seconds: 300, label: '5 minutes' },
  { seconds: 900, label: '15 minutes' },
  { seconds: 3_600, label: '1 hour' },
]
const widthMin = 260

/** @typedef {{ currentTarget: HTMLSelectElement }} On */

/** @type {(one: Metric, other: Metric) => boolean} */
const isSame = (one, other) =>
  one.type === other.type && one.source === other.source && one.metric === other.metric

/** @type {(props: { town: Town | undefined, server: string, choose: (server: string) => void }) => Shown} Without a server it is about this machine. */
export function ChartPanel({ town, server, choose }) {
  const [metric, setMetric] = useState(/** @type {Metric | undefined} */ (undefined))
  const [seconds, setSeconds] = useState(300)
  const [series, setSeries] = useState(/** @type {Series | undefined} */ (undefined))
  const [trouble, setTrouble] = useState('')

  const question = new URLSearchParams({
    seconds: String(seconds),
    ...(server !== '' && { server }),
    ...(metric && { type: metric.type, source: metric.source, metric: metric.metric }),
  }).toString()
  const latest = useRef('')
  latest.current = question
  useEffect(() => {
    if (town === undefined) return
    void ask(`/town/series?${question}`).then((answer) => {
      // Something else was chosen meanwhile, and that question has its own answer.
      if (latest.current !== question) return
      // Another server may not have this metric: it has its CPU.
      if (!answer.ok && answer.error === 'refused' && metric !== undefined) {
        setMetric(undefined)
        return
      }
      setTrouble(answer.ok ? '' : `The chart stands still. ${answer.detail}`)
      if (answer.ok) setSeries(answer.body)
    })
  }, [town, question])

  const picture = /** @type {{ current: HTMLElement | null }} */ (useRef(null))
  const [width, setWidth] = useState(0)
  const [pointerX, setPointerX] = useState(/** @type {number | undefined} */ (undefined))
  useLayoutEffect(() => {
    const { current } = picture
    if (current === null) return
    const sized = new ResizeObserver(() => setWidth(Math.max(widthMin, Math.floor(current.clientWidth))))
    sized.observe(current)
    return () => sized.disconnect()
  }, [])

  const metrics = series?.metrics ?? []
  const shown = metric ?? series
  const cursorMs = series && pointerX !== undefined ? timeAt(series, width, pointerX) : undefined
  return html`
    <section class="town-panel" aria-labelledby="town-chart-title">
      <div class="town-panel-head">
        <h3 class="town-title" id="town-chart-title" tabindex="-1">${series ? titleOf(series) : 'A metric'}</h3>
        <span class="town-small town-readout">
          ${series && cursorMs !== undefined && readOut(series, cursorMs)}
        </span>
      </div>
      <div class="town-fields">
        <label class="town-field">
          Server
          <select
            class="bk-select"
            value=${server || series?.server}
            onChange=${(/** @type {On} */ { currentTarget }) => choose(currentTarget.value)}
          >
            ${town?.servers.toSorted(byName).map(({ hostname }) => html`<option value=${hostname}>${hostname}</option>`)}
          </select>
        </label>
        <label class="town-field">
          Metric
          <select
            class="bk-select"
            value=${String(metrics.findIndex((one) => shown !== undefined && isSame(one, shown)))}
            onChange=${(/** @type {On} */ { currentTarget }) => setMetric(metrics[Number(currentTarget.value)])}
          >
            ${metrics.map(({ label }, at) => html`<option value=${String(at)}>${label}</option>`)}
          </select>
        </label>
        <label class="town-field">
          Last
          <select
            class="bk-select"
            value=${String(seconds)}
            onChange=${(/** @type {On} */ { currentTarget }) => setSeconds(Number(currentTarget.value))}
          >
            ${spans.map((one) => html`<option value=${String(one.seconds)}>${one.label}</option>`)}
          </select>
        </label>
      </div>
      <p class="town-wrong" role="alert">${trouble}</p>
      <div
        class="town-picture"
        role="img"
        aria-labelledby="town-chart-title town-chart-words"
        ref=${picture}
        onPointerMove=${(/** @type {PointerEvent} */ { clientX }) =>
          setPointerX(clientX - (picture.current?.getBoundingClientRect().left ?? 0))}
        onPointerLeave=${() => setPointerX(undefined)}
      >
        ${series && html`<${Chart} series=${series} width=${width} cursorMs=${cursorMs} />`}
      </div>
      <ul class="town-words town-small" id="town-chart-words">
        ${series && describeSeries(series).map((words) => html`<li>${words}</li>`)}
      </ul>
      <ol class="town-chart-markers town-small" aria-label="Markers on the chart">
        ${series?.markers.map(({ notes, at_ms: atMs }) => html`<li>${exactClockOf(atMs)} ${notes}</li>`)}
      </ol>
      <details class="town-numbers">
        <summary>The numbers as a table</summary>
        <table>
          <thead>
            <tr>${['From', 'Lowest', 'Mean', 'Highest'].map((text) => html`<th scope="col">${text}</th>`)}</tr>
          </thead>
          <tbody>
            ${
              series &&
              tableOf(series).map(
                ({ time, low, mean, high }) => html`
                  <tr><th scope="row">${time}</th><td>${low}</td><td>${mean}</td><td>${high}</td></tr>
                `,
              )
            }
          </tbody>
        </table>
      </details>
    </section>
  `
}

/** What was measured at a moment, in words.  @type {(series: Series, atMs: number) => string} */
function readOut(series, atMs) {
  const point = series.points[Math.floor((atMs - series.from_ms) / series.step_ms)]
  return point ? `${exactClockOf(atMs)} · ${amount(point[1], series)}` : ''
}
