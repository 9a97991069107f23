/**
 * A menu under a button: arrow keys walk it, Enter and Space choose, Escape and a press elsewhere close it.
 *
 * @typedef {{ name: string, detail?: string, choose: () => void }} MenuItem
 */
import { build } from '../blocks/build-node.js'
import { openPopup } from '../blocks/popup.js'

/**
 * Makes `button` open the menu of the items as they are at that moment.
 *
 * @param {HTMLButtonElement} button
 * @param {string} label
 * @param {() => MenuItem[]} items
 */
export function attachMenu(button, label, items) {
  button.setAttribute('aria-haspopup', 'menu')
  button.setAttribute('aria-expanded', 'false')
  /** @type {(() => void) | undefined} */
  let close
  button.addEventListener('click', () => {
    if (close !== undefined) {
      close()
      return
    }
    const menu = build('div', { class: 'menu', role: 'menu', popover: 'manual', 'aria-label': label })
    const entries = items().map(({ name, detail, choose }) => {
      const entry = build(
        'button',
        { type: 'button', role: 'menuitem', class: 'menu-item', tabindex: '-1' },
        build('span', {}, name),
        detail !== undefined && detail !== '' && build('span', { class: 'menu-detail' }, detail),
      )
      entry.addEventListener('click', () => {
        close?.()
        choose()
      })
      return entry
    })
    menu.append(...entries)
    menu.addEventListener('keydown', (event) => walk(event, entries))
    button.after(menu)
    button.setAttribute('aria-expanded', 'true')
    close = openPopup(button, menu, {
      onClose() {
        close = undefined
        button.setAttribute('aria-expanded', 'false')
        menu.remove()
      },
    })
    entries[0]?.focus()
  })
}

/** @type {(event: KeyboardEvent, entries: HTMLElement[]) => void} */
function walk(event, entries) {
  const at = entries.indexOf(/** @type {HTMLElement} */ (document.activeElement))
  const last = entries.length - 1
  /** @type {Record<string, number>} */
  const targets = {
    ArrowDown: at === last ? 0 : at + 1,
    ArrowUp: at <= 0 ? last : at - 1,
    Home: 0,
    End: last,
  }
  const target = targets[event.key]
  if (target === undefined) return
  event.preventDefault()
  entries[target]?.focus()
}
