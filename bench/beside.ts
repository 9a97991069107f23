/** Starts the processes that a measurement has beside it. */
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { endWithUs } from '../test/support/end-with-us.ts'

export type Beside = ChildProcessByStdio<null, Readable, null>

/**
 * Starts Node with these words, in the project's folder. It ends with the measurement, however that ends: what a failed one leaves
 * behind holds its output open, and whoever reads that waits for ever.
 */
export function startBeside(words: readonly string[], env: NodeJS.ProcessEnv = process.env): Beside {
  const child = spawn(process.execPath, words, {
    cwd: new URL('..', import.meta.url),
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  endWithUs(child)
  return child
}

/** What it says first; throws if it ends without a word. */
export async function firstWords(child: Beside): Promise<string> {
  const over = new AbortController()
  const { signal } = over
  try {
    return await Promise.race([
      once(child.stdout, 'data', { signal }).then(([text]) => String(text).trim()),
      once(child, 'exit', { signal }).then(([code, how]) => {
        throw new Error(`expected a word of what runs beside; it ended with ${code ?? how}`)
      }),
    ])
  } finally {
    over.abort()
  }
}

/** The address in what the service says first. */
export async function addressOf(service: Beside): Promise<string> {
  const said = await firstWords(service)
  const [url] = /http:\/\/\S+?(?= )/.exec(said) ?? []
  if (url === undefined) throw new Error(`expected the address of the service; came ${JSON.stringify(said)}`)
  return url
}
