/**
 * What is pressed: buttons, and the overflow menu, a `⋯` button with up to five options.
 *
 * @import { ComponentChildren } from 'preact'
 * @import { ElementProps, Shown } from './render-context.js'
 * @typedef {{ name: string, detail?: string, choose: () => void }} MenuItem
 */
import { useRef } from 'preact/hooks'
import { html, useFreshId } from '../html.js'
import { Acting, useAct } from './act.js'
import { fieldsIn, linkUrl, stringOf } from './fields.js'
import { plainTextOf } from './text.js'

const styles = new Map([
  ['primary', 'bk-primary'],
  ['danger', 'bk-danger'],
])

/** One with a `url` is a link that also tells the bot.  @type {(props: ElementProps) => Shown} */
export function Button({ element, spot }) {
  const { progress, act } = useAct(element, spot)
  const href = linkUrl(stringOf(element.url))
  const props = {
    class: `bk-button ${styles.get(stringOf(element.style)) ?? ''}`,
    'aria-label': stringOf(element.accessibility_label) || undefined,
    onClick: () => void act(),
  }
  const words = plainTextOf(element.text)
  return html`
    <${Acting} progress=${progress}>
      ${
        href === undefined
          ? html`<button type="button" ...${props}>${words}</button>`
          : html`<a href=${href} target="_blank" rel="noopener noreferrer" ...${props}>${words}</a>`
      }
    <//>
  `
}

/** The choice is the option's value.  @type {(props: ElementProps) => Shown} */
export function Overflow({ element, spot }) {
  const { progress, act } = useAct(element, spot)
  const items = fieldsIn(element.options).map(({ text, value }) => ({
    name: plainTextOf(text),
    choose: () => void act(stringOf(value)),
  }))
  return html`
    <${Acting} progress=${progress}>
      <${Menu} label="More actions" class="bk-button bk-overflow" items=${items}>⋯<//>
    <//>
  `
}

/**
 * A button with a menu: arrow keys walk it, Enter and Space choose, Escape and a press elsewhere close it.
 *
 * @param {{ label: string, class: string, items: MenuItem[], children?: ComponentChildren }} props What the button shows
 *   are the children.
 * @returns {Shown}
 */
export function Menu({ label, class: className, items, children }) {
  const id = useFreshId()
  const menu = /** @type {{ current: HTMLElement | null }} */ (useRef(null))
  /** @type {(at: number) => void} */
  const focus = (at) => {
    const entry = menu.current?.children[(at + items.length) % items.length]
    if (entry instanceof HTMLElement) entry.focus()
  }

  /** @type {(event: KeyboardEvent) => void} */
  function open(event) {
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
    event.preventDefault()
    if (event.currentTarget instanceof HTMLElement) menu.current?.showPopover({ source: event.currentTarget })
    if (event.key === 'ArrowUp') focus(-1)
  }

  /** @type {(event: KeyboardEvent) => void} */
  function walk(event) {
    const at = [...(menu.current?.children ?? [])].findIndex((entry) => entry.matches(':focus'))
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[event.key]
    if (event.key === 'Tab') menu.current?.hidePopover()
    if (to === undefined) return
    event.preventDefault()
    focus(to)
  }

  return html`
    <button
      type="button"
      class=${className}
      popovertarget=${id}
      aria-haspopup="menu"
      aria-label=${label}
      title=${label}
      onKeyDown=${open}
    >
      ${children}
    </button>
    <div class="bk-popup" id=${id} ref=${menu} popover="auto" role="menu" aria-label=${label} onKeyDown=${walk}>
      ${items.map(
        ({ name, detail, choose }, at) => html`
          <button
            type="button"
            role="menuitem"
            tabindex="-1"
            class="bk-menu-item"
            autofocus=${at === 0}
            onClick=${() => {
              menu.current?.hidePopover()
              choose()
            }}
          >
            <span>${name}</span>
            ${detail && html`<span class="bk-description soft">${detail}</span>`}
          </button>
        `,
      )}
    </div>
  `
}
