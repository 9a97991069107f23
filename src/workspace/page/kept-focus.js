/** Keeps the focus where somebody works while what they work on changes. */
import { useLayoutEffect } from 'preact/hooks'

const focusable = 'a[href], button, input, select, textarea'

/**
 * Where the focused element goes, its successor gets the focus: in the same child of the holder the one of the same name,
 * else the one in the same place, else what holds them; where the child itself goes, the one that takes its place.
 *
 * @param {{ readonly current: HTMLElement | null }} holder
 * @param {string} [part] Of a child, where successors are; else all of it.
 */
export function useKeptFocus(holder, part) {
  const before = focusIn(holder.current, part)
  useLayoutEffect(() => {
    if (before === undefined || before.active.isConnected || document.activeElement !== document.body) return
    const { child, childAt, name, at } = before
    const rest = holder.current?.children ?? []
    const here = child.isConnected ? focusableIn(child, part) : []
    const heir =
      here.find((one) => nameOf(one) === name) ??
      here[Math.min(at, here.length - 1)] ??
      (child.isConnected ? child : rest[Math.min(childAt, rest.length - 1)])?.closest('[tabindex]')
    if (heir instanceof HTMLElement) heir.focus({ preventScroll: true })
  })
}

/** @type {(holder: HTMLElement | null, part: string | undefined) => { active: Element, child: Element, childAt: number, name: string, at: number } | undefined} */
function focusIn(holder, part) {
  const active = document.activeElement
  if (holder === null || active === null || !holder.contains(active)) return undefined
  const childAt = [...holder.children].findIndex((one) => one.contains(active))
  const child = holder.children[childAt]
  if (child === undefined) return undefined
  return { active, child, childAt, name: nameOf(active), at: focusableIn(child, part).indexOf(active) }
}

/** @type {(child: Element, part: string | undefined) => Element[]} */
function focusableIn(child, part) {
  const root = (part && child.querySelector(part)) || child
  return [...root.querySelectorAll(focusable)].filter((one) => one.checkVisibility())
}

/** @type {(node: Element) => string} */
const nameOf = (node) => node.getAttribute('aria-label') ?? node.textContent ?? ''
