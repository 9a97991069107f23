/** The log of what the bot and Slack said to each other: newest first, bounded, by kind. */
import { build } from '../blocks/build-node.js'
import { ask } from './ask.js'
import { logKinds, readLogEntry } from './log-entry.js'
import { clockTime } from './town-time.js'

/** @typedef {import('./log-entry.js').LogEntry} LogEntry @typedef {import('./log-entry.js').LogKind} LogKind */

/** Older rows are forgotten. */
const rowsMax = 500

/**
 * @param {import('./log-entry.js').Names} names
 * @returns {{ element: HTMLElement, refresh(): Promise<void> }}
 */
export function createLogPanel(names) {
  let newest = 0
  /** @type {unknown} */
  let epoch
  /** @type {{ entry: LogEntry, element: HTMLElement }[]} */
  let rows = []
  /** @type {Set<LogKind>} */
  const shown = new Set(logKinds.map(({ kind }) => kind))
  let isOnlyWrong = false

  const list = build('ol', { class: 'town-log-rows', reversed: true })
  const empty = build('p', { class: 'town-more' })
  const count = build('span', { class: 'town-log-count' })
  // A reader of screens would never come to rest if each row were read out.
  const box = build(
    'div',
    { class: 'town-log', role: 'log', 'aria-live': 'off', 'aria-label': 'What was said', tabindex: '0' },
    list,
    empty,
  )
  const wrong = build('p', { class: 'town-error', role: 'alert' })

  const isWanted = (/** @type {LogEntry} */ entry) => shown.has(entry.kind) && (!isOnlyWrong || entry.isWrong)

  function tellCount() {
    const visible = rows.filter(({ entry }) => isWanted(entry)).length
    count.textContent = visible === rows.length ? `${visible} rows` : `${visible} of ${rows.length} rows`
    empty.textContent =
      visible > 0 ? '' : rows.length === 0 ? 'Nothing has been said yet.' : 'No row passes the filter.'
  }

  function filter() {
    for (const { entry, element } of rows) element.hidden = !isWanted(entry)
    tellCount()
  }

  /** @param {string} label @param {boolean} isOn @param {(isOn: boolean) => void} change */
  function createFilter(label, isOn, change) {
    const button = build(
      'button',
      { type: 'button', class: 'town-filter', 'aria-pressed': String(isOn) },
      label,
    )
    button.addEventListener('click', () => {
      const next = button.getAttribute('aria-pressed') !== 'true'
      button.setAttribute('aria-pressed', String(next))
      change(next)
      filter()
    })
    return button
  }

  const filters = logKinds.map(({ kind, label }) =>
    createFilter(label, true, (isOn) => void (isOn ? shown.add(kind) : shown.delete(kind))),
  )
  filters.push(
    createFilter('Only failures', false, (isOn) => {
      isOnlyWrong = isOn
    }),
  )

  async function refresh() {
    const answer = await ask(`/town/log?since=${newest}`)
    wrong.textContent = answer.ok ? '' : `The log stands still. ${answer.detail}`
    if (!answer.ok) return
    if (epoch !== undefined && answer.body.epoch !== epoch) {
      // The workspace was started again, and counts from the beginning.
      newest = 0
      epoch = undefined
      for (const { element } of rows.splice(0)) element.remove()
      await refresh()
      return
    }
    epoch = answer.body.epoch
    newest = Number(answer.body.newest)
    const said = Array.isArray(answer.body.rows) ? answer.body.rows : []
    const fresh = said
      .flatMap((row) => readLogEntry(row, names) ?? [])
      .reverse()
      .map((entry) => ({ entry, element: createRow(entry) }))
    for (const { entry, element } of fresh) element.hidden = !isWanted(entry)
    list.prepend(...fresh.map(({ element }) => element))
    rows = [...fresh, ...rows]
    for (const { element } of rows.splice(rowsMax)) element.remove()
    tellCount()
  }

  return {
    element: build(
      'section',
      { class: 'town-panel', 'aria-label': 'What the bot and Slack said' },
      build(
        'div',
        { class: 'town-panel-head' },
        build('h3', { class: 'town-title' }, 'What the bot and Slack said'),
        count,
      ),
      build('div', { class: 'town-filters', role: 'group', 'aria-label': 'Shown rows' }, ...filters),
      wrong,
      box,
    ),
    refresh,
  }
}

/** @param {LogEntry} entry */
function createRow({ atMs, kind, from, what, outcome, isWrong }) {
  return build(
    'li',
    { class: isWrong ? 'town-row town-row-wrong' : 'town-row', 'data-kind': kind },
    build('time', { class: 'town-row-time', datetime: new Date(atMs).toISOString() }, clockTime(atMs)),
    build('span', { class: 'town-row-from' }, from),
    build('span', { class: 'town-row-what' }, what),
    build('span', { class: 'town-row-outcome' }, isWrong ? `✗ ${outcome}` : outcome),
  )
}
