/** The port `Draw`: charts as PNG files, drawn in a thread of their own. One takes longer than whoever else asks may wait. */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { BarChart, SeriesChart } from '../domain/chart/chart.ts'
import type { Draw } from '../flow/ports/ports.ts'

/** What the thread is asked, one chart at a time; it answers with the bytes of the PNG. */
export type Drawing =
  | { readonly of: 'series'; readonly chart: SeriesChart }
  | { readonly of: 'bars'; readonly chart: BarChart }

/** Far longer than any chart takes: what goes on for so long never ends. */
const drawMsMax = 30_000
/** A picture takes a tenth of it. What needs more ends its thread, and not the process. */
const heapMbMax = 256

/** Nothing is loaded before the first picture, and nothing keeps the process alive between two. */
export function openDraw(): Draw {
  let thread: Worker | null = null
  let turn: Promise<unknown> = Promise.resolve()

  function open(): Worker {
    const worker = new Worker(new URL('./draw-thread.ts', import.meta.url), {
      // It is told all that it needs, and no secret.
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: heapMbMax },
    })
    const forget = () => {
      if (thread === worker) thread = null
    }
    // At once, for it takes its time to end, and the next chart is not given to it.
    worker.once('error', forget)
    worker.once('exit', forget)
    return worker
  }

  async function drawNow(drawing: Drawing): Promise<Uint8Array> {
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
    }
  }

  function draw(drawing: Drawing): Promise<Uint8Array> {
    const drawn = turn.then(() => drawNow(drawing))
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

async function endOf(worker: Worker, { signal }: AbortController): Promise<never> {
  await once(worker, 'exit', { signal })
  throw new Error('a chart was not drawn: its thread took too long, or ended')
}
