/** The bot as people run it: a process of its own, with settings from its environment and a log on its output. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { bundledBot } from './bundled.ts'
import { compiled } from './compiled.ts'

const root = new URL('../../', import.meta.url).pathname
const entry = await bundledBot()

export type BotProcess = {
  readonly child: ChildProcess
  /** Everything written so far, standard output and error together. */
  output(): string
  /** The lines of the log with this event. */
  logged(event: string): Record<string, unknown>[]
  /** The log, oldest line first; a line that is none of it has the level `none`, and stands in `msg`. */
  lines(): { readonly level: string; readonly msg: string; readonly [field: string]: unknown }[]
  /** Resolves with the exit code (null: ended by a signal) once it is gone and all its output is read. */
  readonly ended: Promise<number | null>
  kill(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null>
}

export type BotLimits = {
  /** No file of the process may grow beyond this: to the database it is a disk that is full. */
  readonly fileKibMax?: number
  /** Runs as this user; only root can ask for it. */
  readonly uid?: number
  /** Nothing can be written but in this folder, as in a container with a read-only root; only root can ask for it, on Linux. */
  readonly writesOnlyIn?: string
}

/** Can a process be shut in so on this machine? */
export const canShutIn =
  process.getuid?.() === 0 &&
  spawnSync('unshare', [
    '-m',
    'bash',
    '-c',
    `mount --make-rprivate / && mount -o remount,bind,ro / && setpriv --version`,
  ]).status === 0

const shutIn = `mount --make-rprivate / && mount --bind "$1" "$1" && mount -o remount,bind,ro / && shift &&
  exec setpriv --reuid="$1" --regid="$1" --clear-groups --bounding-set=-all --inh-caps=-all --no-new-privs "\${@:2}"`

/** Only these settings, and what a process needs to run at all and to start fast: nothing else of the tester's environment. */
export function startBot(
  settings: Record<string, string>,
  { fileKibMax, uid, writesOnlyIn }: BotLimits = {},
): BotProcess {
  const isLimited = fileKibMax !== undefined || uid !== undefined || writesOnlyIn !== undefined
  const [command = '', ...words] = [
    ...(writesOnlyIn === undefined
      ? []
      : ['unshare', '-m', 'bash', '-c', shutIn, 'shut-in', writesOnlyIn, String(uid)]),
    ...(fileKibMax === undefined ? [] : ['bash', '-c', `ulimit -f ${fileKibMax}; exec "$@"`, 'limited']),
    process.execPath,
    entry,
  ]
  const child = spawn(command, words, {
    ...(uid === undefined || writesOnlyIn !== undefined ? {} : { uid }),
    cwd: root,
    // Whoever may write little, or has another user's rights, keeps nothing compiled.
    env: { PATH: process.env.PATH ?? '', ...(isLimited ? {} : compiled), ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8')
    stream.on('data', (text: string) => {
      output += text
    })
  }
  const ended = once(child, 'close').then(([code]) => code as number | null)
  const parsed: ReturnType<BotProcess['lines']>[number][] = []
  let parsedTo = 0
  // Stories ask many times a second: each line is parsed once. The last line may still be under way.
  const lines: BotProcess['lines'] = () => {
    const end = output.lastIndexOf('\n') + 1
    for (const line of output.slice(parsedTo, end).split('\n')) {
      if (line.trim() === '') continue
      const isJson = line.startsWith('{') && line.endsWith('}')
      parsed.push(isJson ? JSON.parse(line) : { level: 'none', msg: line })
    }
    parsedTo = end
    return [...parsed]
  }
  return {
    child,
    output: () => output,
    lines,
    logged: (event) => lines().filter((line) => line.msg === event),
    ended,
    kill: (signal) => {
      child.kill(signal)
      return ended
    },
  }
}
