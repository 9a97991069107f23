/** Keeps the focus where somebody works while what they work on changes. */
import { useLayoutEffect } from 'preact/hooks'

const focusable = 'a[href], button, input, select, textarea'

/**
 * Where the focused element goes, its successor gets the focus: in the same child of the holder the one of the same name,
 * else the one in the same place, else whatever holds them; where the child itself goes, the one that takes its place.
 *
 * @param {{ readonly current: HTMLElement | null }} holder
 */
export function useKeptFocus(holder) {
  const before = focusIn(holder.current)
  useLayoutEffect(() => {
    if (before === undefined || before.active.isConnected || document.activeElement !== document.body) return
    const { child, childAt, name, at } = before
    const rest = holder.current?.children ?? []
    const here = child.isConnected ? focusableIn(child) : []
    const heir =
      here.find((one) => nameOf(one) === name) ??
      here[Math.min(at, here.length - 1)] ??
      (child.isConnected ? child : rest[Math.min(childAt, rest.length - 1)])?.closest('[tabindex]')
    if (heir instanceof HTMLElement) heir.focus({ preventScroll: true })
  })
}

/** @type {(holder: HTMLElement | null) => { active: Element, child: Element, childAt: number, name: string, at: number } | undefined} */
function focusIn(holder) {
  const active = document.activeElement
  if (holder === null || active === null || !holder.contains(active)) return undefined
  const children = [...holder.children]
  const childAt = children.findIndex((one) => one.contains(active))
  const child = children[childAt]
  if (child === undefined) return undefined
  return { active, child, childAt, name: nameOf(active), at: focusableIn(child).indexOf(active) }
}

/** @type {(root: Element) => Element[]} */
const focusableIn = (root) => [...root.querySelectorAll(focusable)]

/** @type {(node: Element) => string} */
const nameOf = (node) => node.getAttribute('aria-label') ?? node.textContent ?? ''
