/**
 * Checkboxes and radio buttons.
 *
 * @import { Choice, Fields, Spot } from './render-context.js'
 */
import { build, freshId } from './build-node.js'
import { hold, startOf } from './element-state.js'
import { fieldsIn, fieldsOf, stringOf } from './fields.js'
import { perform } from './perform.js'
import { renderText } from './render-text.js'

/** @type {(element: Fields, spot: Spot) => HTMLElement} */
export function renderBoxes(element, spot) {
  const many = element.type === 'checkboxes'
  const start = many
    ? fieldsIn(startOf(element, spot, 'selected_options', 'initial_options'))
    : [fieldsOf(startOf(element, spot, 'selected_option', 'initial_option'))]
  let told = new Set(start.map(({ value }) => stringOf(value)))
  const name = freshId('boxes')

  const boxes = fieldsIn(element.options).map((option, at) => {
    const value = stringOf(option.value)
    const describedBy = option.description === undefined ? undefined : freshId('description')
    const box = build('input', {
      type: many ? 'checkbox' : 'radio',
      name,
      value,
      class: 'bk-box',
      checked: told.has(value),
      'aria-describedby': describedBy,
      autofocus: element.focus_on_load === true && at === 0,
    })
    const label = build(
      'label',
      { class: 'bk-box-row' },
      box,
      build(
        'span',
        { class: 'bk-box-words' },
        renderText(option.text, spot.context),
        describedBy !== undefined &&
          build(
            'span',
            { id: describedBy, class: 'bk-description' },
            renderText(option.description, spot.context),
          ),
      ),
    )
    // The value that is told is the one that came, not what an attribute makes of it.
    return { box, value, label }
  })
  const group = build(
    'div',
    {
      class: 'bk-boxes',
      role: many ? 'group' : 'radiogroup',
      'aria-label': spot.labelId === undefined ? (many ? 'Choose any' : 'Choose one') : undefined,
      'aria-labelledby': spot.labelId,
      'aria-describedby': spot.describedBy,
      'aria-invalid': !many && spot.invalid ? 'true' : undefined,
    },
    ...boxes.map(({ label }) => label),
  )
  const holder = build('div', { class: 'bk-element' }, group)
  hold(holder, element, spot, { read })

  /** @type {() => Choice} */
  function read() {
    const values = boxes.filter(({ box }) => box.checked).map(({ value }) => value)
    return many ? values : (values[0] ?? null)
  }

  async function tell() {
    if (!spot.acts) return
    const before = told
    const choice = read()
    told = new Set(boxes.filter(({ box }) => box.checked).map(({ value }) => value))
    const outcome = await perform(holder, element, spot, choice)
    // What was not told is not ticked either.
    if (outcome !== 'denied' && outcome !== 'busy') return
    told = before
    for (const { box, value } of boxes) box.checked = before.has(value)
  }
  group.addEventListener('change', () => void tell())
  return holder
}
