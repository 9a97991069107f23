/** The buttons that make something happen, each with what it will do, whether it runs, and what went wrong. */
import { build } from '../blocks/build-node.js'
import { actions, clearAll } from './actions.js'
import { ask } from './ask.js'
import { spanWords } from './town-time.js'

/** @typedef {import('./actions.js').Action} Action @typedef {import('./actions.js').Happening} Happening */

const groups = /** @type {const} */ ({
  servers: 'Trouble on servers',
  neighbours: 'Trouble with what the bot talks to',
})

/**
 * @param {{ isAttached: boolean, onDone(): void }} parts `onDone` is called when something was started or ended
 * @returns {{ element: HTMLElement, show(now: Happening, nowMs: number): void }}
 */
export function createActionPanel({ isAttached, onDone }) {
  const told = build('p', { class: 'town-told', role: 'status' })
  /** @param {string} text */
  function tell(text) {
    told.textContent = text
    told.classList.remove('town-wrong')
  }
  const offered = actions.filter(({ needsService }) => isAttached || !needsService)
  const cards = offered.map((action) => createCard(action, { onDone, tell }))
  const sections = Object.entries(groups).flatMap(([group, title]) => {
    const own = cards.filter(({ action }) => action.group === group)
    if (own.length === 0) return []
    return [
      build('h4', { class: 'town-group' }, title),
      build('ul', { class: 'town-actions' }, ...own.map(({ element }) => element)),
    ]
  })

  const clear = build('button', { type: 'button', class: 'town-button town-clear' }, 'Clear all faults')
  clear.addEventListener('click', () => void clearFaults())

  async function clearFaults() {
    clear.disabled = true
    const steps = [clearAll.slack, ...(isAttached ? [clearAll.service] : [])]
    const answers = await Promise.all(steps.map((step) => ask(step.path, step)))
    clear.disabled = false
    clear.focus()
    const wrong = answers.find((answer) => !answer.ok)
    told.textContent =
      wrong?.ok === false
        ? `Not every fault is cleared. ${wrong.detail}`
        : 'Nothing goes wrong on command any more.'
    told.classList.toggle('town-wrong', wrong !== undefined)
    onDone()
  }

  return {
    element: build(
      'section',
      { class: 'town-panel town-panel-actions', 'aria-label': 'Make something happen' },
      build(
        'div',
        { class: 'town-panel-head' },
        build('h3', { class: 'town-title' }, 'Make something happen'),
        clear,
      ),
      told,
      ...sections,
    ),
    show(now, nowMs) {
      for (const card of cards) card.show(now, nowMs)
    },
  }
}

/**
 * @param {Action} action
 * @param {{ onDone(): void, tell(text: string): void }} parts
 */
function createCard(action, { onDone, tell }) {
  const saysId = `town-says-${action.id}`
  const says = build('span', { class: 'town-says', id: saysId }, action.says)
  const state = build('span', { class: 'town-state' })
  const label = build('span', { class: 'town-label' }, action.label)
  const button = build('button', { type: 'button', class: 'town-action', 'aria-describedby': saysId }, label)
  const wrong = build('p', { class: 'town-error', role: 'alert' })
  const element = build('li', { class: 'town-card', 'data-action': action.id }, button, says, state, wrong)

  button.addEventListener('click', () => void start())

  async function start() {
    // Disabled would lose the focus of who works by keyboard.
    if (button.getAttribute('aria-busy') === 'true') return
    button.setAttribute('aria-busy', 'true')
    wrong.textContent = ''
    state.textContent = 'Starting…'
    for (const step of action.steps) {
      const answer = await ask(step.path, step)
      if (answer.ok) continue
      wrong.textContent = `It did not start. ${answer.detail}`
      break
    }
    button.removeAttribute('aria-busy')
    state.textContent = ''
    if (wrong.textContent === '') tell(`Started: ${action.label}.`)
    onDone()
  }

  return {
    action,
    element,
    /** @param {Happening} now @param {number} nowMs */
    show(now, nowMs) {
      if (button.getAttribute('aria-busy') === 'true') return
      const until = action.runsUntilMs(now)
      const runs = until === true || (until !== false && until > nowMs)
      element.classList.toggle('town-runs', runs)
      const words = !runs ? '' : until === true ? 'Running' : `Running, ${spanWords(until - nowMs)} left`
      if (state.textContent !== words) state.textContent = words
    },
  }
}
