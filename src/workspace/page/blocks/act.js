/**
 * Tells the bot that an element was used: shows that it is busy until the answer is there, shows what went wrong, and
 * never tells twice while it waits.
 *
 * @import { ComponentChildren } from 'preact'
 * @import { Choice, Fields, Shown, Spot } from './render-context.js'
 * @typedef {{ busy?: boolean, error?: string }} Progress
 */
import { useRef, useState } from 'preact/hooks'
import { html } from '../html.js'
import { stringOf } from './fields.js'

/**
 * State that starts over when what it belongs to changes: a select of an updated card shows no old choice.
 *
 * @template State
 * @param {unknown} owner JSON
 * @param {State} start
 * @returns {[state: State, set: (state: State) => void]} Setting it for an owner that has changed since does nothing.
 */
export function useStateOf(owner, start) {
  const key = JSON.stringify(owner)
  const [held, setHeld] = useState({ key, state: start })
  return [held.key === key ? held.state : start, (state) => setHeld({ key, state })]
}

/** @type {Progress} */
const idle = {}

/**
 * @param {Fields} element
 * @param {Spot} spot
 * @returns {{ progress: Progress, act: (choice?: Choice) => Promise<boolean> }} `act` says whether the bot has taken it.
 */
export function useAct(element, { context, blockId }) {
  const [progress, show] = useStateOf(element, idle)
  /** The element that waits: one that the bot has changed meanwhile may be used. */
  const waiting = useRef('')
  const key = JSON.stringify(element)
  return {
    progress,
    async act(choice) {
      if (waiting.current === key) return false
      waiting.current = key
      try {
        show({ busy: true })
        const action = { actionId: stringOf(element.action_id), blockId }
        await context.act(choice === undefined ? action : { ...action, choice })
        show(idle)
        return true
      } catch (error) {
        show({ error: (error instanceof Error && error.message) || 'This did not work.' })
        return false
      } finally {
        if (waiting.current === key) waiting.current = ''
      }
    },
  }
}

/** Holds an element, with what becomes of its use.  @type {(props: { progress: Progress, children?: ComponentChildren }) => Shown} */
export function Acting({ progress: { busy, error }, children }) {
  return html`
    <span class="bk-element ${busy ? 'bk-busy' : ''}" aria-busy=${busy}>${children}</span>
    ${error && html`<p class="bk-act-error" role="alert">${error}</p>`}
  `
}
