/** The port `Draw`: charts as PNG files, drawn in a thread of their own. One takes longer than whoever else asks may wait. */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { OutsideFailure } from '../domain/base/failure.ts'
import type { BarChart, SeriesChart } from '../domain/chart/chart.ts'
import type { Draw } from '../flow/ports/ports.ts'

/** What the thread is asked, one chart at a time; it answers with the bytes of the PNG. */
export type Drawing =
  | { readonly of: 'series'; readonly chart: SeriesChart }
  | { readonly of: 'bars'; readonly chart: BarChart }

/** Tests pass smaller ones. */
export type DrawLimits = {
  /** A thread without work for this long ends, as renderer and fonts hold dozens of MB; the next chart starts another one. */
  readonly idleMs: number
  /** A chart that could not be begun for this long is given up: whoever asked for it has gone on. */
  readonly waitMs: number
  /** More charts than this do not wait. */
  readonly waitingMax: number
}

const usualLimits: DrawLimits = { idleMs: 30_000, waitMs: 15_000, waitingMax: 50 }
/** Far longer than any chart takes: what goes on for so long never ends. */
const drawMsMax = 30_000
/** A picture takes a tenth of it. What needs more ends its thread, and not the process. */
const heapMbMax = 256

/**
 * Nothing is loaded before the first picture, and nothing keeps the process alive between two. Where too many are asked for
 * at once, it throws an `OutsideFailure` of the kind `rate_limited`.
 */
export function openDraw({ idleMs, waitMs, waitingMax }: DrawLimits = usualLimits): Draw {
  let thread: Worker | null = null
  let turn: Promise<unknown> = Promise.resolve()
  let waiting = 0
  let stopIdling = () => {}

  function open(): Worker {
    const worker = new Worker(new URL('./draw-thread.ts', import.meta.url), {
      // It is told all that it needs, and no secret.
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: heapMbMax },
    })
    // At once, for it takes its time to end, and the next chart is not given to it.
    worker.once('error', () => forget(worker))
    worker.once('exit', () => forget(worker))
    return worker
  }

  function forget(worker: Worker): void {
    if (thread === worker) thread = null
  }

  /** Ends the thread unless it is given something to draw before. */
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
      // What it cannot draw ends the thread with its error; the next chart has a new one.
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
