/** Programs of this machine that a test runs for real: found, started, signalled, started anew, and gone at its end. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { request } from 'undici'
import { type TestContext, vi } from 'vitest'
import { endWithUs } from '../../support/end-with-us.ts'
import { patienceMs } from '../../support/patience.ts'

/** As a test function gets it. */
export type Ending = Pick<TestContext, 'onTestFinished'>

/** Each with the package of Debian that brings it. */
const packages = {
  openssl: 'openssl',
  prometheus: 'prometheus',
  promtool: 'prometheus',
  'prometheus-alertmanager': 'prometheus-alertmanager',
  amtool: 'prometheus-alertmanager',
  'prometheus-node-exporter': 'prometheus-node-exporter',
  'victoria-metrics': 'victoria-metrics',
  vmalert: 'victoria-metrics',
} as const

export type Program = keyof typeof packages

function pathOf(program: Program): string | undefined {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, program))
    .find((path) => existsSync(path))
}

const told = new Set<string>()

/**
 * For `test.skipIf(lacks('prometheus'))`: says so loudly, once for each. Where everything must be tested (`CI=true`) nothing is
 * skipped, and the tests fail.
 */
export function lacks(...programs: readonly Program[]): boolean {
  const missing = programs.filter((program) => pathOf(program) === undefined)
  for (const program of missing) {
    if (told.has(program)) continue
    told.add(program)
    const how = `apt-get install --no-install-recommends ${packages[program]}`
    process.stderr.write(`NOT TESTED: no ${program} on this machine; ${how}\n`)
  }
  return missing.length > 0 && process.env.CI !== 'true'
}

function foundPath(program: Program): string {
  const path = pathOf(program)
  if (path === undefined) throw new Error(`there is no ${program} on this machine`)
  return path
}

/** Runs it to its end; rejects where that is not a good one. */
export async function run(program: Program, args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(foundPath(program), args, { timeout: patienceMs })
  return stdout
}

/** A folder of its own, for as long as the test. */
export function tempFolder({ onTestFinished }: Ending): string {
  const folder = mkdtempSync(join(tmpdir(), 'monbot-engine-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export type Running = {
  /** Without a slash at the end. */
  readonly url: string
  signal(signal: NodeJS.Signals): void
  /** At once, without a chance to tidy up. */
  kill(): Promise<void>
  /** Starts it anew where it was, once it is gone; resolves when it answers. */
  restart(): Promise<void>
}

/** Resolves when `readyPath` answers with 200. */
export async function start(
  { onTestFinished }: Ending,
  parts: {
    readonly program: Program
    readonly args: readonly string[]
    readonly url: string
    readonly readyPath: string
  },
): Promise<Running> {
  const { program, args, url, readyPath } = parts
  const path = foundPath(program)
  let child: ChildProcess
  let said = ''

  async function kill(): Promise<void> {
    child.kill('SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  }

  async function begin(): Promise<void> {
    child = spawn(path, args, { stdio: ['ignore', 'ignore', 'pipe'] })
    endWithUs(child)
    child.stderr?.on('data', (chunk) => {
      said = (said + String(chunk)).slice(-2_000)
    })
    // Not `expect.poll`: this also runs for tests that run side by side, and each of those has an `expect` of its own.
    const ready = async () => {
      if (child.exitCode !== null) throw new Error(`${program} ended with ${child.exitCode}: ${said}`)
      return answers(url + readyPath)
    }
    await vi.waitUntil(ready, { timeout: patienceMs, interval: 50 })
  }

  onTestFinished(kill)
  await begin()
  return {
    url,
    signal: (signal) => void child.kill(signal),
    kill,
    async restart() {
      await kill()
      await begin()
    },
  }
}

async function answers(url: string): Promise<boolean> {
  try {
    const response = await request(url, { signal: AbortSignal.timeout(2_000) })
    await response.body.dump()
    return response.statusCode === 200
  } catch {
    return false
  }
}
