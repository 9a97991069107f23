/** Runs the bot as people do: as a process, with settings from its environment and a log on its output. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { bundledBot } from './bundled.ts'
import { compiled } from './compiled.ts'
import { endWithUs } from './end-with-us.ts'

const root = new URL('../../', import.meta.url).pathname
const entry = await bundledBot()

export type BotProcess = {
  readonly child: ChildProcess
  /** Everything written so far, standard output and error together. */
  output(): string
  /** The lines of the log with this event. */
  logged(event: string): Record<string, unknown>[]
  /** The log, oldest line first; any other line of output has the level `none`, with its text in `msg`. */
  lines(): { readonly level: string; readonly msg: string; readonly [field: string]: unknown }[]
  /** Resolves with the exit code (null: ended by a signal) once it is gone and all its output is read. */
  readonly ended: Promise<number | null>
  kill(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null>
}

export type BotLimits = {
  /** Limit on the size of its files, which for the database is a full disk. */
  readonly fileKibMax?: number
  /** Runs as this user; only root can ask for it. */
  readonly uid?: number
  /** The only folder that can be written, as in a container with a read-only root; only for root, on Linux. */
  readonly writesOnlyIn?: string
}

/** Can a process be confined like this on this machine? */
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

/**
 * Starts the bot with only these settings, and what a process needs to run and to start fast; nothing else of the tester's
 * environment.
 */
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
    // A confined process, or one of another user, keeps no compiled code.
    env: { PATH: process.env.PATH ?? '', ...(isLimited ? {} : compiled), ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  endWithUs(child)
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
  // Tests ask many times a second, so each line is parsed once. The last line may be incomplete.
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
