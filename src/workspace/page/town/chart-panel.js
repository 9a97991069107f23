/** A metric of one server over the last minutes, as a picture, in words and as a table. */
import { build } from '../blocks/build-node.js'
import { ask } from './ask.js'
import { amount, describeSeries, tableOf, titleOf } from './describe-series.js'
import { drawChart, svg } from './draw-chart.js'
import { keepRows, writeText } from './keyed-rows.js'
import { readSeries } from './read-town.js'
import { clockTime } from './town-time.js'

/** @typedef {import('./read-town.js').Series} Series @typedef {import('./read-town.js').Town} Town */

const spans = [
  { seconds: 300, label: '5 minutes' },
  { seconds: 900, label: '15 minutes' },
  { seconds: 3_600, label: '1 hour' },
]
const widthMin = 260

/** @returns {{ element: HTMLElement, refresh(): Promise<void>, showServers(town: Town): void, choose(server: string): void }} */
export function createChartPanel() {
  /** @type {Series | undefined} */
  let series
  let questions = 0
  /** @type {number | undefined} */
  let pointerX
  // Says what stands under the pointer; each drawing has its own way to know.
  let point = () => {}
  const serverSelect = build('select', { id: 'town-chart-server' })
  const metricSelect = build('select', { id: 'town-chart-metric' })
  const spanSelect = build('select', { id: 'town-chart-span' })
  spanSelect.append(...spans.map(({ seconds, label }) => build('option', { value: String(seconds) }, label)))
  const title = build('h3', { class: 'town-title', id: 'town-chart-title', tabindex: '-1' }, 'A metric')
  const readout = build('span', { class: 'town-readout' })
  const words = build('ul', { class: 'town-words', id: 'town-chart-words' })
  const picture = build('div', {
    class: 'town-picture',
    role: 'img',
    'aria-labelledby': 'town-chart-title town-chart-words',
  })
  const markers = build('ol', { class: 'town-chart-markers', 'aria-label': 'Markers on the chart' })
  const rows = build('tbody')
  const wrong = build('p', { class: 'town-error', role: 'alert' })
  const heads = ['From', 'Lowest', 'Mean', 'Highest'].map((text) => build('th', { scope: 'col' }, text))
  const table = build(
    'details',
    { class: 'town-numbers' },
    build('summary', {}, 'The numbers as a table'),
    build('table', {}, build('thead', {}, build('tr', {}, ...heads)), rows),
  )

  for (const select of [serverSelect, metricSelect, spanSelect]) {
    select.addEventListener('change', () => void refresh())
  }
  new ResizeObserver(() => draw()).observe(picture)
  picture.addEventListener('pointermove', ({ clientX }) => {
    pointerX = clientX
    point()
  })
  picture.addEventListener('pointerleave', () => {
    pointerX = undefined
    point()
  })

  async function refresh() {
    const asked = new URLSearchParams({ seconds: spanSelect.value })
    if (serverSelect.value !== '') asked.set('server', serverSelect.value)
    const known = series?.metrics.find(
      ({ type, source, metric }) => metricSelect.value === [type, source, metric].join('\n'),
    )
    if (known !== undefined) {
      for (const name of /** @type {const} */ (['type', 'source', 'metric'])) asked.set(name, known[name])
    }
    questions += 1
    const question = questions
    const answer = await ask(`/town/series?${asked}`)
    // Something else was chosen meanwhile, and that question has its own answer.
    if (question !== questions) return
    if (!answer.ok && answer.error === 'refused' && known !== undefined) {
      // Another server may not have this metric: it has its CPU.
      metricSelect.value = ''
      await refresh()
      return
    }
    wrong.textContent = answer.ok ? '' : `The chart stands still. ${answer.detail}`
    if (!answer.ok) return
    series = readSeries(answer.body)
    writeText(title, titleOf(series))
    offerMetrics(series)
    draw()
  }

  /** @param {Series} now */
  function offerMetrics({ metrics, metric }) {
    const key = (/** @type {{ type: string, source: string, metric: string }} */ one) =>
      [one.type, one.source, one.metric].join('\n')
    const wanted = metrics.map(key)
    const there = [...metricSelect.options].map(({ value }) => value)
    if (wanted.join() !== there.join()) {
      metricSelect.replaceChildren(...metrics.map((one) => build('option', { value: key(one) }, one.label)))
      for (const [at, option] of [...metricSelect.options].entries()) option.value = wanted[at] ?? ''
    }
    metricSelect.value = key(metric)
  }

  function draw() {
    if (series === undefined) return
    const now = series
    const width = Math.max(widthMin, Math.floor(picture.clientWidth))
    const { node, timeAt, xOf, height } = drawChart(now, { width, idPrefix: 'town-chart' })
    const cursor = svg('line', { class: 'chart-cursor', y1: 22, y2: height })
    node.append(cursor)
    picture.replaceChildren(node)
    point = () => {
      const atMs = pointerX === undefined ? undefined : timeAt(pointerX - node.getBoundingClientRect().left)
      const measured =
        atMs === undefined ? undefined : now.points[Math.floor((atMs - now.fromMs) / now.stepMs)]
      cursor.toggleAttribute('hidden', atMs === undefined)
      readout.textContent =
        atMs === undefined || !measured ? '' : `${clockTime(atMs)} · ${amount(measured[1], now)}`
      for (const end of ['x1', 'x2']) cursor.setAttribute(end, String(xOf(atMs ?? now.fromMs)))
    }
    point()
    keepWords(describeSeries(now).map((text) => ({ text })))
    keepMarkers(now.markers.map(({ notes, atMs }) => ({ text: `${clockTime(atMs)} ${notes}` })))
    keepTable(tableOf(now))
  }

  const keepWords = keepRows(words, { key: (_, at) => String(at), create: createItem })
  const keepMarkers = keepRows(markers, { key: (_, at) => String(at), create: createItem })
  const keepTable = keepRows(rows, { key: (_, at) => String(at), create: createTableRow })

  const field = (/** @type {string} */ label, /** @type {HTMLSelectElement} */ select) =>
    build('label', { class: 'town-field', for: select.id }, build('span', {}, label), select)

  return {
    element: build(
      'section',
      { class: 'town-panel', 'aria-labelledby': 'town-chart-title' },
      build('div', { class: 'town-panel-head' }, title, readout),
      build(
        'div',
        { class: 'town-fields' },
        field('Server', serverSelect),
        field('Metric', metricSelect),
        field('Last', spanSelect),
      ),
      wrong,
      picture,
      words,
      markers,
      table,
    ),
    refresh,
    showServers({ servers }) {
      const wanted = servers.map(({ name }) => name)
      if (wanted.join('\n') === [...serverSelect.options].map(({ value }) => value).join('\n')) return
      const chosen = serverSelect.value || (servers.find((one) => one.isThisMachine)?.name ?? '')
      serverSelect.replaceChildren(...wanted.map((name) => build('option', { value: name }, name)))
      if (wanted.includes(chosen)) serverSelect.value = chosen
    },
    choose(server) {
      serverSelect.value = server
      title.focus()
      title.scrollIntoView({ block: 'nearest' })
      void refresh()
    },
  }
}

function createItem() {
  const element = build('li')
  return { element, show: (/** @type {{ text: string }} */ { text }) => writeText(element, text) }
}

function createTableRow() {
  const cells = {
    time: build('th', { scope: 'row' }),
    low: build('td'),
    mean: build('td'),
    high: build('td'),
  }
  return {
    element: build('tr', {}, ...Object.values(cells)),
    /** @param {Record<keyof typeof cells, string>} row */
    show(row) {
      for (const name of /** @type {const} */ (['time', 'low', 'mean', 'high']))
        writeText(cells[name], row[name])
    },
  }
}
