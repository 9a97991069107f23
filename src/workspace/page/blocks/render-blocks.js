/**
 * Blocks as islands in a page that keeps its other nodes by hand.
 *
 * @import { RenderContext } from './render-context.js'
 */
import { render } from 'preact'
import { html } from '../html.js'
import { Blocks } from './blocks.js'
import { checkInputs as checkForm, openForm, readValues as readForm } from './form.js'
import { Mrkdwn } from './text.js'

/** @type {WeakMap<Element, { blocks: readonly unknown[], context: RenderContext & { form: import('./form.js').Form } }>} */
const islands = new WeakMap()

/** @type {(root: Element) => HTMLElement[]} */
const rootsIn = (root) =>
  [...root.querySelectorAll('.bk-island')]
    .filter((node) => node instanceof HTMLElement && islands.has(node))
    .map((node) => /** @type {HTMLElement} */ (node))

/** @type {(root: HTMLElement) => void} */
function draw(root) {
  const island = islands.get(root)
  if (island !== undefined) render(html`<${Blocks} ...${island} />`, root)
}

/** @type {(blocks: unknown, context: RenderContext) => HTMLElement} */
export function renderBlocks(blocks, context) {
  const root = document.createElement('div')
  root.className = 'bk-island'
  islands.set(root, {
    blocks: Array.isArray(blocks) ? blocks : [],
    context: { ...context, form: openForm() },
  })
  draw(root)
  return root
}

/** @type {(text: string, context: RenderContext, options?: { links: boolean }) => Node[]} */
export function renderMrkdwn(text, context, options) {
  const root = document.createElement('div')
  render(html`<${Mrkdwn} text=${text} context=${context} ...${options} />`, root)
  return [...root.childNodes]
}

/** @type {(root: Element) => ReturnType<typeof readForm>} */
export const readValues = (root) =>
  Object.assign({}, ...rootsIn(root).map((one) => readForm(islands.get(one)?.context.form ?? openForm())))

/** @type {(root: Element) => Record<string, string>} */
export const checkInputs = (root) =>
  Object.assign({}, ...rootsIn(root).map((one) => checkForm(islands.get(one)?.context.form ?? openForm())))

/** @type {(root: Element, errors: Record<string, string>) => void} */
export function showErrors(root, errors) {
  for (const one of rootsIn(root)) {
    const island = islands.get(one)
    if (island !== undefined) island.context = { ...island.context, errors }
    draw(one)
  }
  const first = root.querySelector('[aria-invalid=true]')
  if (!(first instanceof HTMLElement)) return
  first.scrollIntoView({ block: 'nearest' })
  first.focus()
}
