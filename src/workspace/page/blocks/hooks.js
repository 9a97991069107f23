/** State that elements share. */
import { useState } from 'preact/hooks'

let last = 0

/** An id that no other element of the page has. Preact's own are unique only within one root. */
export function useFreshId() {
  return useState(() => {
    last += 1
    return `bk-${last}`
  })[0]
}

/**
 * State that starts over when what it belongs to changes: a select of an updated card shows no old choice.
 *
 * @template State
 * @param {unknown} owner JSON
 * @param {State} start
 * @returns {[state: State, set: (state: State) => void]} Setting it for an owner that has changed since does nothing.
 */
export function useStateOf(owner, start) {
  const key = JSON.stringify(owner)
  const [held, setHeld] = useState({ key, state: start })
  return [held.key === key ? held.state : start, (state) => setHeld({ key, state })]
}
