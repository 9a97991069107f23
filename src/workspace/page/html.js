/**
 * `html`, in which the whole page is written: Preact's elements without a build step. Text and attributes come out as
 * they went in but for what hides or turns around other text, and nothing is ever parsed as HTML.
 *
 * @import { ComponentChildren } from 'preact'
 */
import { html } from 'htm/preact'
import { Component, options } from 'preact'
import { useState } from 'preact/hooks'

export { html }

// Control characters, separators and format characters: they hide things or turn the direction of writing for all that
// follows. The line feed, the tab and the joiner with which emoji are made stay.
const unsafe = /[[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]--[\n\t\u200d]]/gv

// Nearly all text is plain, and the page makes thousands of pieces of it.
const plain = /^[\x20-\x7e]*$/

/** Text that cannot disguise what stands around it.  @type {(text: string) => string} */
export const harmless = (text) => (plain.test(text) ? text : text.toWellFormed().replace(unsafe, ''))

// Preact calls this for every element and for every piece of text, whoever made it.
options.vnode = (vnode) => {
  if (typeof vnode.type === 'function') return
  // Those of a text are the text itself.
  /** @type {unknown} */
  const props = vnode.props
  if (typeof props === 'string') Object.assign(vnode, { props: harmless(props) })
  if (typeof vnode.type !== 'string') return
  /** @type {Record<string, unknown>} */
  const attributes = vnode.props
  for (const name in attributes) {
    const value = attributes[name]
    if (name === 'dangerouslySetInnerHTML') throw new Error('expected elements and text, got HTML')
    // A value is what a person types, and children are text of their own.
    if (typeof value === 'string' && name !== 'value' && name !== 'children')
      attributes[name] = harmless(value)
  }
}

/**
 * A component that is drawn again only when one of its properties is another one.
 *
 * @template {object} Props
 * @param {(props: Props) => ComponentChildren} draw
 */
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

/** An id that no other element of the page has. Preact's own ids start over whenever the page is drawn from its root. */
export function useFreshId() {
  return useState(() => {
    lastId += 1
    return `id-${lastId}`
  })[0]
}
