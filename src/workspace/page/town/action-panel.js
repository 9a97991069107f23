/**
 * The buttons that make something happen, each with what it will do, whether it runs, and what went wrong.
 *
 * @import { Action, Step } from './actions.js'
 * @import { Happening, Shown } from './shapes.js'
 */
import { useRef, useState } from 'preact/hooks'
import { html } from '../html.js'
import { exactClockOf, spanWords } from '../local-time.js'
import { ask } from '../shell/ask-server.js'
import { actions, clearing, needsService } from './actions.js'

const groups = { servers: 'Trouble on servers', neighbours: 'Trouble with what the bot talks to' }

/** @type {(step: Step) => ReturnType<typeof ask>} */
const take = (step) => ask(step.path, { method: 'POST', ...step })

/** @type {(props: { isAttached: boolean, now: Happening, onDone: () => void }) => Shown} */
export function ActionPanel({ isAttached, now, onDone }) {
  const [told, tell] = useState({ words: '', isWrong: false })
  const isHere = (/** @type {Step} */ step) => isAttached || !needsService(step)
  const isReal = now.town?.source?.kind === 'prometheus'

  async function clearFaults() {
    const answers = await Promise.all(clearing.filter(isHere).map(take))
    const wrong = answers.find((answer) => !answer.ok)
    tell(
      wrong?.ok === false
        ? { words: `Not every fault has stopped. ${wrong.detail}`, isWrong: true }
        : { words: 'Nothing goes wrong on command any more.', isWrong: false },
    )
    onDone()
  }

  /** @type {(action: Action) => Shown} */
  const renderAction = (action) => html`
    <${ActionCard}
      key=${action.id}
      action=${action}
      now=${now}
      onDone=${onDone}
      onStarted=${() => tell({ words: `Started: ${action.label}.`, isWrong: false })}
    />
  `
  return html`
    <section class="town-panel framed" aria-label="Make something happen">
      <div class="town-panel-head">
        <h3 class="town-title">Make something happen</h3>
        <button type="button" class="bk-button" onClick=${clearFaults}>Stop all faults</button>
      </div>
      <p class="town-told ${told.isWrong ? 'town-wrong' : 'fine'}" role="status">${told.words}</p>
      ${Object.entries(groups).map(([group, title]) => {
        const own = actions.filter(
          (action) =>
            action.group === group && isHere(action.step) && !(isReal && action.isSimulated === true),
        )
        return (
          own.length > 0 && [
            html`<h4 class="town-group fine">${title}</h4>`,
            html`<ul class="town-actions">${own.map(renderAction)}</ul>`,
          ]
        )
      })}
    </section>
  `
}

/** @type {(props: { action: Action, now: Happening, onDone: () => void, onStarted: () => void }) => Shown} */
function ActionCard({ action: { id, label, says, step, runsUntilMs }, now, onDone, onStarted }) {
  const isStarting = useRef(false)
  const [{ isBusy, wrong }, set] = useState({ isBusy: false, wrong: '' })

  async function start() {
    // Disabled would lose the focus of who works by keyboard.
    if (isStarting.current) return
    isStarting.current = true
    set({ isBusy: true, wrong: '' })
    const answer = await take(step)
    isStarting.current = false
    set({ isBusy: false, wrong: answer.ok ? '' : `It did not start. ${answer.detail}` })
    if (answer.ok) onStarted()
    onDone()
  }

  const nowMs = now.town === undefined ? Date.now() : Date.parse(now.town.now)
  const until = runsUntilMs(now)
  const endsAtMs = typeof until === 'number' ? until : 0
  const runs = until === true || endsAtMs > nowMs
  const left = `${spanWords(endsAtMs - nowMs)} left`.replaceAll(' ', '\u00a0')
  const end = endsAtMs > 0 ? ` until ${exactClockOf(endsAtMs)}, ${left}` : ''
  const state = isBusy ? 'Starting…' : runs && `Running${end}`
  return html`
    <li class="town-card stack framed ${runs ? 'town-runs' : ''}" data-action=${id}>
      <button
        type="button"
        class="town-action bare"
        aria-describedby="town-says-${id}"
        aria-busy=${isBusy}
        onClick=${start}
      >
        ${label}
      </button>
      <span class="fine" id="town-says-${id}">${says}</span>
      <span class="fine town-good">${state}</span>
      <p class="town-wrong" role="alert">${wrong}</p>
    </li>
  `
}
