/**
 * Keys for the whole page: F6 and Shift+F6 go from region to region, Alt+Up and Alt+Down from channel to channel, Escape
 * closes the thread.
 *
 * @import { Model } from './model.js'
 */
import { hrefOf } from './place.js'

/** @type {(model: Model) => void} */
export function listenToKeys(model) {
  document.addEventListener('keydown', (event) => {
    // A dialog has the keys to itself.
    if (event.defaultPrevented || document.querySelector('dialog[open]') !== null) return
    if (event.key === 'F6') {
      event.preventDefault()
      goToRegion(event.shiftKey ? -1 : 1)
    } else if (event.altKey && (event.key === 'ArrowUp' || event.key === 'ArrowDown')) {
      event.preventDefault()
      goToChannel(event.key === 'ArrowUp' ? -1 : 1)
    } else if (event.key === 'Escape' && model.thread !== undefined) {
      event.preventDefault()
      location.hash = hrefOf(model.thread.channelId)
    }
  })
}

/** Where one comes into a region: where one is, the newest message, else whatever takes the focus. */
const entrances = ['[aria-current=page]', '.message[tabindex="0"]', 'textarea', 'a[href], button']

/** @type {(step: number) => void} */
function goToRegion(step) {
  const regions = elementsIn(document, '[data-region]').filter((one) => one.checkVisibility())
  const at = regions.findIndex((one) => one.contains(document.activeElement))
  const next = regions[(Math.max(at, step < 0 ? 0 : -1) + step + regions.length) % regions.length]
  if (next === undefined) return
  const target = entrances
    .flatMap((entrance) => elementsIn(next, entrance))
    .find((one) => one.checkVisibility() && !one.hasAttribute('disabled'))
  ;(target ?? next).focus()
}

/** @type {(root: ParentNode, selector: string) => HTMLElement[]} */
const elementsIn = (root, selector) =>
  [...root.querySelectorAll(selector)].filter((one) => one instanceof HTMLElement)

/** @type {(step: number) => void} */
function goToChannel(step) {
  const places = elementsIn(document, '.place').filter((one) => one instanceof HTMLAnchorElement)
  const at = places.findIndex((one) => one.getAttribute('aria-current') === 'page')
  const next = places[(at + step + places.length) % places.length]
  if (next !== undefined) location.hash = next.hash
}
