/**
 * `html`, in which the whole page is written: Preact's elements without a build step. Text and attributes come out as
 * they went in but for what hides or turns around other text, and nothing is ever parsed as HTML.
 *
 * @import { ComponentChildren } from 'preact'
 */
import { html } from 'htm/preact'
import { Component, options } from 'preact'
import { useLayoutEffect, useState } from 'preact/hooks'

export { html }

// Control characters, separators and format characters: they hide things or turn the direction of writing for all that
// follows. The line feed, the tab and the joiner with which emoji are made stay.
const unsafe = /[[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]--[\n\t\u200d]]/gv

/** Text that cannot disguise what stands around it.  @type {(text: string) => string} */
const harmless = (text) => (/^[\x20-\x7e]*$/.test(text) ? text : text.toWellFormed().replace(unsafe, ''))

// Preact calls this for every element and for every piece of text, whoever made it.
options.vnode = (vnode) => {
  /** @type {unknown} */
  const props = vnode.props
  // Those of a text are the text itself.
  if (typeof props === 'string') Object.assign(vnode, { props: harmless(props) })
  if (typeof vnode.type !== 'string') return
  const attributes = /** @type {Record<string, unknown>} */ (props)
  for (const [name, value] of Object.entries(attributes)) {
    if (name === 'dangerouslySetInnerHTML') throw new Error('expected elements and text, got HTML')
    // A value is what a person types, and children are text of their own.
    if (typeof value === 'string' && name !== 'value' && name !== 'children')
      attributes[name] = harmless(value)
  }
}

/** Drawn again only when one of its properties is another one.  @template {object} Props @param {(props: Props) => ComponentChildren} draw */
export const memo = (draw) =>
  /** @extends {Component<Props>} */
  class extends Component {
    /** @param {Readonly<Props>} next @override */
    shouldComponentUpdate(next) {
      for (const name in next) if (next[name] !== this.props[name]) return true
      return false
    }

    /** @override */
    render() {
      return draw(this.props)
    }
  }

let lastId = 0

/** An id that no other element of the page has. */
export function useFreshId() {
  return useState(() => {
    lastId += 1
    return `id-${lastId}`
  })[0]
}

/** Where what had the focus goes while its holder changes, what has its name or the first other control gets it.  @param {{ readonly current: HTMLElement | null }} holder */
export function useKeptFocus(holder) {
  const active = document.activeElement
  const before = active !== null && holder.current?.contains(active) ? active : undefined
  const name = before?.textContent
  useLayoutEffect(() => {
    if (before === undefined || before.isConnected || document.activeElement !== document.body) return
    const here = [...(holder.current?.querySelectorAll('button, select, input, textarea') ?? [])]
    const heir = here.find((one) => one.textContent === name) ?? here[0] ?? holder.current
    if (heir instanceof HTMLElement) heir.focus({ preventScroll: true })
  })
}
