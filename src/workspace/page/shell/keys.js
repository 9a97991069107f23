/**
 * Keys for the whole page: F6 and Shift+F6 go from region to region, Alt+Up and Alt+Down from channel to channel, Escape
 * closes the thread.
 *
 * @import { Store } from './store.js'
 */
import { hrefOf } from './place.js'

/** @type {(store: Store) => void} */
export function listenToKeys(store) {
  document.addEventListener('keydown', (event) => {
    // A dialog has the keys to itself, and so has a menu.
    if (event.defaultPrevented || document.querySelector('dialog[open], :popover-open') !== null) return
    const { key, altKey, shiftKey } = event
    if (key === 'F6') goToRegion(shiftKey ? -1 : 1)
    else if (altKey && key === 'ArrowUp') goToChannel(-1)
    else if (altKey && key === 'ArrowDown') goToChannel(1)
    else if (key === 'Escape' && store.thread !== undefined) location.hash = hrefOf(store.thread.channelId)
    else return
    event.preventDefault()
  })
}

/** Where one comes into a region: where one is, the newest message, else whatever takes the focus. */
const entrances = ['[aria-current=page]', '.message[tabindex="0"]', 'textarea', 'a[href], button']

/** @type {(step: number) => void} */
function goToRegion(step) {
  const regions = elementsIn(document, '[data-region]').filter((one) => one.checkVisibility())
  const at = regions.findIndex((one) => one.contains(document.activeElement))
  const next = regions[(Math.max(at, step < 0 ? 0 : -1) + step + regions.length) % regions.length]
  if (next !== undefined) enter(next)
}

/** Gives the focus to what a region is entered by.  @type {(region: HTMLElement) => void} */
export function enter(region) {
  const target = entrances
    .flatMap((entrance) => elementsIn(region, entrance))
    .find((one) => one.checkVisibility() && !one.hasAttribute('disabled'))
  ;(target ?? region).focus()
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
