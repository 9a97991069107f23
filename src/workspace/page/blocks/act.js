/**
 * Tells the bot that an element was used: asks first where the element says so, shows that it is busy until the answer is
 * there, shows what went wrong, and never tells twice while it waits.
 *
 * @import { ComponentChildren } from 'preact'
 * @import { Choice, Fields, RenderContext, Shown, Spot } from './render-context.js'
 * @typedef {{ confirm: Fields, context: RenderContext, answer: (isSure: boolean) => void }} Question
 * @typedef {{ busy?: boolean, error?: string, question?: Question }} Progress
 */
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { html, useFreshId } from '../html.js'
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
        const { confirm } = element
        if (isFields(confirm)) {
          const isSure = await new Promise((answer) => show({ question: { confirm, context, answer } }))
          show(idle)
          if (!isSure) return false
        }
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
export function Acting({ progress: { busy, error, question }, children }) {
  return html`
    <span class="bk-element ${busy ? 'bk-busy' : ''}" aria-busy=${busy}>${children}</span>
    ${question && html`<${Confirm} question=${question} />`}
    ${error && html`<p class="bk-act-error" role="alert">${error}</p>`}
  `
}

/** Escape is a no. The first button, which has the focus, is the one that does nothing.  @type {(props: { question: Question }) => Shown} */
function Confirm({ question: { confirm, context, answer } }) {
  const id = useFreshId()
  const dialog = /** @type {{ current: HTMLDialogElement | null }} */ (useRef(null))
  useLayoutEffect(() => {
    dialog.current?.showModal()
    return () => dialog.current?.close()
  }, [])
  const style = confirm.style === 'danger' ? 'bk-danger' : 'bk-primary'
  return html`
    <dialog class="bk-confirm" aria-labelledby=${id} ref=${dialog} onCancel=${() => answer(false)}>
      <h2 class="bk-confirm-title" id=${id}>${plainTextOf(confirm.title)}</h2>
      <div class="bk-confirm-text">${renderText(confirm.text, context)}</div>
      <div class="bk-confirm-foot">
        <button type="button" class="bk-button" onClick=${() => answer(false)}>${plainTextOf(confirm.deny)}</button>
        <button type="button" class="bk-button ${style}" onClick=${() => answer(true)}>
          ${plainTextOf(confirm.confirm)}
        </button>
      </div>
    </dialog>
  `
}
