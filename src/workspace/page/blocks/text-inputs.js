/**
 * What people type into: text of one line or several, numbers, addresses, and rich text (as plain words).
 *
 * @import { Choice, Fields, Spot } from './render-context.js'
 */
import { build } from './build-node.js'
import { hold, startOf } from './element-state.js'
import { fieldsOf, stringOf, stringsIn } from './fields.js'
import { perform } from './perform.js'
import { plainTextOf } from './render-text.js'
import { richTextOf, wordsOfRichText } from './rich-text-words.js'

/** After the last key, where the bot wants to hear of every character. */
const tellAfterMs = 300
/** From how many characters below the limit on the rest is counted. */
const countFrom = 50
const linesMax = 12

const types = new Map([
  ['plain_text_input', 'text'],
  ['number_input', 'number'],
  ['email_text_input', 'email'],
  ['url_text_input', 'url'],
  ['rich_text_input', 'text'],
])

/** @type {(value: unknown) => string | undefined} */
const written = (value) =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : undefined

/** A field; undefined when the element is none.  @type {(element: Fields, spot: Spot) => HTMLElement | undefined} */
export function renderTextInput(element, spot) {
  const type = types.get(stringOf(element.type))
  if (type === undefined) return undefined
  const isRich = element.type === 'rich_text_input'
  const isLong = isRich || element.multiline === true
  const start = startOf(element, spot, isRich ? 'rich_text_value' : 'value', 'initial_value')

  const attributes = {
    class: 'bk-field',
    placeholder: plainTextOf(element.placeholder) || undefined,
    'aria-label': spot.labelId === undefined ? plainTextOf(element.placeholder) || 'Text' : undefined,
    'aria-labelledby': spot.labelId,
    'aria-describedby': spot.describedBy,
    'aria-invalid': spot.invalid ? 'true' : undefined,
    'aria-required': spot.inInput && spot.optional !== true ? 'true' : undefined,
    minlength: written(element.min_length),
    maxlength: written(element.max_length),
    autofocus: element.focus_on_load === true,
  }
  const field = isLong
    ? build('textarea', { ...attributes, rows: String(Math.min(linesMax, Number(element.min_lines) || 4)) })
    : build('input', {
        ...attributes,
        type,
        autocomplete: 'off',
        ...(type === 'number'
          ? {
              step: element.is_decimal_allowed === true ? 'any' : '1',
              min: written(element.min_value),
              max: written(element.max_value),
            }
          : {}),
      })
  field.value = isRich ? wordsOfRichText(start) : (written(start) ?? '')
  const count = build('span', { class: 'bk-count', 'aria-live': 'polite' })
  const holder = build('span', { class: 'bk-element bk-wide' }, field, count)
  hold(holder, element, spot, { read, fault })

  /** @type {() => Choice} */
  function read() {
    if (field.value === '') return null
    return isRich ? richTextOf(field.value) : field.value
  }

  /** @type {() => string | undefined} */
  function fault() {
    const { min_length: least } = element
    if (typeof least === 'number' && field.value !== '' && field.value.length < least) {
      return `Expected at least ${least} characters, got ${field.value.length}.`
    }
    return field.validity.valid ? undefined : field.validationMessage
  }

  const when = stringsIn(fieldsOf(element.dispatch_action_config).trigger_actions_on)
  const onEnter = when.length === 0 || when.includes('on_enter_pressed')
  const onCharacter = when.includes('on_character_entered')
  /** @type {string | undefined} */
  let told = field.value
  async function tell() {
    if (!spot.acts || field.value === told || !field.isConnected) return
    const before = told
    told = field.value
    const outcome = await perform(holder, element, spot, read())
    if (outcome !== 'done') told = before
    // What was typed while the bot was busy has not been told yet.
    else if (onCharacter) void tell()
  }

  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer
  field.addEventListener('input', () => {
    const most = Number(element.max_length)
    const rest = most - field.value.length
    count.textContent = rest <= countFrom && rest <= most / 2 ? `${rest} left` : ''
    if (!onCharacter) return
    clearTimeout(timer)
    timer = setTimeout(() => void tell(), tellAfterMs)
  })
  field.addEventListener('keydown', (/** @type {Event} */ event) => {
    if (!(event instanceof KeyboardEvent) || event.key !== 'Enter' || !spot.acts || !onEnter) return
    // In a field of several lines Enter begins a new one.
    if (isLong && !event.ctrlKey && !event.metaKey) return
    event.preventDefault()
    // Whoever presses Enter means it, even for the same words again.
    told = undefined
    void tell()
  })
  return holder
}
