/**
 * The live line to the workspace: everything that happens there, in order and without a gap, across lost connections. Where
 * the gap is too large to be filled from what the server remembers, or the server is a new one, it asks for a reload of the
 * state and goes on from there.
 *
 * @typedef {{ seq: number, atMs: number, event: { type: string } & Record<string, unknown> }} Happened
 */

/** Waits between attempts; the last one is repeated. */
const retryAfterMs = [250, 500, 1_000, 2_000, 4_000]
/** So many beats may be missed before the line counts as dead. */
const beatsMissedMax = 3
const usualBeatMs = 10_000

/**
 * @param {object} how
 * @param {() => { epoch: string, seq: number }} how.position Up to where the page knows everything.
 * @param {(happened: Happened) => void} how.onEvent
 * @param {() => Promise<void>} how.reload Loads the whole state again; rejects where the server cannot be reached.
 * @param {(isLive: boolean) => void} how.onStatus
 * @returns {{ start(): void, retryNow(): void }}
 */
export function openLine({ position, onEvent, reload, onStatus }) {
  /** @type {EventSource | undefined} */
  let source
  let failures = 0
  let retryTimer = 0
  let watchTimer = 0
  let beatMs = usualBeatMs

  function start() {
    clearTimeout(retryTimer)
    source?.close()
    const opened = new EventSource(`/control/events?unnamed=1&since=${position().seq}`)
    source = opened
    watch()
    opened.addEventListener('hello', (hello) => {
      watch()
      /** @type {{ epoch: string, oldestSeq: number, beatMs: number }} */
      const heard = JSON.parse(hello.data)
      beatMs = heard.beatMs
      const known = position()
      const isWhole = heard.epoch === known.epoch && heard.oldestSeq <= known.seq + 1
      if (isWhole) {
        failures = 0
        onStatus(true)
        return
      }
      opened.close()
      reload().then(start, lose)
    })
    opened.addEventListener('beat', watch)
    opened.addEventListener('message', (message) => {
      watch()
      onEvent(JSON.parse(message.data))
    })
    opened.addEventListener('error', () => {
      if (source === opened) lose()
    })
  }

  function lose() {
    source?.close()
    source = undefined
    clearTimeout(watchTimer)
    clearTimeout(retryTimer)
    onStatus(false)
    const waitMs = retryAfterMs[Math.min(failures, retryAfterMs.length - 1)]
    failures += 1
    retryTimer = window.setTimeout(start, waitMs)
  }

  // A connection that died without a word (a laptop that slept, a server that hangs) is noticed by its silence.
  function watch() {
    clearTimeout(watchTimer)
    watchTimer = window.setTimeout(lose, beatMs * beatsMissedMax)
  }

  function retryNow() {
    failures = 0
    start()
  }

  window.addEventListener('online', retryNow)
  window.addEventListener('offline', lose)
  // A page that goes must not hold the server's connection until the browser gets round to it.
  window.addEventListener('pagehide', () => source?.close())
  window.addEventListener('pageshow', (event) => {
    if (event.persisted) retryNow()
  })

  return { start, retryNow }
}
