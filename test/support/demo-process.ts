/** The demo as people start it: a process of its own, on a free port, gone after the test. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { freePort } from '../service/scrape/node-exporter.ts'
import { compiled } from './compiled.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** `said`: all that it has written, output and errors together; `stop` answers its exit code. */
export async function startDemo(options: readonly string[], path = process.env.PATH ?? '') {
  const child = spawn(process.execPath, ['src/demo.ts', ...options], {
    cwd: root,
    env: { PATH: path, ...compiled, PORT: String(await freePort()) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'close')
  onTestFinished(async () => {
    // Asked to stop, it stops what it has started.
    child.kill('SIGTERM')
    await ended
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
  }
  return {
    said: () => said,
    ended: ended.then(([code]) => code as number | null),
    async stop() {
      child.kill('SIGTERM')
      return (await ended)[0] as number | null
    },
  }
}
