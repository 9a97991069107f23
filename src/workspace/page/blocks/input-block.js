/**
 * Input blocks: the label, the element, the hint and the error, tied together; and what is wrong with them before they
 * are sent.
 *
 * @import { Fields, RenderContext } from './render-context.js'
 */
import { build, freshId } from './build-node.js'
import { heldIn } from './element-state.js'
import { fieldsOf, stringOf } from './fields.js'
import { renderElement } from './render-elements.js'
import { plainTextOf } from './render-text.js'

/** @type {(block: Fields, context: RenderContext) => HTMLElement} */
export function renderInput(block, context) {
  const blockId = stringOf(block.block_id)
  const [labelId, hintId, errorId] = [freshId('label'), freshId('hint'), freshId('error')]
  const hint = plainTextOf(block.hint)
  const error = context.errors?.[blockId]
  const optional = block.optional === true
  const words = build('div', { id: errorId, class: 'bk-input-error' })
  const element = renderElement(fieldsOf(block.element), {
    context,
    blockId,
    acts: block.dispatch_action === true,
    inInput: true,
    optional,
    labelId,
    describedBy: hint === '' ? errorId : `${errorId} ${hintId}`,
    invalid: error !== undefined,
  })
  const root = build(
    'div',
    { class: 'bk-input', 'data-input': blockId, 'data-optional': optional },
    build(
      'div',
      { class: 'bk-label' },
      build('span', { id: labelId }, plainTextOf(block.label)),
      optional && build('span', { class: 'bk-optional' }, ' (optional)'),
    ),
    element,
    words,
    hint !== '' && build('div', { id: hintId, class: 'bk-hint' }, hint),
  )
  // A press on the label means the field, as everywhere.
  root.querySelector('.bk-label')?.addEventListener('click', () => fieldOf(root)?.focus())
  showOne(root, error)
  return root
}

/** What takes focus, and is valid or not.  @type {(root: Element) => HTMLElement | null} */
const fieldOf = (root) => root.querySelector('.bk-field, .bk-select, .bk-box')

/** @type {(root: Element, error: string | undefined) => void} */
function showOne(root, error) {
  const words = root.querySelector(':scope > .bk-input-error')
  words?.replaceChildren(...(error === undefined ? [] : [build('span', {}, error)]))
  root.classList.toggle('bk-invalid', error !== undefined)
  const field = root.querySelector('.bk-field, .bk-select, [role=radiogroup]')
  if (error === undefined) field?.removeAttribute('aria-invalid')
  else field?.setAttribute('aria-invalid', 'true')
}

/** @type {(root: ParentNode) => HTMLElement[]} */
const inputsIn = (root) =>
  [...root.querySelectorAll('[data-input]')].filter((node) => node instanceof HTMLElement)

/**
 * Shows these errors (by block id) and takes all others away, without touching what was typed; focus goes to the first.
 *
 * @param {ParentNode} root
 * @param {Record<string, string>} errors
 */
export function showErrors(root, errors) {
  const inputs = inputsIn(root)
  for (const input of inputs) showOne(input, errors[input.dataset.input ?? ''])
  const first = inputs.find(({ dataset }) => errors[dataset.input ?? ''] !== undefined)
  if (first === undefined) return
  first.scrollIntoView({ block: 'nearest' })
  fieldOf(first)?.focus()
}

/**
 * What has to be mended before a view can be sent, by block id: what is missing, too short, no number. Empty when all is well.
 *
 * @param {ParentNode} root
 * @returns {Record<string, string>}
 */
export function checkInputs(root) {
  /** @type {Record<string, string>} */
  const errors = {}
  for (const input of inputsIn(root)) {
    for (const { blockId, read, fault } of heldIn(input)) {
      const choice = read()
      const isEmpty = choice === null || (Array.isArray(choice) && choice.length === 0)
      const words =
        fault() ?? (isEmpty && input.dataset.optional === undefined ? 'Please fill this in.' : undefined)
      if (words !== undefined) errors[blockId] = words
    }
  }
  return errors
}
