/**
 * `table` and `data_table` blocks: the first row heads the columns; a wide one scrolls in its own frame.
 *
 * @import { Fields, RenderContext } from './render-context.js'
 */
import { build, freshId } from './build-node.js'
import { fieldsOf, isFields, stringOf } from './fields.js'
import { renderRichText } from './render-rich-text.js'
import { renderUnknown } from './render-text.js'

/** @type {(cell: unknown, context: RenderContext) => Node} */
function renderCell(cell, context) {
  const fields = fieldsOf(cell)
  if (fields.type === 'raw_text' || fields.type === 'raw_number')
    return document.createTextNode(wordsOf(fields))
  return fields.type === 'rich_text' ? renderRichText(fields, context) : renderUnknown(cell, 'cell')
}

/** @type {(cell: Fields) => string} */
const wordsOf = ({ text, value }) => stringOf(text) || (typeof value === 'number' ? String(value) : '')

/** @type {(block: Fields, context: RenderContext) => HTMLElement} */
export function renderTable(block, context) {
  const rows = Array.isArray(block.rows) ? block.rows : []
  const settings = Array.isArray(block.column_settings) ? block.column_settings : []
  const caption = stringOf(block.caption)
  const captionId = freshId('caption')
  const body = rows.map((row, at) =>
    build(
      'tr',
      {},
      .../** @type {unknown[]} */ (Array.isArray(row) ? row : [row]).map((cell, column) => {
        const { align, is_wrapped: wraps } = fieldsOf(settings[column])
        const isNumber = isFields(cell) && cell.type === 'raw_number'
        const side = align === 'center' || align === 'right' ? align : isNumber ? 'right' : 'left'
        const name = `bk-align-${side}${wraps === true ? ' bk-wraps' : ''}`
        const isHead = at === 0
        const isRowHead = !isHead && block.row_header_column_index === column
        const scope = isHead ? 'col' : isRowHead ? 'row' : undefined
        return build(scope === undefined ? 'td' : 'th', { class: name, scope }, renderCell(cell, context))
      }),
    ),
  )
  const table = build(
    'table',
    { class: 'bk-table' },
    caption !== '' && build('caption', { id: captionId }, caption),
    build('thead', {}, ...body.slice(0, 1)),
    build('tbody', {}, ...body.slice(1)),
  )
  // Whoever has no mouse scrolls with the arrow keys, so the frame takes focus.
  return build(
    'div',
    {
      class: 'bk-table-frame',
      role: 'region',
      tabindex: '0',
      ...(caption === '' ? { 'aria-label': 'Table' } : { 'aria-labelledby': captionId }),
    },
    table,
  )
}
