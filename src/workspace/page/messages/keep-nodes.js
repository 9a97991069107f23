/**
 * Shows a list of parts and changes no more of it than has changed: a part whose key stays keeps its very node, with the
 * focus, the open menu and the half-typed text in it.
 *
 * @typedef {{ key: string, render: () => Node }} Part
 */

/**
 * @param {HTMLElement} holder Whose children are all ours.
 * @returns {(parts: Part[]) => void}
 */
export function openParts(holder) {
  /** @type {{ key: string, node: Node }[]} */
  let shown = []
  return (parts) => {
    const spare = [...shown]
    const next = parts.map(({ key, render }) => {
      const at = spare.findIndex((one) => one.key === key)
      const [kept] = at === -1 ? [] : spare.splice(at, 1)
      return kept ?? { key, node: render() }
    })
    keepFocus(holder, () => {
      for (const { node } of spare) node.parentNode?.removeChild(node)
      // A node that stands where it belongs is not touched: moving it would take the focus from it.
      let cursor = holder.firstChild
      for (const { node } of next) {
        if (node === cursor) cursor = cursor.nextSibling
        else holder.insertBefore(node, cursor)
      }
    })
    shown = next
  }
}

const focusable = 'a[href], button, input, select, textarea, [tabindex]'

/**
 * Where the focused element is replaced, its successor gets the focus: the one of the same name, else the one in the same
 * place, else whatever holds them all.
 *
 * @param {HTMLElement} holder
 * @param {() => void} change
 */
function keepFocus(holder, change) {
  const active = document.activeElement
  if (!(active instanceof HTMLElement) || !holder.contains(active)) {
    change()
    return
  }
  const name = nameOf(active)
  const at = focusableIn(holder).indexOf(active)
  change()
  if (holder.contains(active)) return
  const now = focusableIn(holder)
  const outer = holder.closest('[tabindex]')
  const heir = now.find((one) => nameOf(one) === name) ?? now[Math.min(at, now.length - 1)] ?? outer
  if (heir instanceof HTMLElement) heir.focus({ preventScroll: true })
}

/** @type {(holder: HTMLElement) => HTMLElement[]} */
const focusableIn = (holder) =>
  [...holder.querySelectorAll(focusable)].filter((one) => one instanceof HTMLElement)

/** @type {(node: HTMLElement) => string} */
const nameOf = (node) => node.getAttribute('aria-label') ?? node.textContent ?? ''
