/**
 * Selects of one option that are known beforehand: the element's own, or the people of the workspace.
 *
 * @import { ElementProps, Fields, RenderContext, Shown } from './render-context.js'
 * @typedef {{ value: string, label: string }} Option
 */
import { useRef } from 'preact/hooks'
import { html } from '../html.js'
import { Acting, useAct, useStateOf } from './act.js'
import { fieldsIn, fieldsOf, stringOf } from './fields.js'
import { nameField, startOf, useForm } from './form.js'
import { plainTextOf } from './text.js'

/** @type {(props: ElementProps) => Shown} */
export function Select({ element, spot }) {
  const { input, context } = spot
  const { progress, act } = useAct(element, spot)
  const isOfPeople = element.type === 'users_select'
  const start = isOfPeople
    ? stringOf(startOf(element, spot, 'selected_user', 'initial_user'))
    : stringOf(fieldsOf(startOf(element, spot, 'selected_option', 'initial_option')).value)
  // A form keeps what was chosen when the bot changes it; a menu of a card starts over only in a block with another id.
  const [{ chosen, told }, set] = useStateOf(input === undefined ? [element, spot.blockId] : '', {
    chosen: start,
    told: start,
  })
  const isWalking = useRef(false)
  useForm(element, spot, { read: () => chosen || null })

  const groups = isOfPeople ? [{ label: '', options: peopleOf(context) }] : groupsOf(element)
  const options = groups.flatMap((group) => group.options)
  // The values that are sent are the ones that came, so the page's own ones are their places.
  const place = (/** @type {string} */ value) => String(options.findIndex((one) => one.value === value))

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
        ${groups.map(({ label, options: own }) => {
          const shown = own.map(
            (option) => html`<option value=${place(option.value)}>${option.label}</option>`,
          )
          return label === '' ? shown : html`<optgroup label=${label}>${shown}</optgroup>`
        })}
      </select>
    <//>
  `
}

/** @type {(fields: Fields) => Option} */
const optionOf = ({ value, text }) => ({ value: stringOf(value), label: plainTextOf(text) })

/** @type {(element: Fields) => { label: string, options: Option[] }[]} */
const groupsOf = ({ options, option_groups: groups }) => [
  { label: '', options: fieldsIn(options).map(optionOf) },
  ...fieldsIn(groups).map((group) => ({
    label: plainTextOf(group.label),
    options: fieldsIn(group.options).map(optionOf),
  })),
]

/** @type {(context: RenderContext) => Option[]} */
const peopleOf = ({ directory, names }) =>
  (directory?.users() ?? []).map((id) => ({ value: id, label: `@${names.user(id).replace(/^@/, '')}` }))
