/**
 * Block Kit as far as the bot uses it; any other block or element is shown as JSON. The page loads `blocks.css` beside it.
 *
 * @import { ElementProps, Fields, RenderContext, Shown } from './render-context.js'
 */
import { useState } from 'preact/hooks'
import { html, useFreshId } from '../html.js'
import { Button, Overflow } from './buttons.js'
import { fieldsIn, fieldsOf, isFields, stringOf } from './fields.js'
import { MomentInput, Select, TextInput, UsersSelect } from './inputs.js'
import { Suggest } from './suggest.js'
import { plainTextOf, renderText, renderUnknown } from './text.js'

/** @typedef {{ block: Fields, context: RenderContext }} BlockProps */

/** @type {ReadonlyMap<unknown, (props: ElementProps) => Shown>} */
const elements = new Map([
  ['button', Button],
  ['overflow', Overflow],
  ['static_select', Select],
  ['multi_external_select', Suggest],
  ['plain_text_input', TextInput],
  ['users_select', UsersSelect],
  ['datetimepicker', MomentInput],
])

/** @type {ReadonlyMap<unknown, (props: BlockProps) => Shown>} */
const kinds = new Map([
  ['section', Section],
  ['context', Context],
  ['divider', Divider],
  ['image', Image],
  ['actions', Actions],
  ['input', Input],
])

/** @type {(props: { blocks: readonly unknown[], context: RenderContext }) => Shown} */
export function Blocks({ blocks, context }) {
  return html`
    <div class="bk-blocks stack bk-on-${context.surface}">
      ${blocks.map((block, at) => {
        const fields = fieldsOf(block)
        const Kind = kinds.get(fields.type)
        return Kind === undefined
          ? renderUnknown(block, 'block')
          : html`<${Kind} key=${fields.block_id ?? at} block=${fields} context=${context} />`
      })}
    </div>
  `
}

/** @type {(element: Fields, spot: ElementProps['spot'], at?: number) => Shown} */
function renderElement(element, spot, at = 0) {
  const Element = elements.get(element.type)
  // Its own id as the key: among the buttons of an updated card, the focus stays on the one it was on.
  return Element === undefined
    ? renderUnknown(element, 'element')
    : html`<${Element} key=${element.action_id ?? at} element=${element} spot=${spot} />`
}

/** @type {(props: BlockProps) => Shown} */
function Section({ block, context }) {
  const fields = fieldsIn(block.fields)
  const spot = { context, blockId: stringOf(block.block_id) }
  return html`
    <div class="bk-section">
      <div class="bk-section-body">
        ${block.text !== undefined && renderText(block.text, context)}
        ${
          fields.length > 0 &&
          html`<div class="bk-fields">${fields.map((field) => renderText(field, context))}</div>`
        }
      </div>
      ${
        isFields(block.accessory) &&
        html`<div class="bk-accessory">${renderElement(block.accessory, spot)}</div>`
      }
    </div>
  `
}

/** @type {() => Shown} */
function Divider() {
  return html`<hr class="bk-divider" />`
}

/** @type {(props: BlockProps) => Shown} */
function Context({ block, context }) {
  const texts = fieldsIn(block.elements).map((text) => renderText(text, context))
  return html`<div class="bk-context soft">${texts}</div>`
}

/** The picture is a link to itself; its alternative text takes its place when it cannot be loaded.  @type {(props: BlockProps) => Shown} */
function Image({ block, context }) {
  // Of this very block: where the message has changed, its picture may be shared by now.
  const [gone, setGone] = useState(/** @type {BlockProps['block'] | null} */ (null))
  const words = stringOf(block.alt_text)
  // The workspace takes no picture by an address of the web, and fetches none.
  const id = stringOf(fieldsOf(block.slack_file).id)
  const src = id === '' ? undefined : context.fileUrl(id)
  return html`
    <figure class="bk-image">
      ${
        src === undefined || gone === block
          ? html`<span class="bk-no-image framed soft" role="img" aria-label=${words}>🖼️ ${words} · file not found</span>`
          : html`
              <a class="bk-picture-link" href=${src} target="_blank" rel="noopener noreferrer">
                <img class="bk-picture framed" src=${src} alt=${words} decoding="async" onError=${() => setGone(block)} />
              </a>
            `
      }
    </figure>
  `
}

/** @type {(props: BlockProps) => Shown} */
function Actions({ block, context }) {
  const spot = { context, blockId: stringOf(block.block_id) }
  return html`
    <div class="bk-actions">${fieldsIn(block.elements).map((one, at) => renderElement(one, spot, at))}</div>
  `
}

/** The label, the element, the hint and the error, tied together.  @type {(props: BlockProps) => Shown} */
function Input({ block, context }) {
  const id = useFreshId()
  const blockId = stringOf(block.block_id)
  const hint = plainTextOf(block.hint)
  const error = context.errors?.[blockId]
  const input = {
    id,
    describedBy: hint === '' ? `${id}-error` : `${id}-error ${id}-hint`,
    optional: block.optional === true,
    invalid: error !== undefined,
  }
  return html`
    <div class="bk-input stack ${input.invalid ? 'bk-invalid' : ''}">
      <div class="bk-label">
        <label for=${id}>${plainTextOf(block.label)}</label>
        ${input.optional && html`<span class="bk-optional soft"> (optional)</span>`}
      </div>
      ${renderElement(fieldsOf(block.element), { context, blockId, input })}
      <div id="${id}-error" class="bk-input-error">${error}</div>
      ${hint && html`<div id="${id}-hint" class="soft">${hint}</div>`}
    </div>
  `
}
