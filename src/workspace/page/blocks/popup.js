/** A panel over everything else, beside the thing that opened it: in the top layer, inside the window, one at a time. */

const gapPx = 4
const marginPx = 8

/** @type {(() => void) | undefined} */
let closeOpen

/**
 * Shows `panel`, a `popover=manual` that stands in the document already, under or over `anchor`. A press elsewhere, Escape and leaving
 * with Tab close it; so does the function that is returned. `onClose` is called once, however it was closed.
 *
 * @param {HTMLElement} anchor
 * @param {HTMLElement} panel
 * @param {{ onClose: () => void }} options
 * @returns {() => void}
 */
export function openPopup(anchor, panel, { onClose }) {
  closeOpen?.()
  const listening = new AbortController()
  const { signal } = listening
  panel.showPopover()

  const close = () => {
    if (signal.aborted) return
    listening.abort()
    closeOpen = undefined
    const hadFocus = panel.contains(document.activeElement)
    if (panel.isConnected) panel.hidePopover()
    // Focus that lay inside would be lost; focus that has moved on stays where it is.
    if (hadFocus && anchor.isConnected) anchor.focus()
    onClose()
  }
  closeOpen = close

  const isElsewhere = (/** @type {EventTarget | null} */ target) =>
    !(target instanceof Node && (panel.contains(target) || anchor.contains(target)))
  document.addEventListener(
    'pointerdown',
    (event) => {
      if (isElsewhere(event.target)) close()
    },
    { capture: true, signal },
  )
  panel.addEventListener(
    'focusout',
    (event) => {
      if (event.relatedTarget !== null && isElsewhere(event.relatedTarget)) close()
    },
    { signal },
  )
  document.addEventListener(
    'keydown',
    (event) => {
      if (event.key !== 'Escape') return
      // The dialog underneath stays open: Escape closes one thing at a time.
      event.preventDefault()
      event.stopPropagation()
      close()
    },
    { capture: true, signal },
  )
  const follow = () => (anchor.isConnected ? place(anchor, panel) : close())
  addEventListener('resize', follow, { signal })
  addEventListener('scroll', follow, { capture: true, passive: true, signal })
  // What arrives later, such as suggestions, makes the panel higher.
  const sized = new ResizeObserver(follow)
  sized.observe(panel)
  signal.addEventListener('abort', () => sized.disconnect())
  follow()
  return close
}

/** @type {(anchor: HTMLElement, panel: HTMLElement) => void} */
function place(anchor, panel) {
  const at = anchor.getBoundingClientRect()
  const { innerWidth, innerHeight } = window
  panel.style.setProperty('--bk-anchor-width', `${Math.round(at.width)}px`)
  const below = innerHeight - at.bottom - gapPx - marginPx
  const above = at.top - gapPx - marginPx
  panel.style.setProperty('--bk-room', `${Math.max(below, above)}px`)
  const { width, height } = panel.getBoundingClientRect()
  const top = height <= below || below >= above ? at.bottom + gapPx : at.top - gapPx - height
  const left = Math.min(at.left, innerWidth - width - marginPx)
  panel.style.setProperty('--bk-top', `${Math.max(marginPx, top)}px`)
  panel.style.setProperty('--bk-left', `${Math.max(marginPx, left)}px`)
}
