/** Runs the demo as people do: as a process on a free port, which ends after the test with all that it has started. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { compiled } from './compiled.ts'
import { endWithUs } from './end-with-us.ts'
import { freePort } from './free-port.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

/**
 * Starts the demo. `said`: all output and errors so far; `stop` and `ended` return the exit code; `port` is a free one unless
 * given.
 */
export async function startDemo(options: readonly string[], path = process.env.PATH ?? '', port?: number) {
  const folder = mkdtempSync(join(tmpdir(), 'monbot-demo-test-'))
  const child = spawn(process.execPath, ['--disable-warning=UNDICI-ES', 'src/demo/main.ts', ...options], {
    cwd: root,
    env: { PATH: path, ...compiled, TMPDIR: folder, PORT: String(port ?? (await freePort())) },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own, so that nothing of it can outlive the test.
    detached: true,
  })
  endWithUs(child)
  const ended = once(child, 'close')
  onTestFinished(async () => {
    // Asked to stop, it stops what it has started.
    child.kill('SIGTERM')
    await ended
    endGroup(child.pid)
    rmSync(folder, { recursive: true, force: true })
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
    /** Ends it without a chance to tidy up. */
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
    /** What it keeps in the temporary folder. */
    kept: () => readdirSync(folder).filter((name) => name.startsWith('monbot-demo-')),
  }
}

function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // Nobody is left in it.
  }
}
