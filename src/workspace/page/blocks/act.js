/**
 * Tells the bot that an element was used: asks first where a `confirm` object wants that, shows that it is busy until
 * the answer is there, shows what went wrong, and never tells twice while it waits.
 *
 * @import { ComponentChildren } from 'preact'
 * @import { Choice, Fields, RenderContext, Shown, Spot } from './render-context.js'
 * @typedef {{ busy?: boolean, error?: string }} Progress
 */
import { render } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { html } from '../html.js'
import { isFields, stringOf } from './fields.js'
import { plainTextOf, renderText } from './text.js'

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
        if (isFields(element.confirm) && !(await askToConfirm(element.confirm, context))) return false
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

/**
 * Resolves to whether the person agreed; Escape is a no.
 *
 * @type {(confirm: Fields, context: RenderContext) => Promise<boolean>}
 */
function askToConfirm(confirm, context) {
  const holder = document.createElement('div')
  document.body.append(holder)
  const { promise, resolve } = /** @type {PromiseWithResolvers<boolean>} */ (Promise.withResolvers())
  /** @type {(isAgreed: boolean) => void} */
  function answer(isAgreed) {
    render(null, holder)
    holder.remove()
    resolve(isAgreed)
  }
  render(html`<${Confirm} ...${{ confirm, context, answer }} />`, holder)
  holder.querySelector('dialog')?.showModal()
  return promise
}

/** Its ids are fixed, as there is one at a time.  @type {(props: { confirm: Fields, context: RenderContext, answer: (isAgreed: boolean) => void }) => Shown} */
function Confirm({ confirm, context, answer }) {
  const isDanger = confirm.style === 'danger'
  // What cannot be taken back is not under the finger that opened this.
  return html`
    <dialog
      class="bk-confirm"
      aria-labelledby="bk-confirm-title"
      aria-describedby="bk-confirm-text"
      onClose=${(/** @type {Event & { currentTarget: HTMLDialogElement }} */ { currentTarget }) =>
        answer(currentTarget.returnValue === 'yes')}
    >
      <h2 id="bk-confirm-title" class="bk-confirm-title">${plainTextOf(confirm.title) || 'Are you sure?'}</h2>
      <div id="bk-confirm-text">${renderText(confirm.text, context)}</div>
      <form method="dialog" class="bk-confirm-choices">
        <button class="bk-button" autofocus=${isDanger}>${plainTextOf(confirm.deny) || 'Cancel'}</button>
        <button value="yes" class="bk-button ${isDanger ? 'bk-danger' : 'bk-primary'}" autofocus=${!isDanger}>
          ${plainTextOf(confirm.confirm) || 'Yes'}
        </button>
      </form>
    </dialog>
  `
}
