/** `html`, in which the whole page is written: Preact's elements without a build step. Nothing is ever parsed as HTML. */
import { html } from 'htm/preact'
import { useLayoutEffect } from 'preact/hooks'

export { html }

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
