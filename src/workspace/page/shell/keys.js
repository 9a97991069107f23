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
      goToChannel(model, event.key === 'ArrowUp' ? -1 : 1)
    } else if (event.key === 'Escape' && model.thread !== undefined) {
      event.preventDefault()
      location.hash = hrefOf(model.thread.channelId)
    }
  })
}

/** @type {(step: number) => void} */
function goToRegion(step) {
  const regions = [...document.querySelectorAll('[data-region]')].filter(
    (one) => one instanceof HTMLElement && one.offsetParent !== null,
  )
  const at = regions.findIndex((one) => one.contains(document.activeElement))
  const next = regions[(Math.max(at, step < 0 ? 0 : -1) + step + regions.length) % regions.length]
  if (!(next instanceof HTMLElement)) return
  const first = next.querySelector(
    '[aria-current=page], .message[tabindex="0"], textarea, a[href], button, [tabindex="-1"]',
  )
  if (first instanceof HTMLElement) first.focus()
  else next.focus()
}

/** @type {(model: Model, step: number) => void} */
function goToChannel(model, step) {
  const places = [...document.querySelectorAll('.place')].filter((one) => one instanceof HTMLAnchorElement)
  const at = places.findIndex((one) => one.getAttribute('aria-current') === 'page')
  const next = places[(at + step + places.length) % places.length]
  if (next !== undefined) location.hash = next.hash
  model.tell('status')
}
