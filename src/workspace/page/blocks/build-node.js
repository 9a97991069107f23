/**
 * Builds DOM nodes. Whatever comes in as a string ends as text or as a plain attribute; nothing is ever parsed as HTML.
 *
 * @typedef {Node | string | null | undefined | false} Child
 */

import { harmless } from '../html.js'

export { harmless }

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, string | boolean | undefined>} [attributes] `true` is an attribute without a value; `false`
 *   and undefined are none. Style and event attributes are refused, addresses go through `safe-url.js` first.
 * @param {Child[]} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function build(tag, attributes = {}, ...children) {
  const node = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue
    if (name === 'style' || name.startsWith('on'))
      throw new Error(`expected an attribute that is no code, got ${name}`)
    node.setAttribute(name, value === true ? '' : harmless(value))
  }
  node.append(...nodesOf(children))
  return node
}

/** @param {Child[]} children @returns {(Node | string)[]} */
export function nodesOf(children) {
  return children.flatMap((child) => {
    if (child === null || child === undefined || child === false) return []
    return [typeof child === 'string' ? harmless(child) : child]
  })
}

let last = 0

/** An id that no other element of this page has.  @type {(what: string) => string} */
export function freshId(what) {
  last += 1
  return `bk-${what}-${last}`
}
