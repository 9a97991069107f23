import { isIP } from 'node:net'
import { parseArgs } from 'node:util'
import { commandLine } from '../shared/program.ts'

const usage = `${commandLine('demo', '[OPTIONS]')}
  --prometheus       watch a real Prometheus on this machine in place of simulated servers
  --script night     an incident of five minutes plays by itself, as with the button of the page
  --minutes N        how long it takes: 1 to 60
  --host ADDRESS     where the page listens (127.0.0.1): whoever reaches it may do everything there
  --help             these lines
PORT=N is the port of the page (8080).`

export type DemoOptions = {
  readonly prometheus: boolean
  /** Of the incident; null: nothing happens by itself but one alert to begin with. */
  readonly minutes: number | null
  readonly host: string | null
}

function readOptions(words: readonly string[]): DemoOptions | 'help' {
  const text = { type: 'string' } as const
  const flag = { type: 'boolean', default: false } as const
  const { values } = parseArgs({
    args: [...words],
    options: { prometheus: flag, script: text, minutes: text, host: text, help: flag },
  })
  const { prometheus, script, minutes = '5', host = null, help } = values
  if (help) return 'help'
  const check = (isFine: boolean, expected: string, came: unknown) => {
    if (!isFine) throw new Error(`${expected}; came ${JSON.stringify(came)}`)
  }
  check(script === undefined || script === 'night', '--script: expected night', script)
  check(!prometheus || script === undefined, '--script: expected simulated servers', '--prometheus')
  check(Number(minutes) >= 1 && Number(minutes) <= 60, '--minutes: expected 1 to 60', minutes)
  check(host === null || isIP(host) !== 0, '--host: expected an IP address', host)
  return { prometheus, minutes: script === undefined ? null : Number(minutes), host }
}

/** The options; ends the process with the usage if that was asked for (exit code 0) or an option is wrong (2). */
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
