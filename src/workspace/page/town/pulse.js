/** Work that repeats while it can be seen. */
import { useEffect, useRef } from 'preact/hooks'

/**
 * Runs something while an element can be seen: at once, then `everyMs` after the last run ended, and at once when it comes
 * back into view. Nothing runs twice at the same time, and nothing while the tab is hidden.
 *
 * @param {{ current: Element | null }} element
 * @param {number} everyMs
 * @param {() => Promise<void>} run must not reject
 * @returns {() => void} runs it now, or again as soon as the current run is over
 */
export function usePulse(element, everyMs, run) {
  const latest = useRef(run)
  latest.current = run
  const now = useRef(() => {})

  useEffect(() => {
    let isInView = false
    let isRunning = false
    let isWantedAgain = false
    let isStopped = false
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer

    async function beat() {
      clearTimeout(timer)
      if (!isInView || isStopped || document.visibilityState !== 'visible') return
      isWantedAgain = isRunning
      if (isRunning) return
      isRunning = true
      await latest.current()
      isRunning = false
      if (!isStopped) timer = setTimeout(now.current, isWantedAgain ? 0 : everyMs)
    }

    now.current = () => void beat()
    const observer = new IntersectionObserver((entries) => {
      const wasInView = isInView
      isInView = entries.at(-1)?.isIntersecting === true
      if (isInView && !wasInView) now.current()
    })
    if (element.current !== null) observer.observe(element.current)
    document.addEventListener('visibilitychange', now.current)
    return () => {
      isStopped = true
      clearTimeout(timer)
      observer.disconnect()
      document.removeEventListener('visibilitychange', now.current)
    }
  }, [])

  return () => now.current()
}
