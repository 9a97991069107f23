/**
 * The town: what stands around the bot. Buttons that make something happen, the monitoring service's view of its servers, a
 * chart, and what the bot and Slack say to each other. Asks this server while it can be seen, and rests while it cannot.
 *
 * @import { Entry, Names } from './log-panel.js'
 * @import { Happening, Shown } from './shapes.js'
 */
import { useEffect, useRef, useState } from 'preact/hooks'
import { html } from '../html.js'
import { ask } from '../shell/ask-server.js'
import { ActionPanel } from './action-panel.js'
import { ChartPanel } from './chart-panel.js'
import { LogPanel, readLogEntry } from './log-panel.js'
import { ServicePanel } from './service-panel.js'

const usualRefreshMs = 2_000
/** Between questions to a service that does not answer. */
const downRefreshMs = 5_000
/** Older rows of the log are forgotten. */
const rowsMax = 500

const notAttached =
  'No monitoring service is attached. Start the workspace with MONITOR_CONTROL_URL=http://127.0.0.1:PORT to see its servers here.'

/**
 * The whole town; its style is `town.css`, on top of `blocks.css`.
 *
 * @param {{ names: Names, refreshMs?: number }} props how the log names people and channels, and how often the service is
 *   asked; the log is read twice as often
 * @returns {Shown}
 */
export function Town({ names, refreshMs = usualRefreshMs }) {
  const pane = /** @type {{ current: HTMLElement | null }} */ (useRef(null))
  /** Undefined until it is known whether a monitoring service is attached. */
  const [isAttached, setAttached] = useState(/** @type {boolean | undefined} */ (undefined))
  const [trouble, setTrouble] = useState('')
  const [now, setNow] = useState(/** @type {Happening} */ ({ serviceFaults: [], slackFaults: [] }))
  const [server, setServer] = useState('')
  const [log, setLog] = useState({ entries: /** @type {Entry[]} */ ([]), trouble: '' })
  const read = useRef({ epoch: '', newest: 0 })
  const downSinceMs = useRef(0)

  async function look() {
    if (isAttached === undefined) return find()
    const isDown = Date.now() - downSinceMs.current < downRefreshMs
    const asksService = isAttached && !isDown
    const [slack, state, faults] = await Promise.all([
      ask('/town/slack-faults'),
      asksService ? ask('/town/state') : undefined,
      asksService ? ask('/town/faults') : undefined,
    ])
    if (state !== undefined) {
      downSinceMs.current = state.ok ? 0 : Date.now()
      setTrouble(state.ok ? '' : state.detail)
    }
    setNow((before) => ({
      town: state?.ok ? state.body : before.town,
      serviceFaults: faults?.ok ? faults.body.faults : [],
      slackFaults: slack.ok ? slack.body.faults : [],
    }))
  }

  /** Asked until it is known: a page may be open before its server is back. */
  async function find() {
    const known = await ask('/town')
    setTrouble(known.ok ? '' : known.detail)
    if (!known.ok) return
    setAttached(known.body.attached)
    beat()
  }

  async function listen() {
    const answer = await ask(`/town/log?since=${read.current.newest}`)
    if (!answer.ok) {
      setLog(({ entries }) => ({ entries, trouble: `The log stands still. ${answer.detail}` }))
      return
    }
    const { epoch, newest, rows } = answer.body
    const isOther = read.current.epoch !== '' && read.current.epoch !== epoch
    // The workspace was started again, and counts from the beginning.
    read.current = isOther ? { epoch: '', newest: 0 } : { epoch, newest }
    if (isOther) beatLog()
    if (!isOther && rows.length === 0 && log.trouble === '') return
    const fresh = isOther ? [] : rows.flatMap((/** @type {any} */ row) => readLogEntry(row, names) ?? [])
    setLog(({ entries }) => ({
      entries: isOther ? [] : [...fresh.reverse(), ...entries].slice(0, rowsMax),
      trouble: '',
    }))
  }

  const beat = usePulse(pane, refreshMs, look)
  const beatLog = usePulse(pane, refreshMs / 2, listen)

  function lookAgain() {
    downSinceMs.current = 0
    beat()
    beatLog()
  }

  /** @type {(name: string) => void} */
  function showChart(name) {
    setServer(name)
    const title = pane.current?.querySelector('#town-chart-title')
    if (!(title instanceof HTMLElement)) return
    title.focus()
    title.scrollIntoView({ block: 'nearest' })
  }

  // What a Prometheus measures is shown by itself, and by the bot.
  const hasCharts = isAttached && now.town !== undefined && now.town.source?.kind !== 'prometheus'
  return html`
    <div class="town stack" ref=${pane}>
      <p class="town-notice" role="status">${isAttached === false ? notAttached : trouble}</p>
      ${
        isAttached !== undefined &&
        html`
          <${ActionPanel} isAttached=${isAttached} now=${now} onDone=${lookAgain} />
          <div class="town-columns stack">
            <div class="town-column stack">
              ${hasCharts && html`<${ChartPanel} town=${now.town} server=${server} choose=${setServer} />`}
              <${LogPanel} ...${log} />
            </div>
            ${
              isAttached &&
              html`
                <div class="town-column stack">
                  <${ServicePanel} town=${now.town} onServer=${showChart} />
                </div>
              `
            }
          </div>
        `
      }
    </div>
  `
}

/**
 * Runs something while an element can be seen: at once, then `everyMs` after the last run ended, and at once when it comes
 * back into view. Nothing runs twice at the same time, and nothing while the tab is hidden.
 *
 * @param {{ current: Element | null }} element
 * @param {number} everyMs
 * @param {() => Promise<void>} run must not reject
 * @returns {() => void} runs it now, or again as soon as the current run is over
 */
function usePulse(element, everyMs, run) {
  const latest = useRef(run)
  latest.current = run
  const now = useRef(() => {})

  useEffect(() => {
    let isInView = false
    let isRunning = false
    let isWantedAgain = false
    let isStopped = false
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer

    async function beat() {
      clearTimeout(timer)
      if (!isInView || isStopped || document.visibilityState !== 'visible') return
      isWantedAgain = isRunning
      if (isRunning) return
      isRunning = true
      await latest.current()
      isRunning = false
      if (!isStopped) timer = setTimeout(now.current, isWantedAgain ? 0 : everyMs)
    }

    now.current = () => void beat()
    const observer = new IntersectionObserver((entries) => {
      const wasInView = isInView
      isInView = entries.at(-1)?.isIntersecting === true
      if (isInView && !wasInView) now.current()
    })
    if (element.current !== null) observer.observe(element.current)
    document.addEventListener('visibilitychange', now.current)
    return () => {
      isStopped = true
      clearTimeout(timer)
      observer.disconnect()
      document.removeEventListener('visibilitychange', now.current)
    }
  }, [])

  return () => now.current()
}
