/**
 * Buttons: plain ones, links, icons, and thumbs up and down.
 *
 * @import { Choice, Fields, Spot } from './render-context.js'
 */
import { build } from './build-node.js'
import { withEmoji } from './emoji-codes.js'
import { fieldsOf, isFields, stringOf } from './fields.js'
import { perform } from './perform.js'
import { plainTextOf } from './render-text.js'
import { linkUrl } from './safe-url.js'

const styles = new Map([
  ['primary', 'bk-primary'],
  ['danger', 'bk-danger'],
])

/**
 * A button; with a `url` it also opens that elsewhere, after the confirmation if there is one.
 *
 * @param {Fields} element
 * @param {Spot} spot
 * @returns {HTMLElement}
 */
export function renderButton(element, spot) {
  const attributes = {
    class: `bk-button ${styles.get(stringOf(element.style)) ?? ''}`.trim(),
    'aria-label': stringOf(element.accessibility_label) || undefined,
  }
  const words = build('span', { class: 'bk-button-text' }, plainTextOf(element.text))
  const href = linkUrl(stringOf(element.url))
  if (href === undefined) {
    const button = build('button', { type: 'button', ...attributes }, words)
    const holder = build('span', { class: 'bk-element' }, button)
    button.addEventListener('click', () => void perform(holder, element, spot))
    return holder
  }
  const link = build('a', { href, target: '_blank', rel: 'noopener noreferrer', ...attributes }, words)
  const holder = build('span', { class: 'bk-element' }, link)
  link.addEventListener('click', (event) => {
    if (!isFields(element.confirm)) {
      void perform(holder, element, spot)
      return
    }
    event.preventDefault()
    void perform(holder, element, spot).then((outcome) => {
      if (outcome === 'done') open(href, '_blank', 'noopener,noreferrer')
    })
  })
  return holder
}

/** A button that shows an icon by its name; the text is its label.  @type {(element: Fields, spot: Spot) => HTMLElement} */
export function renderIconButton(element, spot) {
  const icons = new Map([['trash', '🗑️']])
  const name = plainTextOf(element.text)
  const icon = icons.get(stringOf(element.icon)) ?? withEmoji(`:${stringOf(element.icon)}:`)
  const button = build(
    'button',
    {
      type: 'button',
      class: 'bk-button bk-icon-button',
      'aria-label': stringOf(element.accessibility_label) || name,
      title: name,
    },
    icon,
  )
  const holder = build('span', { class: 'bk-element' }, button)
  button.addEventListener('click', () => void perform(holder, element, spot))
  return holder
}

/** Thumbs up, thumbs down: the choice is the value of the one that was pressed.  @type {(element: Fields, spot: Spot) => HTMLElement} */
export function renderFeedback(element, spot) {
  const holder = build('span', { class: 'bk-element bk-feedback', role: 'group', 'aria-label': 'Feedback' })
  const sides = [
    { fields: fieldsOf(element.positive_button), icon: '👍' },
    { fields: fieldsOf(element.negative_button), icon: '👎' },
  ]
  const buttons = sides.map(({ fields, icon }) => {
    const name = plainTextOf(fields.text)
    const button = build(
      'button',
      {
        type: 'button',
        class: 'bk-button bk-icon-button',
        'aria-label': stringOf(fields.accessibility_label) || name,
        'aria-pressed': 'false',
        title: name,
      },
      icon,
    )
    button.addEventListener('click', () => {
      /** @type {Choice} */
      const choice = stringOf(fields.value)
      void perform(holder, element, spot, choice).then((outcome) => {
        if (outcome === 'done')
          for (const one of buttons) one.setAttribute('aria-pressed', String(one === button))
      })
    })
    return button
  })
  holder.append(...buttons)
  return holder
}
