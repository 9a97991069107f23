/**
 * Selects of all kinds, for one option or several. One option is told when it is picked, several when the list closes.
 *
 * @import { Choice, Fields, Spot } from './render-context.js'
 * @import { Option } from './option-sources.js'
 */
import { build, freshId } from './build-node.js'
import { hold } from './element-state.js'
import { stringOf } from './fields.js'
import { makeOptionList } from './option-list.js'
import { sourceFor } from './option-sources.js'
import { perform } from './perform.js'
import { openPopup } from './popup.js'
import { plainTextOf } from './render-text.js'

/** @type {(one: Option[], other: Option[]) => boolean} */
const sameOptions = (one, other) =>
  one.map(({ key }) => key).join('\n') === other.map(({ key }) => key).join('\n')

/** The select; undefined when the element is none.  @type {(element: Fields, spot: Spot) => HTMLElement | undefined} */
export function renderSelect(element, spot) {
  const many = stringOf(element.type).startsWith('multi_')
  const source = sourceFor(element, spot, many)
  if (source === undefined) return undefined
  const most =
    many && typeof element.max_selected_items === 'number'
      ? element.max_selected_items
      : Number.POSITIVE_INFINITY
  const prompt = plainTextOf(element.placeholder) || (many ? 'Choose some' : 'Choose one')

  let chosen = source.start
  /** What the bot knows to be chosen. */
  let told = chosen
  /** @type {(() => void) | undefined} */
  let close

  const shown = build('span', { class: 'bk-chosen' })
  const clearId = freshId('clear')
  const clear = build(
    'button',
    {
      type: 'button',
      id: clearId,
      class: 'bk-clear',
      'aria-label': 'Clear',
      'aria-labelledby': `${clearId} ${spot.labelId ?? ''}`.trim(),
    },
    '×',
  )
  const options = makeOptionList(source, {
    name: prompt,
    many,
    isChosen: (option) => chosen.some(({ key }) => key === option.key),
    isFull: () => chosen.length >= most,
    pick,
  })
  const trigger = build(
    'button',
    {
      type: 'button',
      class: 'bk-select',
      role: 'combobox',
      'aria-haspopup': 'listbox',
      'aria-expanded': 'false',
      'aria-controls': options.list.id,
      'aria-label': spot.labelId === undefined ? prompt : undefined,
      'aria-labelledby': spot.labelId,
      'aria-describedby': spot.describedBy,
      'aria-invalid': spot.invalid ? 'true' : undefined,
      'aria-required': spot.inInput && spot.optional !== true ? 'true' : undefined,
      autofocus: element.focus_on_load === true,
    },
    shown,
    build('span', { class: 'bk-caret', 'aria-hidden': 'true' }),
  )
  const holder = build('span', { class: 'bk-element bk-select-holder' }, trigger, clear, options.panel)
  hold(holder, element, spot, { read })
  draw()

  /** @type {() => Choice} */
  function read() {
    const choices = source?.choices(chosen) ?? []
    return many ? choices : (choices[0] ?? null)
  }

  function draw() {
    const chips = many
      ? chosen.map(({ label }) => build('span', { class: 'bk-chip' }, label))
      : chosen.map(({ label }) => build('span', { class: 'bk-chosen-one' }, label))
    shown.replaceChildren(...(chips.length > 0 ? chips : [build('span', { class: 'bk-prompt' }, prompt)]))
    clear.hidden = !(spot.inInput && spot.optional) || chosen.length === 0
  }

  /** @type {(option: Option) => void} */
  function pick(option) {
    const had = chosen.some(({ key }) => key === option.key)
    if (many) {
      if (!had && chosen.length >= most) return
      change(had ? chosen.filter(({ key }) => key !== option.key) : [...chosen, option])
      options.mark()
      return
    }
    change([option])
    close?.()
  }

  /** @type {(next: Option[]) => void} */
  function change(next) {
    chosen = next
    draw()
  }

  async function tell() {
    if (sameOptions(chosen, told)) return
    const before = told
    told = chosen
    if (!spot.acts) return
    const outcome = await perform(holder, element, spot, read())
    if (outcome === 'done') return
    told = before
    // What is shown is what was told; after a failure it stays, so that it can be picked again.
    if (outcome !== 'failed') change(before)
  }

  function show() {
    trigger.setAttribute('aria-expanded', 'true')
    close = openPopup(trigger, options.panel, {
      onClose: () => {
        close = undefined
        options.stop()
        trigger.setAttribute('aria-expanded', 'false')
        void tell()
      },
    })
    options.start()
  }
  trigger.addEventListener('click', () => (close === undefined ? show() : close()))
  trigger.addEventListener('keydown', (event) => {
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
    event.preventDefault()
    if (close === undefined) show()
  })
  clear.addEventListener('click', () => {
    change([])
    trigger.focus()
    void tell()
  })
  return holder
}
