/**
 * Plain text of one line or several.
 *
 * @import { ElementProps, Shown } from './render-context.js'
 */
import { useState } from 'preact/hooks'
import { html } from '../html.js'
import { stringOf } from './fields.js'
import { nameField, startOf, useForm } from './form.js'
import { plainTextOf } from './text.js'

/** From how many characters below the limit on the rest is counted. */
const countFrom = 50

/** @type {(props: ElementProps) => Shown} */
export function TextInput({ element, spot }) {
  const { multiline, min_length: least, max_length: most } = element
  const [text, setText] = useState(stringOf(startOf(element, spot, 'value', 'initial_value')))
  useForm(element, spot, {
    read: () => text || null,
    fault: () =>
      typeof least === 'number' && text !== '' && text.length < least
        ? `Expected at least ${least} characters, got ${text.length}.`
        : undefined,
  })
  const rest = Number(most) - text.length
  const placeholder = plainTextOf(element.placeholder)
  return html`
    <span class="bk-element">
      <${multiline === true ? 'textarea' : 'input'}
        class="bk-field"
        ...${nameField(spot, placeholder || 'Text')}
        placeholder=${placeholder}
        minlength=${least}
        maxlength=${most}
        rows="4"
        autocomplete="off"
        value=${text}
        onInput=${(/** @type {{ currentTarget: HTMLInputElement }} */ { currentTarget }) =>
          setText(currentTarget.value)}
      />
      <span class="bk-count" aria-live="polite">
        ${rest <= countFrom && rest <= Number(most) / 2 && `${rest} left`}
      </span>
    </span>
  `
}
