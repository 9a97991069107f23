/** `npm run service` as a real process of its own. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { compiled } from '../support/compiled.ts'
import { endWithUs } from '../support/end-with-us.ts'
import { patienceMs } from '../support/patience.ts'

const entry = fileURLToPath(new URL('../../src/service/main.ts', import.meta.url))

/** A process that has said nothing useful by then never will. */

export type Process = {
  readonly url: string
  /** The same of the control API. */
  readonly controlUrl: string
  /** All that it printed until it listened. */
  readonly printed: string
  signal(signal: NodeJS.Signals): void
  /** All that it has complained about so far. */
  complaints(): string
  /** Ends it without a chance to tidy up. */
  kill(): Promise<void>
  /** Asks it to end, and answers its exit code. */
  stop(): Promise<number | null>
  /** When it ends by itself: with which code, and what it had complained about. */
  readonly ended: Promise<{ readonly code: number | null; readonly complained: string }>
}

/** On a free port. Rejects where the process ends before it listens. `fileKibMax`: the disk is full when a file is as large. */
export async function startService(
  env: Readonly<Record<string, string>>,
  { fileKibMax }: { readonly fileKibMax?: number } = {},
): Promise<Process> {
  const [command = '', ...args] = [
    ...(fileKibMax === undefined ? [] : ['bash', '-c', `ulimit -f ${fileKibMax}; exec "$@"`, 'limited']),
    process.execPath,
    entry,
  ]
  const child = spawn(command, args, {
    env: { PATH: process.env.PATH, PORT: '0', MONITOR_CONTROL_PORT: '0', ...compiled, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  endWithUs(child)
  const ended = once(child, 'exit')
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  let printed = ''
  let complained = ''
  child.stderr.on('data', (chunk) => {
    complained += String(chunk)
  })
  const listening = Promise.withResolvers<string>()
  const timer = setTimeout(() => listening.reject(new Error(`it did not listen: ${complained}`)), patienceMs)
  child.stdout.on('data', (chunk) => {
    printed += String(chunk)
    const url = /^monitoring service \S+ on (\S+)/.exec(printed)?.[1]
    if (url !== undefined && printed.includes('curl')) listening.resolve(url)
  })
  ended.then(
    ([code]) => listening.reject(new Error(`it ended with ${String(code)}: ${complained}`)),
    listening.reject,
  )
  const url = await listening.promise.finally(() => clearTimeout(timer))
  return {
    url,
    controlUrl: /^control, for this machine only: (\S+)\/control\/state$/m.exec(printed)?.[1] ?? '',
    printed,
    ended: ended.then(([code]) => ({ code: typeof code === 'number' ? code : null, complained })),
    signal: (signal) => void child.kill(signal),
    complaints: () => complained,
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
    async stop() {
      child.kill('SIGTERM')
      const [code] = await ended
      return typeof code === 'number' ? code : null
    },
  }
}
