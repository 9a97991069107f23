/**
 * Block Kit as DOM nodes: `renderBlocks(blocks, context)` shows every block that it is given, what it does not know as
 * JSON; `readValues(root)` reads what the elements hold. The shapes are those of `render-context.js`.
 *
 * The looks are in `blocks.css`, which the page has to load.
 *
 * @import { Fields, RenderContext } from './render-context.js'
 */
import { build } from './build-node.js'
import { renderButton } from './button.js'
import { readValues } from './element-state.js'
import { fieldsIn, fieldsOf, isFields, stringOf } from './fields.js'
import { renderImageBlock, renderPicture } from './render-image.js'
import { plainTextOf, renderMrkdwn, renderText, renderUnknown } from './render-text.js'

export { readValues, renderMrkdwn, renderText }

/** @type {(element: Fields, blockId: string, context: RenderContext) => HTMLElement} */
function renderElement(element, blockId, context) {
  if (element.type === 'button') return renderButton(element, { context, blockId, acts: true })
  if (element.type === 'image') return renderPicture(element, context, 'bk-thumbnail')
  return renderUnknown(element, 'element')
}

/** @type {(block: Fields, context: RenderContext) => HTMLElement | undefined} */
function renderKnown(block, context) {
  const blockId = stringOf(block.block_id)
  switch (block.type) {
    case 'section': {
      const fields = fieldsIn(block.fields)
      const accessory = isFields(block.accessory) && renderElement(block.accessory, blockId, context)
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
        accessory && build('div', { class: 'bk-accessory' }, accessory),
      )
    }
    case 'header':
      return build('h3', { class: 'bk-header' }, plainTextOf(block.text))
    case 'context':
      return build(
        'div',
        { class: 'bk-context' },
        ...fieldsIn(block.elements).map((element) =>
          element.type === 'image'
            ? renderPicture(element, context, 'bk-context-image')
            : renderText(element, context),
        ),
      )
    case 'divider':
      return build('hr', { class: 'bk-divider' })
    case 'image':
      return renderImageBlock(block, context)
    case 'actions':
      return build(
        'div',
        { class: 'bk-actions' },
        ...fieldsIn(block.elements).map((element) => renderElement(element, blockId, context)),
      )
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
  const root = build('div', { class: `bk-blocks bk-on-${context.surface}` })
  for (const block of Array.isArray(blocks) ? blocks : []) {
    const node = renderKnown(fieldsOf(block), context) ?? renderUnknown(block, 'block')
    root.append(node)
  }
  return root
}
