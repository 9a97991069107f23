/** Starts a process of the demo with its own settings, and stops it with the demo. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { realClock } from '../bot/clock.ts'

const extension = extname(import.meta.filename)
/** Far above what a start takes anywhere: it is for one that hangs, and a busy machine is none. */
const upWithinMs = 180_000
const lookEveryMs = 100
const stopWithinMs = 20_000
const answerWithinMs = 5_000

export async function isUp(url: string): Promise<boolean> {
  const answer = await fetch(url, { signal: AbortSignal.timeout(answerWithinMs) }).catch(() => undefined)
  await answer?.body?.cancel()
  return answer?.ok === true
}

export type TownProcess = {
  until(what: string, isSo: () => Promise<boolean>): Promise<void>
  stop(): Promise<void>
}

const endWithParent = `--import=${pathToFileURL(join(import.meta.dirname, `end-with-parent${extension}`)).href}`

/** Its `settings` are its whole environment: none of the user's own leaks in. Its errors go to this terminal. */
export function startProcess(
  name: string,
  entry: 'bot/main' | 'service/main' | 'workspace/main',
  settings: Record<string, string | undefined>,
): TownProcess {
  const file = join(import.meta.dirname, '..', `${entry}${extension}`)
  const options = { cwd: tmpdir(), env: settings, stdio: [...stdio, 'ipc' as const] }
  const child = spawn(process.execPath, [endWithParent, file], options)
  child.stderr?.on('data', (text: string) => process.stderr.write(text))
  return watched(name, child)
}

export function startProgram(name: string, file: string, args: readonly string[], path: string): TownProcess {
  return watched(name, spawn(file, args, { cwd: tmpdir(), env: { PATH: path }, stdio: [...stdio] }))
}

const stdio = ['ignore', 'pipe', 'pipe'] as const

function watched(name: string, child: ChildProcess): TownProcess {
  let words = ''
  let stopping = false
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8')
    stream?.on('data', (text: string) => {
      words = (words + text).slice(-4_000)
    })
  }
  const ended = once(child, 'close')
  child.once('exit', (code, signal) => {
    // Ctrl-C reaches the whole group: a process that ends cleanly or by that signal was asked to end.
    const isTold = code === 0 || signal === 'SIGINT' || signal === 'SIGTERM'
    if (!stopping && !isTold) process.stderr.write(`The ${name} ended by itself (exit code ${code}).\n`)
  })

  return {
    until: async (what, isSo) => {
      const deadlineMs = realClock.nowMs() + upWithinMs
      while (!(await isSo())) {
        if (child.exitCode !== null) throw new Error(`the ${name} ended before it ${what}:\n${words}`)
        if (realClock.nowMs() > deadlineMs)
          throw new Error(`the ${name} took too long until it ${what}:\n${words}`)
        await realClock.wait(lookEveryMs)
      }
    },
    stop: async () => {
      stopping = true
      child.kill('SIGTERM')
      const enough = new AbortController()
      await Promise.race([ended, realClock.wait(stopWithinMs, enough.signal)])
      enough.abort()
      child.kill('SIGKILL')
    },
  }
}
