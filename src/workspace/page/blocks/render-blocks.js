/**
 * Block Kit as DOM nodes. The page loads `blocks.css` beside it and gives a context as `render-context.js` describes.
 *
 * - `renderBlocks(blocks, context)` shows every block that it is given; what it does not know is shown as JSON.
 * - `readValues(root)` reads what the elements hold, in the shape that `POST /control/submit` takes.
 * - `checkInputs(root)` says what has to be mended before that, `showErrors(root, errors)` shows errors by block id and
 *   leaves what was typed alone.
 *
 * @import { Fields, RenderContext } from './render-context.js'
 */
import { build } from './build-node.js'
import { readValues } from './element-state.js'
import { fieldsIn, fieldsOf, isFields, stringOf } from './fields.js'
import { checkInputs, renderInput, showErrors } from './input-block.js'
import { renderElement } from './render-elements.js'
import { renderImageBlock, renderPicture } from './render-image.js'
import { renderMarkdown } from './render-markdown.js'
import { renderRichText } from './render-rich-text.js'
import { renderTable } from './render-table.js'
import { plainTextOf, renderMrkdwn, renderText, renderUnknown } from './render-text.js'

export { checkInputs, readValues, renderMrkdwn, renderText, showErrors }

/** @type {(block: Fields, context: RenderContext) => HTMLElement} */
function renderSection(block, context) {
  const fields = fieldsIn(block.fields)
  const spot = { context, blockId: stringOf(block.block_id), acts: true }
  return build(
    'div',
    { class: 'bk-section' },
    build(
      'div',
      { class: 'bk-section-body' },
      block.text !== undefined && renderText(block.text, context),
      fields.length > 0 &&
        build('div', { class: 'bk-fields' }, ...fields.map((field) => renderText(field, context))),
    ),
    isFields(block.accessory) &&
      build('div', { class: 'bk-accessory' }, renderElement(block.accessory, spot)),
  )
}

/** @type {(block: Fields, context: RenderContext) => HTMLElement} */
function renderActions(block, context) {
  const spot = { context, blockId: stringOf(block.block_id), acts: true }
  const elements = fieldsIn(block.elements).map((element) => renderElement(element, spot))
  return build('div', { class: 'bk-actions' }, ...elements)
}

/** @type {(block: Fields, context: RenderContext) => HTMLElement} */
function renderContext(block, context) {
  const elements = fieldsIn(block.elements).map((element) =>
    element.type === 'image'
      ? renderPicture(element, context, 'bk-context-image')
      : renderText(element, context),
  )
  return build('div', { class: 'bk-context' }, ...elements)
}

const alertLevels = new Map([
  ['info', 'ℹ️'],
  ['warning', '⚠️'],
  ['error', '⛔'],
  ['success', '✅'],
])

/** @type {(block: Fields, context: RenderContext) => HTMLElement} */
function renderAlert(block, context) {
  const level = stringOf(block.level)
  const icon = alertLevels.get(level)
  return build(
    'div',
    { class: `bk-alert ${icon === undefined ? '' : `bk-alert-${level}`}`.trim(), role: 'note' },
    icon !== undefined && build('span', { role: 'img', 'aria-label': level }, icon),
    renderText(block.text, context),
  )
}

/** Blocks in a frame of their own, which may fold.  @type {(block: Fields, context: RenderContext) => HTMLElement} */
function renderContainer(block, context) {
  const title =
    block.title === undefined
      ? renderRichText(fieldsOf(block.rich_text_title), context)
      : plainTextOf(block.title)
  const head = [
    isFields(block.icon) && renderPicture(block.icon, context, 'bk-context-image'),
    build('strong', {}, title),
    block.subtitle !== undefined &&
      build('span', { class: 'bk-description' }, renderText(block.subtitle, context)),
  ]
  const body = renderBlocks(block.child_blocks, context)
  return block.is_collapsible === true
    ? build(
        'details',
        { class: 'bk-container', open: block.default_collapsed !== true },
        build('summary', { class: 'bk-container-head' }, ...head),
        body,
      )
    : build('div', { class: 'bk-container' }, build('div', { class: 'bk-container-head' }, ...head), body)
}

/** @type {(block: Fields, context: RenderContext) => HTMLElement | undefined} */
function renderKnown(block, context) {
  switch (block.type) {
    case 'section':
      return renderSection(block, context)
    case 'header':
      return build('h3', { class: 'bk-header' }, plainTextOf(block.text))
    case 'context':
      return renderContext(block, context)
    case 'divider':
      return build('hr', { class: 'bk-divider' })
    case 'image':
      return renderImageBlock(block, context)
    case 'actions':
    case 'context_actions':
      return renderActions(block, context)
    case 'input':
      return renderInput(block, context)
    case 'rich_text':
      return renderRichText(block, context)
    case 'markdown':
      return renderMarkdown(stringOf(block.text))
    case 'table':
    case 'data_table':
      return renderTable(block, context)
    case 'alert':
      return renderAlert(block, context)
    case 'container':
      return renderContainer(block, context)
    default:
      return undefined
  }
}

/**
 * @param {unknown} blocks
 * @param {RenderContext} context
 * @returns {HTMLElement}
 */
export function renderBlocks(blocks, context) {
  const nodes = (Array.isArray(blocks) ? blocks : []).map(
    (block) => renderKnown(fieldsOf(block), context) ?? renderUnknown(block, 'block'),
  )
  return build('div', { class: `bk-blocks bk-on-${context.surface}` }, ...nodes)
}
