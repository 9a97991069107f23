/** Implements the port `Draw`: renders charts as PNG in a separate thread, because other requests must not wait that long. */
import { once } from 'node:events'
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { OutsideFailure } from '../domain/base/failure.ts'
import type { BarChart, SeriesChart } from '../domain/chart/chart.ts'
import type { Draw } from '../flow/ports/ports.ts'

/** A request to the thread, one chart at a time; it answers with the bytes of the PNG. */
export type Drawing =
  | { readonly of: 'series'; readonly chart: SeriesChart }
  | { readonly of: 'bars'; readonly chart: BarChart }

/** Limits of the drawing thread; tests pass smaller ones. */
type DrawLimits = {
  /** An idle thread ends after this long, as renderer and fonts hold dozens of MB; the next chart starts another one. */
  readonly idleMs: number
  /** A chart that has waited this long is dropped: its caller has given up by then. */
  readonly waitMs: number
  /** Longest queue. */
  readonly waitingMax: number
}

const usualLimits: DrawLimits = { idleMs: 30_000, waitMs: 15_000, waitingMax: 50 }
/** Far longer than any chart takes: after this, the drawing is considered stuck. */
const drawMsMax = 30_000
/** A chart takes a tenth of this. Exceeding it ends the thread, not the process. */
const heapMbMax = 256

/**
 * Opens the drawing thread with the first chart; it does not keep the process alive. If too many charts are waiting, it throws an
 * `OutsideFailure` of the kind `rate_limited`.
 */
export function openDraw({ idleMs, waitMs, waitingMax }: DrawLimits = usualLimits): Draw {
  let thread: Worker | null = null
  let turn: Promise<unknown> = Promise.resolve()
  let waiting = 0
  let stopIdling = () => {}

  function open(): Worker {
    const worker = new Worker(new URL(`./draw-thread${extname(import.meta.filename)}`, import.meta.url), {
      // The thread gets no environment, and so no secret.
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: heapMbMax },
    })
    // Forgotten at once: ending takes time, and the next chart must not go to this thread.
    worker.once('error', () => forget(worker))
    worker.once('exit', () => forget(worker))
    return worker
  }

  function forget(worker: Worker): void {
    if (thread === worker) thread = null
  }

  /** Ends the thread unless it gets something to draw first. */
  function startIdling(worker: Worker): void {
    const idle = AbortSignal.timeout(idleMs)
    const end = () => {
      forget(worker)
      void worker.terminate()
    }
    idle.addEventListener('abort', end)
    stopIdling = () => idle.removeEventListener('abort', end)
  }

  async function drawNow(drawing: Drawing): Promise<Uint8Array> {
    stopIdling()
    const worker = thread ?? open()
    thread = worker
    worker.ref()
    const over = new AbortController()
    const late = AbortSignal.timeout(drawMsMax)
    const end = () => void worker.terminate()
    late.addEventListener('abort', end)
    try {
      worker.postMessage(drawing)
      // A chart that cannot be drawn ends the thread with its error; the next chart gets a new one.
      const [png] = await Promise.race([once(worker, 'message', over), endOf(worker, over)])
      return png as Uint8Array
    } finally {
      over.abort()
      late.removeEventListener('abort', end)
      worker.unref()
      startIdling(worker)
    }
  }

  async function draw(drawing: Drawing): Promise<Uint8Array> {
    if (waiting >= waitingMax) throw tooMany()
    waiting += 1
    const tooLate = AbortSignal.timeout(waitMs)
    const drawn = turn.then(() => {
      waiting -= 1
      if (tooLate.aborted) throw tooMany()
      return drawNow(drawing)
    })
    turn = drawn.then(
      () => undefined,
      () => undefined,
    )
    return drawn
  }

  return {
    series: (chart) => draw({ of: 'series', chart }),
    bars: (chart) => draw({ of: 'bars', chart }),
  }
}

function tooMany(): OutsideFailure {
  return new OutsideFailure('rate_limited', 'monbot is busy with other pictures')
}

async function endOf(worker: Worker, { signal }: AbortController): Promise<never> {
  await once(worker, 'exit', { signal })
  throw new Error('a chart was not drawn: its thread took too long, or ended')
}
