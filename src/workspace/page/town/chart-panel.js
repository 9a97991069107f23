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
    <section class="town-panel framed" aria-labelledby="town-chart-title">
      <div class="town-panel-head">
        <h3 class="town-title" id="town-chart-title" tabindex="-1">${series ? titleOf(series) : 'A metric'}</h3>
        <span class="fine town-readout">
          ${series && cursorMs !== undefined && readOut(series, cursorMs)}
        </span>
      </div>
      <div class="town-fields">
        <${Field}
          name="Server"
          value=${server || series?.server}
          options=${town?.servers.toSorted(byName).map(({ hostname }) => [hostname, hostname])}
          choose=${choose}
        />
        <${Field}
          name="Metric"
          value=${metrics.findIndex((one) => shown !== undefined && isSame(one, shown))}
          options=${metrics.map(({ label }, at) => [at, label])}
          choose=${(/** @type {string} */ at) => setMetric(metrics[Number(at)])}
        />
        <${Field}
          name="Last"
          value=${seconds}
          options=${spans.map((one) => [one.seconds, one.label])}
          choose=${(/** @type {string} */ value) => setSeconds(Number(value))}
        />
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
      <ul class="town-words fine" id="town-chart-words">
        ${series && describeSeries(series).map((words) => html`<li>${words}</li>`)}
      </ul>
      <ol class="town-chart-markers fine" aria-label="Markers on the chart">
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

/** @type {(props: { name: string, value: unknown, options: [value: unknown, label: string][] | undefined, choose: (value: string) => void }) => Shown} */
const Field = ({ name, value, options, choose }) => html`
  <label class="town-field fine">
    ${name}
    <select
      class="bk-select"
      value=${String(value)}
      onChange=${(/** @type {{ currentTarget: HTMLSelectElement }} */ { currentTarget }) =>
        choose(currentTarget.value)}
    >
      ${options?.map(([one, label]) => html`<option value=${String(one)}>${label}</option>`)}
    </select>
  </label>
`

/** What was measured at a moment, in words.  @type {(series: Series, atMs: number) => string} */
function readOut(series, atMs) {
  const point = series.points[Math.floor((atMs - series.from_ms) / series.step_ms)]
  return point ? `${exactClockOf(atMs)} · ${amount(point[1], series)}` : ''
}
