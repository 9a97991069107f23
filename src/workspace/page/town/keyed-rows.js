/** Keeps the children of a node in step with a list: a child that is known stays the node it is, with its focus. */

/**
 * @template Item
 * @param {Element} parent holds nothing but these rows
 * @param {{ key(item: Item, at: number): string, create(item: Item): { element: Element, show(item: Item): void } }} parts
 * @returns {(items: readonly Item[]) => void}
 */
export function keepRows(parent, { key, create }) {
  /** @type {Map<string, { element: Element, show(item: Item): void }>} */
  let rows = new Map()
  return (items) => {
    /** @type {typeof rows} */
    const next = new Map()
    for (const [at, item] of items.entries()) {
      const name = key(item, at)
      const row = next.get(name) ?? rows.get(name) ?? create(item)
      row.show(item)
      next.set(name, row)
    }
    for (const [name, { element }] of rows) if (!next.has(name)) element.remove()
    let place = parent.firstElementChild
    for (const { element } of next.values()) {
      if (element === place) place = place.nextElementSibling
      else parent.insertBefore(element, place)
    }
    rows = next
  }
}

/** Writes only what is new, so that a reader is not disturbed. @param {Element} element @param {string} text */
export function writeText(element, text) {
  if (element.textContent !== text) element.textContent = text
}
