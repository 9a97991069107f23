/**
 * Draws charts as PNG of 1080 x 540 in a thread of its own, since one takes about 100 ms and nobody else shall wait for it. The thread
 * begins with the first chart and ends when it has had none for a while, as renderer and fonts hold dozens of MB.
 */
import { once } from 'node:events'
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { second } from '../clock.ts'
import type { Chart } from './chart.ts'

export type Draw = (chart: Chart) => Promise<Uint8Array>

const idleMs = 30 * second
const withinMs = 15 * second
const waitingMax = 20
const heapMbMax = 256

/** One chart at a time; throws where too many wait, or one takes too long. */
function openDraw(): Draw {
  let thread: Worker | null = null
  let idle: NodeJS.Timeout | null = null
  let turn: Promise<unknown> = Promise.resolve()
  let waiting = 0

  function end(worker: Worker): void {
    if (thread === worker) thread = null
    void worker.terminate()
  }

  function open(): Worker {
    const file = new URL(`./draw-thread${extname(import.meta.filename)}`, import.meta.url)
    // It gets no environment, and so no secret.
    const limits = { maxOldGenerationSizeMb: heapMbMax }
    const worker = new Worker(file, { env: {}, resourceLimits: limits })
    worker.on('error', () => end(worker))
    return worker
  }

  async function draw(chart: Chart): Promise<Uint8Array> {
    if (idle !== null) clearTimeout(idle)
    const worker = thread ?? open()
    thread = worker
    worker.ref()
    try {
      const answer = once(worker, 'message', { signal: AbortSignal.timeout(withinMs) })
      worker.postMessage(chart)
      const [png]: unknown[] = await answer
      if (!(png instanceof Uint8Array))
        throw new Error('expected a PNG of the drawing thread; came something else')
      worker.unref()
      idle = setTimeout(() => end(worker), idleMs).unref()
      return png
    } catch (error) {
      end(worker)
      throw error
    }
  }

  return (chart) => {
    if (waiting >= waitingMax)
      return Promise.reject(new Error(`${waitingMax} charts wait to be drawn already`))
    waiting += 1
    const drawn = turn.then(() => draw(chart))
    const over = () => {
      waiting -= 1
    }
    turn = drawn.then(over, over)
    return drawn
  }
}

/** The process has one drawing thread. */
export const drawChart: Draw = openDraw()
