/**
 * How long `/healthz` keeps somebody waiting who asks every 20 ms, and beside it how long a process does that has nothing to
 * do: what the machine itself is late by. Asked from a thread of its own, so that nothing here is measured along.
 */
import { once } from 'node:events'
import { Agent, get } from 'node:http'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { firstWords, startBeside } from './beside.ts'

const everyMs = 20

export type Longest = { readonly botMs: number; readonly controlMs: number }

export type Watcher = {
  /** The longest waits since it was asked last, those that are not over counted as well. */
  longest(): Promise<Longest>
  close(): Promise<void>
}

const idle = `require('node:http').createServer((_, r) => r.end('{}')).listen(0, '127.0.0.1', function () { console.log(this.address().port) })`

/** While nobody listens at the port nothing is measured. */
export async function watchWaits(port: number): Promise<Watcher> {
  const control = startBeside(['-e', idle])
  const ports = [port, Number(await firstWords(control))]
  const worker = new Worker(new URL(import.meta.url), { workerData: ports })
  return {
    longest: async () => {
      worker.postMessage('longest')
      const [waits] = (await once(worker, 'message')) as [readonly number[]]
      return { botMs: waits[0] ?? Number.NaN, controlMs: waits[1] ?? Number.NaN }
    },
    close: async () => {
      control.kill()
      await worker.terminate()
    },
  }
}

if (!isMainThread) {
  const waits = (workerData as readonly number[]).map(watch)
  // Not before each has been asked once more: what is over sooner than that would seem to keep nobody waiting at all.
  parentPort?.on('message', () => {
    setTimeout(() => parentPort?.postMessage(waits.map((longest) => longest())), everyMs)
  })
}

function watch(port: number): () => number {
  const agent = new Agent({ keepAlive: true })
  const under = new Set<number>()
  let longestMs = 0
  const note = (fromMs: number) => {
    longestMs = Math.max(longestMs, performance.now() - fromMs)
  }
  setInterval(() => {
    const fromMs = performance.now()
    under.add(fromMs)
    const request = get({ port, host: '127.0.0.1', path: '/healthz', agent }, (response) => {
      response.resume()
      response.on('end', () => {
        under.delete(fromMs)
        note(fromMs)
      })
    })
    // Nobody listens there yet, or any more.
    request.on('error', () => under.delete(fromMs))
  }, everyMs)
  return () => {
    for (const fromMs of under) note(fromMs)
    const waitedMs = longestMs
    longestMs = 0
    return waitedMs
  }
}
