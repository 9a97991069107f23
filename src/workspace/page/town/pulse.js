/**
 * Runs something again and again while an element can be seen: once at once, then `everyMs` after the last run ended, and
 * at once when it comes back into view. Nothing runs twice at the same time, and nothing while the tab is hidden.
 */

/**
 * @param {Element} element
 * @param {number} everyMs
 * @param {() => Promise<void>} run must not reject
 * @returns {{ now(): void, stop(): void }}
 */
export function startPulse(element, everyMs, run) {
  let isInView = false
  let isRunning = false
  let isWantedAgain = false
  let isStopped = false
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer

  const isSeen = () => isInView && document.visibilityState === 'visible' && !isStopped

  async function beat() {
    clearTimeout(timer)
    if (!isSeen()) return
    if (isRunning) {
      isWantedAgain = true
      return
    }
    isRunning = true
    await run()
    isRunning = false
    if (isStopped) return
    timer = setTimeout(now, isWantedAgain ? 0 : everyMs)
    isWantedAgain = false
  }

  function now() {
    void beat()
  }

  const observer = new IntersectionObserver((entries) => {
    const wasInView = isInView
    isInView = entries.at(-1)?.isIntersecting === true
    if (isInView && !wasInView) now()
  })
  observer.observe(element)
  document.addEventListener('visibilitychange', now)

  return {
    now,
    stop() {
      isStopped = true
      clearTimeout(timer)
      observer.disconnect()
      document.removeEventListener('visibilitychange', now)
    },
  }
}
