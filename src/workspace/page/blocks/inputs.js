/**
 * What is filled in: selects of one option, days and times, and fields for text of one line or several.
 *
 * @import { ElementProps, Shown } from './render-context.js'
 */
import { useRef, useState } from 'preact/hooks'
import { html } from '../html.js'
import { Acting, useAct, useStateOf } from './act.js'
import { fieldsIn, fieldsOf, stringOf } from './fields.js'
import { nameField, startOf, useForm } from './form.js'
import { plainTextOf } from './text.js'

/** @type {(props: ElementProps) => Shown} */
export function Select({ element, spot }) {
  const { input } = spot
  const { progress, act } = useAct(element, spot)
  const start = stringOf(fieldsOf(startOf(element, spot, 'selected_option', 'initial_option')).value)
  // A form keeps what was chosen when the bot changes it; a menu of a card starts over only in a block with another id.
  const [{ chosen, told }, set] = useStateOf(input === undefined ? [element, spot.blockId] : '', {
    chosen: start,
    told: start,
  })
  const isWalking = useRef(false)
  useForm(element, spot, { read: () => chosen || null })

  const groups = [element, ...fieldsIn(element.option_groups)].map((group) => ({
    name: plainTextOf(group.label),
    options: fieldsIn(group.options).map(({ value, text }) => ({
      value: stringOf(value),
      label: plainTextOf(text),
    })),
  }))
  const options = groups.flatMap((group) => group.options)
  // The values that are sent are the ones that came, so the page's own ones are their places.
  const place = (/** @type {string} */ value) => String(options.findIndex((one) => one.value === value))
  const rows = (/** @type {typeof options} */ of) =>
    of.map(({ value, label }) => html`<option value=${place(value)}>${label}</option>`)

  /** @typedef {{ currentTarget: HTMLSelectElement }} On */
  /** @type {(value: string, select: HTMLSelectElement) => Promise<void>} */
  async function tell(value, select) {
    if (input !== undefined || value === told) return
    set({ chosen: value, told: value })
    if (await act(value)) return
    // Back to what the bot knows, so that it can be chosen again.
    set({ chosen: told, told })
    select.value = place(told)
  }

  const prompt = plainTextOf(element.placeholder) || 'Choose one'
  return html`
    <${Acting} progress=${progress}>
      <select
        class="bk-select"
        ...${nameField(spot, prompt)}
        value=${place(chosen)}
        onChange=${(/** @type {On} */ { currentTarget }) => {
          const { value } = options[Number(currentTarget.value)] ?? { value: '' }
          set({ chosen: value, told })
          if (!isWalking.current) void tell(value, currentTarget)
        }}
        onPointerDown=${() => {
          isWalking.current = false
        }}
        onKeyDown=${(/** @type {KeyboardEvent & On} */ { key, currentTarget }) => {
          // In some browsers an arrow key changes a closed select, and nobody means all that lies on the way.
          isWalking.current = key !== 'Enter' && key !== ' '
          if (key === 'Enter') void tell(chosen, currentTarget)
        }}
        onBlur=${(/** @type {On} */ { currentTarget }) => {
          isWalking.current = false
          void tell(chosen, currentTarget)
        }}
      >
        <option value="-1" hidden=${!input?.optional} disabled=${!input?.optional}>${prompt}</option>
        ${groups.map(({ name, options }) =>
          name === '' ? rows(options) : html`<optgroup label=${name}>${rows(options)}</optgroup>`,
        )}
      </select>
    <//>
  `
}

/** A choice of people; Slack offers everybody, apps too.  @type {(props: ElementProps) => Shown} */
export function UsersSelect({ element, spot }) {
  const { progress, act } = useAct(element, spot)
  const { input } = spot
  const [chosen, choose] = useState(stringOf(startOf(element, spot, 'selected_user', 'initial_user')))
  useForm(element, spot, { read: () => chosen || null })
  const prompt = plainTextOf(element.placeholder) || 'Choose a person'

  /** @type {(value: string) => Promise<void>} */
  async function tell(value) {
    choose(value)
    if (input === undefined && !(await act(value || null))) choose(chosen)
  }

  return html`
    <${Acting} progress=${progress}>
      <select
        class="bk-select"
        ...${nameField(spot, prompt)}
        value=${chosen}
        onChange=${(/** @type {{ currentTarget: HTMLSelectElement }} */ { currentTarget }) => void tell(currentTarget.value)}
      >
        <option value="" hidden=${!input?.optional} disabled=${!input?.optional}>${prompt}</option>
        ${(spot.context.people?.() ?? []).map(({ id, name }) => html`<option value=${id}>${name}</option>`)}
      </select>
    <//>
  `
}

/** From how many characters below the limit on the rest is counted. */
const countFrom = 50

/** @type {(props: ElementProps) => Shown} */
export function TextInput({ element, spot }) {
  const { multiline, max_length: most } = element
  const [text, setText] = useState(stringOf(startOf(element, spot, 'value', 'initial_value')))
  useForm(element, spot, { read: () => text || null })
  const rest = Number(most) - text.length
  const placeholder = plainTextOf(element.placeholder)
  return html`
    <span class="bk-element">
      <${multiline === true ? 'textarea' : 'input'}
        class="bk-field"
        ...${nameField(spot, placeholder || 'Text')}
        placeholder=${placeholder}
        maxlength=${most}
        rows="4"
        autocomplete="off"
        value=${text}
        onInput=${(/** @type {{ currentTarget: HTMLInputElement }} */ { currentTarget }) =>
          setText(currentTarget.value)}
      />
      <span class="bk-count soft" aria-live="polite">
        ${rest <= countFrom && rest <= Number(most) / 2 && `${rest} left`}
      </span>
    </span>
  `
}

/** @type {(props: ElementProps) => Shown} */
export function MomentInput({ element, spot }) {
  const start = startOf(element, spot, 'selected_date_time', 'initial_date_time')
  const [moment, setMoment] = useState(typeof start === 'number' ? wallOf(start) : '')
  useForm(element, spot, { read: () => (moment === '' ? null : String(Date.parse(moment) / 1_000)) })
  return html`
    <input
      type="datetime-local"
      class="bk-field"
      ...${nameField(spot, 'Day and time')}
      value=${moment}
      onInput=${(/** @type {{ currentTarget: HTMLInputElement }} */ { currentTarget }) =>
        setMoment(currentTarget.value)}
    />
  `
}

/** As the field writes it, by the clock of this browser: `2026-11-21T04:00`.  @type {(seconds: number) => string} */
function wallOf(seconds) {
  const at = new Date(seconds * 1_000)
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}
