import { useState } from 'preact/hooks'

let last = 0

/** An id that no other element of the page has. Preact's own ids start over whenever the page is drawn from its root. */
export function useFreshId() {
  return useState(() => {
    last += 1
    return `id-${last}`
  })[0]
}
