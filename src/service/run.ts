/** Runs the service as a process: prints its address, stops on a signal, and exits with one sentence if it cannot start. */
import { unknownNames, unknownSentence } from '../shared/known-names.ts'
import { version } from '../shared/version.ts'
import type { Hangup } from './before-start.ts'
import { type ConfigReading, readConfig } from './config/read-config.ts'
import { indented, watchConfig } from './config/watch-config.ts'
import { readEnvironment, settingNames } from './environment.ts'
import type { ServiceOptions } from './options.ts'
import { NotLetIn } from './prometheus/ask.ts'
import { openService, type Service } from './service.ts'

/** For the request that met the lost file, and those beside it: each is answered that it was not carried out. */
const answeredWithinMs = 1_000
/** EX_CONFIG of sysexits.h: a supervisor need not start it again before a person changes a setting. */
const wrongSetting = 78

export async function runService(
  env: Readonly<Record<string, string | undefined>>,
  hangup: Hangup,
): Promise<void> {
  const file = env.MONITOR_CONFIG || null
  const reading = file === null ? null : await readConfig(file)
  const settings = readEnvironment(env, reading?.config ?? null)
  const problems = [...(settings.problems ?? []), ...(reading?.problems ?? [])]
  if (settings.problems !== null || problems.length > 0) {
    return fail(['the monitoring service cannot start:', ...indented(problems)].join('\n'), wrongSetting)
  }
  for (const one of unknownNames(env, settingNames)) report(unknownSentence(one))
  const { options, madeKey } = settings
  let isLost = false
  const service = await openService({
    ...options,
    // What follows from a lost file is no news.
    report: (line) => void (isLost || report(line)),
    onLost(sentence) {
      isLost = true
      fail(`the monitoring service ends: ${sentence}`)
      setTimeout(() => process.exit(1), answeredWithinMs)
    },
  }).catch((error: unknown) =>
    fail(
      `the monitoring service cannot start: ${reasonOf(error, options)}`,
      isSetting(error) ? wrongSetting : 1,
    ),
  )
  if (service === undefined) return
  const stopFollowing =
    file === null || reading === null ? () => {} : followFile(file, reading, service, hangup)
  if (file === null) {
    hangup.does(() =>
      report('there is no file to read again, as MONITOR_CONFIG names none; all goes on as it is'),
    )
  }
  stopOnSignals(service, stopFollowing)
  const lines = [
    `monitoring service ${version} on ${service.url} (document: ${service.url}/openapi.json)`,
    ...(service.controlUrl === null
      ? []
      : [`control, for this machine only: ${service.controlUrl}/control/state`]),
    // The only place where a key is printed, and only one that was just generated.
    ...(madeKey === null
      ? []
      : [`export MONITOR_API_KEY=${madeKey}    # made for this run; set it to choose your own`]),
    `try: curl "${service.url}/api/v2/$MONITOR_API_KEY/alerts.json"`,
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
}

function report(line: string): void {
  process.stderr.write(`${line}\n`)
}

/** Returns a function that stops following it. */
function followFile(file: string, first: ConfigReading, service: Service, hangup: Hangup): () => void {
  const watch = watchConfig({ file, first, use: service.useConfig, report })
  hangup.does(() => void watch.reload())
  return () => {
    hangup.does(() => {})
    watch.stop()
  }
}

function stopOnSignals(service: Service, stopFollowing: () => void): void {
  let isStopping = false
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      // A second signal means: stop now.
      if (isStopping) process.exit(1)
      isStopping = true
      stopFollowing()
      service.close().then(
        () => process.exit(0),
        (error: unknown) => {
          fail(`the monitoring service did not stop well: ${reasonOf(error)}`)
          process.exit(1)
        },
      )
    })
  }
}

function reasonOf(error: unknown, ports: Pick<ServiceOptions, 'port' | 'controlPort'> = {}): string {
  if (!(error instanceof Error)) return String(error)
  const code = 'code' in error ? error.code : null
  const port = 'port' in error ? error.port : ports.port
  const setting = port === ports.controlPort ? 'MONITOR_CONTROL_PORT' : 'PORT'
  if (code === 'EADDRINUSE') return `port ${port} is in use; set ${setting} to another one`
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return 'HOST is no address of this machine; set it to one, or to 0.0.0.0 for all'
  if (code === 'EACCES') return `port ${port} needs more rights; set ${setting} to one above 1023`
  return error.message
}

/** Nothing but a person changes it: a port that this user may not take, a token that is refused. */
function isSetting(error: unknown): boolean {
  return error instanceof NotLetIn || (error instanceof Error && 'code' in error && error.code === 'EACCES')
}

function fail(sentence: string, code = 1): undefined {
  process.stderr.write(`${sentence}\n`)
  process.exitCode = code
  return undefined
}
