/**
 * Dates and times, with the browser's own pickers. What is typed is told once it is complete: on Enter or on leaving.
 *
 * @import { Choice, Fields, Spot } from './render-context.js'
 */
import { build } from './build-node.js'
import { hold, startOf } from './element-state.js'
import { stringOf } from './fields.js'
import { perform } from './perform.js'
import { plainTextOf } from './render-text.js'
import { clockTime, isoDay, momentOf } from './slack-date.js'

const kinds = /** @type {const} */ ({
  datepicker: { type: 'date', key: 'selected_date', initial: 'initial_date', name: 'Date' },
  timepicker: { type: 'time', key: 'selected_time', initial: 'initial_time', name: 'Time' },
  datetimepicker: {
    type: 'datetime-local',
    key: 'selected_date_time',
    initial: 'initial_date_time',
    name: 'Date and time',
  },
})

/** A picker; undefined when the element is none.  @type {(element: Fields, spot: Spot) => HTMLElement | undefined} */
export function renderPicker(element, spot) {
  const type = stringOf(element.type)
  if (type !== 'datepicker' && type !== 'timepicker' && type !== 'datetimepicker') return undefined
  const kind = kinds[type]
  const { timeZone } = spot.context
  const start = startOf(element, spot, kind.key, kind.initial)
  const isMoment = type === 'datetimepicker'
  const startMs = Number(start) * 1_000
  const shown = !isMoment
    ? stringOf(start)
    : Number.isNaN(startMs)
      ? ''
      : `${isoDay(startMs, timeZone)}T${clockTime(startMs, timeZone)}`

  const field = build('input', {
    type: kind.type,
    class: 'bk-field bk-picker',
    value: shown,
    'aria-label': spot.labelId === undefined ? plainTextOf(element.placeholder) || kind.name : undefined,
    'aria-labelledby': spot.labelId,
    'aria-describedby': spot.describedBy,
    'aria-invalid': spot.invalid ? 'true' : undefined,
    'aria-required': spot.inInput && spot.optional !== true ? 'true' : undefined,
    autofocus: element.focus_on_load === true,
  })
  const zone = stringOf(element.timezone)
  const holder = build(
    'span',
    { class: 'bk-element' },
    field,
    type === 'timepicker' && zone !== '' && build('span', { class: 'bk-zone' }, zone),
  )
  hold(holder, element, spot, {
    read,
    fault: () => (field.validity.badInput ? `Expected a whole ${kind.name.toLowerCase()}.` : undefined),
  })

  /** @type {() => Choice} */
  function read() {
    if (field.value === '') return null
    return isMoment ? String(momentOf(field.value, timeZone) / 1_000) : field.value
  }

  let told = field.value
  let typing = false
  async function tell() {
    if (!spot.acts || field.value === told || field.validity.badInput) return
    const before = told
    told = field.value
    const outcome = await perform(holder, element, spot, read())
    if (outcome === 'done') return
    told = before
    if (outcome === 'denied') field.value = before
  }
  // A year that is being typed is a date after every digit, and none of them is meant.
  field.addEventListener('keydown', (event) => {
    typing = event.key !== 'Enter'
    if (event.key === 'Enter') void tell()
  })
  field.addEventListener('pointerdown', () => {
    typing = false
  })
  field.addEventListener('change', () => {
    if (!typing) void tell()
  })
  field.addEventListener('blur', () => void tell())
  return holder
}
