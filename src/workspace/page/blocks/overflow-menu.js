/**
 * The overflow menu: a `⋯` button with up to five options; the choice is the option's value.
 *
 * @import { Fields, Spot } from './render-context.js'
 */
import { build } from './build-node.js'
import { fieldsIn, stringOf } from './fields.js'
import { perform } from './perform.js'
import { openPopup } from './popup.js'
import { plainTextOf } from './render-text.js'
import { linkUrl } from './safe-url.js'

/** @type {(element: Fields, spot: Spot) => HTMLElement} */
export function renderOverflow(element, spot) {
  const trigger = build(
    'button',
    {
      type: 'button',
      class: 'bk-button bk-overflow',
      'aria-haspopup': 'menu',
      'aria-expanded': 'false',
      'aria-label': 'More actions',
    },
    '⋯',
  )
  const menu = build('div', {
    class: 'bk-popup bk-menu',
    popover: 'manual',
    role: 'menu',
    'aria-label': 'More actions',
  })
  const holder = build('span', { class: 'bk-element' }, trigger, menu)
  /** @type {(() => void) | undefined} */
  let close

  const choose = (/** @type {Fields} */ option) => {
    close?.()
    const href = linkUrl(stringOf(option.url))
    const asks = element.confirm !== undefined
    // Without a question the address opens within the press, or the browser would take it for an advert.
    if (href !== undefined && !asks) open(href, '_blank', 'noopener,noreferrer')
    void perform(holder, element, spot, stringOf(option.value)).then((outcome) => {
      if (href !== undefined && asks && outcome === 'done') open(href, '_blank', 'noopener,noreferrer')
    })
  }
  const items = fieldsIn(element.options).map((option) => {
    const words = plainTextOf(option.description)
    const item = build(
      'button',
      { type: 'button', role: 'menuitem', tabindex: '-1', class: 'bk-menu-item' },
      build('span', {}, plainTextOf(option.text)),
      words !== '' && build('span', { class: 'bk-description' }, words),
    )
    item.addEventListener('click', () => choose(option))
    return item
  })
  menu.append(...items)

  const show = (/** @type {number} */ at) => {
    trigger.setAttribute('aria-expanded', 'true')
    close = openPopup(trigger, menu, {
      onClose: () => {
        close = undefined
        trigger.setAttribute('aria-expanded', 'false')
      },
    })
    items.at(at)?.focus()
  }
  trigger.addEventListener('click', () => (close === undefined ? show(0) : close()))
  trigger.addEventListener('keydown', (event) => {
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
    event.preventDefault()
    show(event.key === 'ArrowDown' ? 0 : -1)
  })
  menu.addEventListener('keydown', (event) => {
    const at = items.findIndex((item) => item.matches(':focus'))
    const to = { ArrowDown: (at + 1) % items.length, ArrowUp: at - 1, Home: 0, End: -1 }[event.key]
    if (event.key === 'Tab') close?.()
    if (to === undefined) return
    event.preventDefault()
    items.at(to)?.focus()
  })
  return holder
}
