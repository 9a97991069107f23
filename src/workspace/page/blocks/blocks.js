/**
 * Block Kit as far as the bot uses it; the workspace refuses the rest.
 * @import { Fields, RenderContext, Shown } from '../shapes.js'
 * @typedef {{ block: Fields, context: RenderContext }} BlockProps
 */
import { useId, useState } from 'preact/hooks'
import { html } from '../html.js'
import { fieldsIn, fieldsOf, isFields, stringOf } from '../shapes.js'
import { renderElement } from './elements.js'
import { plainTextOf, renderRich, renderText } from './text.js'

/** @type {(props: BlockProps) => Shown} */
function Section({ block, context }) {
  const { text, accessory } = block
  const spot = { context, blockId: stringOf(block.block_id) }
  return html`
    <div class="section row">
      <div class="section-text">${renderText(text, context)}</div>
      ${isFields(accessory) && renderElement(accessory, spot)}
    </div>
  `
}

/** @type {(props: BlockProps) => Shown} */
const Context = ({ block, context }) =>
  html`<div class="context row soft">${fieldsIn(block.elements).map((text) => renderText(text, context))}</div>`

/** The picture is a link to itself; its alternative text takes its place when it cannot be loaded.  @type {(props: BlockProps) => Shown} */
function Image({ block, context }) {
  const [gone, setGone] = useState(/** @type {Fields | null} */ (null))
  const words = stringOf(block.alt_text)
  if (gone === block)
    return html`<p class="no-picture soft framed" role="img" aria-label=${words}>🖼️ ${words} · file not found</p>`
  const src = context.fileUrl(stringOf(fieldsOf(block.slack_file).id))
  return html`
    <a class="picture" href=${src} target="_blank" rel="noopener noreferrer">
      <img class="framed" src=${src} alt=${words} decoding="async" onError=${() => setGone(block)} />
    </a>
  `
}

/** @type {(props: BlockProps) => Shown} */
function Actions({ block, context }) {
  const spot = { context, blockId: stringOf(block.block_id) }
  const elements = fieldsIn(block.elements).map((one) => renderElement(one, spot))
  return html`<div class="actions row">${elements}</div>`
}

/** The first row is its head. It scrolls in itself.  @type {(props: BlockProps) => Shown} */
function Table({ block, context }) {
  const styles = fieldsIn(block.column_settings).map(({ align, is_wrapped: isWrapped }) => ({
    textAlign: align ?? 'left',
    whiteSpace: isWrapped ? 'normal' : 'nowrap',
  }))
  const rows = /** @type {unknown[]} */ (block.rows).map((row, at) => {
    const tag = at === 0 ? 'th' : 'td'
    const cells = fieldsIn(row).map(
      (cell, column) => html`<${tag} style=${styles[column]}>${renderRich(cell, context)}<//>`,
    )
    return html`<tr>${cells}</tr>`
  })
  return html`
    <div class="table framed" tabindex="0" role="group" aria-label="Table"><table>${rows}</table></div>
  `
}

/** The label, the element, the hint and the error, tied together.  @type {(props: BlockProps) => Shown} */
function Input({ block, context }) {
  const id = useId()
  const blockId = stringOf(block.block_id)
  const error = context.errors?.[blockId]
  const optional = block.optional === true
  const input = { id, optional, invalid: error !== undefined }
  return html`
    <div class=${error === undefined ? 'input column' : 'input column invalid'}>
      <label for=${id}>
        ${plainTextOf(block.label)} ${optional && html`<span class="soft">(optional)</span>`}
      </label>
      ${renderElement(fieldsOf(block.element), { context, blockId, input })}
      <div id="${id}-error" class="wrong">${error}</div>
      <div id="${id}-hint" class="soft">${plainTextOf(block.hint)}</div>
    </div>
  `
}

/** @type {ReadonlyMap<unknown, (props: BlockProps) => Shown>} */
const kinds = new Map([
  ['section', Section],
  ['context', Context],
  ['image', Image],
  ['actions', Actions],
  ['table', Table],
  ['input', Input],
])

/** @type {(props: { blocks: readonly Fields[], context: RenderContext }) => Shown} */
export function Blocks({ blocks, context }) {
  return html`
    <div class="blocks column on-${context.surface}">
      ${blocks.map((block) => html`<${kinds.get(block.type)} key=${block.block_id} block=${block} context=${context} />`)}
    </div>
  `
}
