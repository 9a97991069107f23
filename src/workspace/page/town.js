/**
 * The demo controls: buttons that make something happen, what runs, and the line that says what an incident is doing. They ask this
 * server while they can be seen.
 * @import { ComponentChildren } from 'preact'
 * @import { Store } from './store.js'
 * @typedef {{
 *   town: { source?: { kind: string }, open_alerts: object[], running: { scenarios: { scenario: string, ends_at_ms: number }[], busy_until_ms: number | null } },
 *   faults: { status?: number, delayMs?: number, ends_at_ms: number }[], postsHeldUntilMs: number | null,
 * }} Now
 * @typedef {{
 *   label: string, says: string, does: [path: string, body: object],
 *   until?: (now: Now) => number | null | undefined, isSimulated?: true,
 * }} Action `until`: when it ends; a one-off has none. `isSimulated`: not in front of a Prometheus.
 */
import { useEffect, useState } from 'preact/hooks'
import { html } from './html.js'
import { spanWords } from './local-time.js'
import { ask, wordsOf } from './store.js'

const refreshMs = 2_000
/** How long what is simulated goes wrong, and how long a neighbour does. */
const troubleSeconds = 240
const faultSeconds = 180

/** @type {(name: string, label: string, says: string, body: object, isOneOff?: boolean) => Action} */
const scenario = (name, label, says, body, isOneOff = false) => ({
  label,
  says,
  does: [`/town/scenarios/${name}`, isOneOff ? body : { seconds: troubleSeconds, ...body }],
  isSimulated: true,
  ...(!isOneOff && {
    until: ({ town }) => town.running.scenarios.findLast((run) => run.scenario === name)?.ends_at_ms,
  }),
})

/** Never used up before its time.  @type {(label: string, says: string, fault: { status?: number, body?: string, delayMs?: number }) => Action} */
const serviceFault = (label, says, fault) => ({
  label,
  says,
  does: ['/town/faults', { times: 10_000, seconds: faultSeconds, ...fault }],
  until: ({ faults }) => faults.findLast(({ status }) => status === fault.status)?.ends_at_ms,
})

/** @type {Readonly<Record<string, readonly Action[]>>} */
const groups = {
  'Trouble on servers': [
    scenario('cpu-spike', 'CPU spike on web-2', 'At 97 % for 4 min; one alert.', { server: 'web-2' }),
    scenario('disk-fills', 'Disk fills on db-1', 'Up to 97 %, emptied after 4 min.', { server: 'db-1' }),
    scenario('flapping', 'An alert flaps', 'Load of web-1, up and down four times.', {
      server: 'web-1',
      count: 4,
    }),
    scenario('no-data', 'A server sends no data', 'cache-1, for 4 min; an alert after 30 s.', {
      server: 'cache-1',
    }),
    scenario('storm', '200 alerts at once', 'A storm over the whole fleet, for 4 min.', { count: 200 }),
    scenario(
      'plugin-oneoff',
      'One-off of a plugin',
      'An event on worker-1, over at once.',
      { server: 'worker-1', count: 1 },
      true,
    ),
    {
      label: 'Make this machine busy',
      says: 'Every core at 100 % for 90 s, for real; one alert.',
      does: ['/town/busy', { seconds: 90 }],
      until: ({ town }) => town.running.busy_until_ms,
    },
  ],
  'Trouble with what monbot talks to': [
    serviceFault('Monitoring down', 'For 3 min, its API answers 503.', { status: 503, body: 'html' }),
    serviceFault('Monitoring hangs', 'For 3 min, each answer takes 15 s.', { delayMs: 15_000 }),
    {
      label: 'Slack rate limit',
      says: 'For 3 min, Slack refuses new messages.',
      does: ['/town/hold', { seconds: faultSeconds }],
      until: ({ postsHeldUntilMs }) => postsHeldUntilMs,
    },
  ],
}

export function DemoControls() {
  const [now, setNow] = useState(/** @type {Now | undefined} */ (undefined))
  const [told, tell] = useState({ words: '', isWrong: false })
  async function look() {
    if (document.visibilityState !== 'visible') return
    try {
      setNow(await ask('/town/state'))
      tell((before) => (before.isWrong ? { words: '', isWrong: false } : before))
    } catch (error) {
      tell({ words: wordsOf(error), isWrong: true })
    }
  }
  useEffect(() => {
    void look()
    const timer = setInterval(() => void look(), refreshMs)
    return () => clearInterval(timer)
  }, [])

  /** @type {(words: string, path: string, body: object) => Promise<void>} */
  async function order(words, path, body) {
    tell({ words: 'Starting…', isWrong: false })
    try {
      await ask(path, body)
      tell({ words, isWrong: false })
      await look()
    } catch (error) {
      tell({ words: wordsOf(error), isWrong: true })
    }
  }

  const isReal = now?.town.source?.kind === 'prometheus'
  const open = now?.town.open_alerts.length ?? 0
  return html`
    <div class="demo">
      ${
        !isReal &&
        html`<button type="button" class="button primary" onClick=${() => order('Started: five minutes.', '/town/play', {})}>
          ▶${'\ufe0e'} Play an incident
        </button>`
      }
      <button type="button" class="button" onClick=${() => order('All trouble has ended.', '/town/stop', {})}>Stop all</button>
      <p class=${told.isWrong ? 'wrong' : 'soft'} role="status">
        ${told.words} ${!told.isWrong && (open === 1 ? '1 alert is open.' : `${open} alerts are open.`)}
      </p>
      ${Object.entries(groups).map(([title, actions]) => {
        const here = actions.filter(({ isSimulated }) => !(isReal && isSimulated))
        return [
          html`<h3>${title}</h3>`,
          here.map((action) => {
            const { label, says, does } = action
            const leftMs = (now && action.until?.(now) ? Number(action.until(now)) : 0) - Date.now()
            return html`
              <button type="button" class="action ${leftMs > 0 ? 'is-running' : ''}" onClick=${() => order(`Done: ${label}.`, ...does)}>
                <strong>${label}</strong> <span class="fine">${says}</span>
                ${leftMs > 0 && html`<span class="fine running">Running, ${spanWords(leftMs)} left</span>`}
              </button>
            `
          }),
        ]
      })}
    </div>
  `
}

/** Over everything: what an incident is doing, or else what to do next, until it is put away.  @param {{ store: Store, hint: ComponentChildren }} props */
export function IncidentLine({ store, hint }) {
  const [isShown, setShown] = useState(() => localStorage.getItem('hint') !== 'read')
  const { incident } = store
  function putAway() {
    if (incident === undefined) localStorage.setItem('hint', 'read')
    if (incident === undefined) setShown(false)
    store.incident = undefined
    store.changed()
  }
  if (incident === undefined && !isShown) return undefined
  const words = incident
    ? html`<strong>${incident.isOver ? '✓' : '▶\ufe0e'}</strong> ${incident.words}`
    : html`This is monbot in a local Slack. ${hint}`
  const isEnding = incident?.isOver !== false
  return html`
    <div class="hint row" role="status">
      <p>${words}</p>
      ${
        isEnding
          ? html`<button type="button" class="tool" onClick=${putAway} aria-label="Dismiss">✕${'\ufe0e'}</button>`
          : html`<button type="button" class="button" onClick=${() => void ask('/town/stop', {})}>Stop</button>`
      }
    </div>
  `
}
