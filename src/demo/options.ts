/** Reads the demo's command line. */
import { isIP } from 'node:net'
import { parseArgs } from 'node:util'
import { commandLine } from '../shared/program.ts'

const usage = `${commandLine('demo', '[OPTIONS]')}
  --prometheus       watch a real Prometheus on this machine in place of simulated servers
  --script night     ten minutes of a bad night by itself, for whoever wants to watch
  --minutes N        how long the night takes: 2 to 60
  --host ADDRESS     where the page listens (127.0.0.1): whoever reaches it may do everything there
  --help             these lines
PORT=N is the port of the page (8080).`

const minutesMin = 2
const minutesMax = 60

export type DemoOptions = {
  readonly prometheus: boolean
  /** Null: nothing happens by itself but one alert to begin with. */
  readonly night: { readonly minutes: number } | null
  /** Where the page listens; null: for this machine alone. */
  readonly host: string | null
}

/** The options, or `'help'`; throws an `Error` that says what was expected and what came. */
export function readOptions(words: readonly string[]): DemoOptions | 'help' {
  const { values } = parseArgs({
    args: [...words],
    options: {
      prometheus: { type: 'boolean', default: false },
      script: { type: 'string' },
      minutes: { type: 'string' },
      host: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  const { prometheus, script, minutes, host, help } = values
  if (help) return 'help'
  if (script !== undefined && script !== 'night') {
    throw new Error(`--script: expected night; came ${JSON.stringify(script)}`)
  }
  if (script === undefined && minutes !== undefined)
    throw new Error('--minutes: expected only with --script night')
  if (script !== undefined && prometheus) {
    throw new Error('--script: expected without --prometheus, as the night needs simulated servers')
  }
  const count = Number(minutes ?? 10)
  if (!(count >= minutesMin && count <= minutesMax)) {
    throw new Error(`--minutes: expected ${minutesMin} to ${minutesMax}; came ${JSON.stringify(minutes)}`)
  }
  if (host !== undefined && isIP(host) === 0)
    throw new Error(`--host: expected an IP address; came ${JSON.stringify(host)}`)
  return { prometheus, night: script === undefined ? null : { minutes: count }, host: host ?? null }
}

/** The options; ends the process after printing the usage if that was asked for (exit code 0) or an option is wrong (2). */
export function optionsOrExit(words: readonly string[]): DemoOptions {
  try {
    const read = readOptions(words)
    if (read !== 'help') return read
    process.stdout.write(`${usage}\n`)
    process.exit(0)
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${usage}\n`)
    process.exit(2)
  }
}
