/**
 * Tells the bot that an element was used: asks first where a `confirm` object wants that, shows that it is busy until
 * the answer is there, shows what went wrong, and never tells twice while it waits.
 *
 * @import { Choice, Fields, Spot } from './render-context.js'
 */
import { build } from './build-node.js'
import { askToConfirm } from './confirm-dialog.js'
import { isFields, stringOf } from './fields.js'

/** @typedef {'done' | 'failed' | 'denied' | 'busy'} Outcome */

/** @type {WeakSet<HTMLElement>} */
const waiting = new WeakSet()

/**
 * @param {HTMLElement} holder What is shown as busy, and gets the words of an error.
 * @param {Fields} element
 * @param {Spot} spot
 * @param {Choice} [choice]
 * @returns {Promise<Outcome>}
 */
export async function perform(holder, element, { context, blockId }, choice) {
  if (waiting.has(holder)) return 'busy'
  waiting.add(holder)
  try {
    if (isFields(element.confirm) && !(await askToConfirm(element.confirm, context))) return 'denied'
    showError(holder, undefined)
    holder.classList.add('bk-busy')
    holder.setAttribute('aria-busy', 'true')
    const action = { actionId: stringOf(element.action_id), blockId }
    await context.act(choice === undefined ? action : { ...action, choice })
    return 'done'
  } catch (error) {
    showError(holder, error instanceof Error && error.message !== '' ? error.message : 'This did not work.')
    return 'failed'
  } finally {
    waiting.delete(holder)
    holder.classList.remove('bk-busy')
    holder.removeAttribute('aria-busy')
  }
}

/** @type {WeakMap<HTMLElement, HTMLElement>} */
const errors = new WeakMap()

/** Under the row that the element stands in, so that its neighbours stay where they are.  @type {(holder: HTMLElement, words: string | undefined) => void} */
function showError(holder, words) {
  errors.get(holder)?.remove()
  if (words === undefined) return
  const error = build('p', { class: 'bk-act-error', role: 'alert' }, words)
  errors.set(holder, error)
  ;(holder.closest('.bk-actions') ?? holder).append(error)
}
