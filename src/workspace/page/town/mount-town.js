/**
 * The town: what stands around the bot. Buttons that make something happen, the monitoring service's view of its servers, a
 * chart, and what the bot and Slack say to each other. Asks this server while it can be seen, and rests while it cannot.
 */
import { build } from '../blocks/build-node.js'
import { createActionPanel } from './action-panel.js'
import { ask } from './ask.js'
import { createChartPanel } from './chart-panel.js'
import { createLogPanel } from './log-panel.js'
import { startPulse } from './pulse.js'
import { readRateLimit, readServiceFaults, readTown } from './read-town.js'
import { createServicePanel } from './service-panel.js'

const usualRefreshMs = 2_000
/** Between questions to a service that does not answer. */
const downRefreshMs = 5_000

const notAttached =
  'No monitoring service is attached. Start the workspace with MONITOR_CONTROL_URL=http://127.0.0.1:PORT to see its servers here.'

/**
 * Puts the pane into an element, at once; its style is `town.css`.
 *
 * @param {HTMLElement} parent
 * @param {{ names?: import('./log-entry.js').Names, refreshMs?: number }} [parts] how the log names people and channels (by id
 *   where left out), and how often the service is asked; the log is read twice as often
 * @returns {() => void} ends it and takes it away
 */
export function mountTown(parent, { names, refreshMs = usualRefreshMs } = {}) {
  const pane = build('div', { class: 'town' })
  const notice = build('p', { class: 'town-notice', role: 'status' })
  pane.append(notice)
  parent.append(pane)
  /** @type {{ now(): void, stop(): void }[]} */
  const pulses = []
  // Asked until it is known: a page may be open before its server is back.
  const finding = startPulse(pane, refreshMs, async () => {
    const known = await ask('/town')
    notice.textContent = known.ok ? '' : known.detail
    if (!known.ok) return
    finding.stop()
    pulses.push(...furnish(pane, notice, { isAttached: known.body.attached === true, names, refreshMs }))
  })
  pulses.push(finding)
  return () => {
    for (const pulse of pulses) pulse.stop()
    pane.remove()
  }
}

/**
 * @param {HTMLElement} pane
 * @param {HTMLElement} notice
 * @param {{ isAttached: boolean, names: import('./log-entry.js').Names | undefined, refreshMs: number }} parts
 */
function furnish(pane, notice, { isAttached, names, refreshMs }) {
  const log = createLogPanel(names ?? { user: (id) => id, channel: (id) => id })
  const chart = createChartPanel()
  const service = createServicePanel({ onServer: chart.choose })
  const actions = createActionPanel({ isAttached, onDone: lookAgain })
  const left = build('div', { class: 'town-column' }, ...(isAttached ? [chart.element] : []), log.element)
  const right = build('div', { class: 'town-column' }, service.element)
  if (!isAttached) notice.textContent = notAttached
  pane.append(actions.element, build('div', { class: 'town-columns' }, left, ...(isAttached ? [right] : [])))

  let downSinceMs = 0

  async function lookAtService() {
    const isDown = downSinceMs > 0 && Date.now() - downSinceMs < downRefreshMs
    const [slack, state, faults] = await Promise.all([
      ask('/town/slack-faults'),
      isAttached && !isDown ? ask('/town/state') : undefined,
      isAttached && !isDown ? ask('/town/faults') : undefined,
    ])
    if (!isDown && isAttached) {
      downSinceMs = state?.ok === false ? Date.now() : 0
      notice.textContent = state?.ok === false ? state.detail : ''
    }
    const town = state?.ok === true ? readTown(state.body) : undefined
    actions.show(
      {
        runs: town?.runs ?? [],
        busyUntilMs: town?.busyUntilMs ?? null,
        faults: faults?.ok === true ? readServiceFaults(faults.body) : [],
        rateLimit: slack.ok && readRateLimit(slack.body),
      },
      town?.nowMs ?? Date.now(),
    )
    if (town === undefined) return
    service.show(town)
    chart.showServers(town)
    await chart.refresh()
  }

  const pulses = [startPulse(pane, refreshMs, lookAtService), startPulse(pane, refreshMs / 2, log.refresh)]

  function lookAgain() {
    downSinceMs = 0
    for (const pulse of pulses) pulse.now()
  }
  return pulses
}
