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
import { readIsRateLimited, readServiceFaults, readTown } from './read-town.js'
import { createServicePanel } from './service-panel.js'

const refreshMs = 2_000
const logRefreshMs = 1_000

/**
 * @param {HTMLElement} parent becomes the pane
 * @param {{ names?: import('./log-entry.js').Names }} [parts] how the log names people and channels; by id where left out
 * @returns {Promise<() => void>} ends it
 */
export async function mountTown(parent, { names } = {}) {
  const known = await ask('/town')
  const isAttached = known.ok && known.body.attached === true
  const pane = build('div', { class: 'town' })
  const notice = build('p', { class: 'town-notice', role: 'status' })
  const log = createLogPanel(names ?? { user: (id) => id, channel: (id) => id })
  const chart = createChartPanel()
  const service = createServicePanel({ onServer: chart.choose })
  const actions = createActionPanel({ isAttached, onDone: lookAgain })

  function lookAgain() {
    for (const pulse of pulses) pulse.now()
  }

  async function lookAtService() {
    const slack = ask('/town/slack-faults')
    const [state, faults] = isAttached ? await Promise.all([ask('/town/state'), ask('/town/faults')]) : []
    const atSlack = await slack
    const isRateLimited = atSlack.ok && readIsRateLimited(atSlack.body)
    if (state?.ok === false) notice.textContent = state.detail
    const town = state?.ok === true ? readTown(state.body) : undefined
    if (town !== undefined) {
      notice.textContent = ''
      service.show(town)
      chart.showServers(town)
    }
    const happening = {
      runs: town?.runs ?? [],
      busyUntilMs: town?.busyUntilMs ?? null,
      faults: faults?.ok === true ? readServiceFaults(faults.body) : [],
      isRateLimited,
    }
    actions.show(happening, town?.nowMs ?? Date.now())
    if (town !== undefined) await chart.refresh()
  }

  if (!isAttached) {
    notice.textContent = known.ok
      ? 'No monitoring service is attached. Start the workspace with MONITOR_CONTROL_URL=http://127.0.0.1:PORT to see its servers here.'
      : known.detail
  }
  const left = build('div', { class: 'town-column' }, ...(isAttached ? [chart.element] : []), log.element)
  const right = build('div', { class: 'town-column' }, service.element)
  pane.append(
    notice,
    actions.element,
    build('div', { class: 'town-columns' }, left, ...(isAttached ? [right] : [])),
  )
  parent.append(pane)

  const pulses = [startPulse(pane, refreshMs, lookAtService), startPulse(pane, logRefreshMs, log.refresh)]
  return () => {
    for (const pulse of pulses) pulse.stop()
    pane.remove()
  }
}
