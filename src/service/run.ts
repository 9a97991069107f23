/** Runs the service as a process: prints its address, stops on a signal, and exits with one sentence if it cannot start. */
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import closeWithGrace from 'close-with-grace'
import { misspelt } from '../shared/nearest.ts'
import { version } from '../shared/program.ts'
import { readLimited } from '../shared/setting-files.ts'
import { readEnvironment, settingNames } from './environment.ts'
import { type Keys, openKeys } from './keys.ts'
import { openService, type Service, type ServiceOptions } from './service.ts'
import { Refusal } from './source.ts'
import { closeStore, openStore } from './store.ts'

/** EX_CONFIG of sysexits.h: a supervisor need not start it again before a person changes a setting. */
const wrongSetting = 78

type Environment = Readonly<Record<string, string | undefined>>

export async function runService(env: Environment): Promise<void> {
  const { problems, options: read } = readEnvironment(env, readLimited)
  if (problems.length > 0)
    return fail(['the monitoring service cannot start:', ...problems].join('\n  '), wrongSetting)
  for (const one of misspelt(env, settingNames)) report(one)
  try {
    const made = read.key === undefined && !hasKeys(read.file) ? randomBytes(20).toString('hex') : null
    const service = await openService({ ...read, key: made ?? read.key, report })
    process.on('SIGHUP', () => {})
    closeWithGrace({ delay: false, logger: false, skip: ['SIGHUP'] }, async ({ err }) => {
      if (err) report(`the monitoring service failed: ${err.stack}`)
      await service.close()
    })
    const { url } = service
    if (read.publicUrl === undefined)
      report(`links of alerts lead to ${url}; MONITOR_PUBLIC_URL changes that`)
    process.stdout.write(`${greeting(service, made).join('\n')}\n`)
  } catch (error) {
    const isSetting =
      error instanceof Refusal || (error instanceof Error && 'code' in error && error.code === 'EACCES')
    fail(`the monitoring service cannot start: ${reasonOf(error, read)}`, isSetting ? wrongSetting : 1)
  }
}

function greeting({ url, controlUrl }: Service, made: string | null): string[] {
  return [
    `monitoring service ${version} on ${url}`,
    ...(controlUrl === null ? [] : [`control, for this machine only: ${controlUrl}/control/state`]),
    // The only place where a key is printed, and only one that was just generated.
    ...(made === null
      ? []
      : [`export MONITOR_API_KEY=${made}    # made for this run; set it to choose your own`]),
    `try: curl "${url}/api/v2/$MONITOR_API_KEY/alerts.json"`,
  ]
}

/** `keys add [KEY]`, `keys list`, `keys remove KEY-OR-ID`: on the file of a service, which may run meanwhile. */
export async function runKeys(env: Environment, words: readonly string[]): Promise<void> {
  const [act = '', which, ...more] = words
  const isRight = { add: true, list: which === undefined, remove: which !== undefined }[act] ?? false
  if (!isRight || more.length > 0)
    return fail('keys: expected add [KEY], list, or remove KEY-OR-ID; came other words', 2)
  const { problems, options } = readEnvironment(env, readLimited)
  const wrong = problems.filter((problem) => problem.startsWith('MONITOR_FILE'))
  if (options.file === undefined || wrong.length > 0)
    return fail(wrong[0] ?? 'MONITOR_FILE: expected the file of the service; came nothing', wrongSetting)
  try {
    const said = onKeys(options.file, (keys) => {
      if (act === 'add') return keys.add(Date.now(), which)
      if (act === 'remove') keys.remove(which ?? '')
      const listed = keys
        .list()
        .map(({ id, addedMs }) => `${id}  added ${new Date(addedMs ?? 0).toISOString()}`)
      return act === 'remove' ? 'withdrawn' : listed.join('\n') || 'no keys are kept here'
    })
    process.stdout.write(`${said}\n`)
  } catch (error) {
    fail(reasonOf(error), 1)
  }
}

function hasKeys(file: string | undefined): boolean {
  return file !== undefined && existsSync(file) && onKeys(file, (keys) => keys.list().length > 0)
}

function onKeys<T>(file: string, work: (keys: Keys) => T): T {
  const db = openStore(file, false)
  try {
    return work(openKeys(db, []))
  } finally {
    closeStore(db)
  }
}

function report(line: string): void {
  process.stderr.write(`${line}\n`)
}

function reasonOf(error: unknown, ports: Pick<ServiceOptions, 'port' | 'controlPort'> = {}): string {
  if (!(error instanceof Error)) return String(error)
  const code = 'code' in error ? String(error.code) : ''
  const port = 'port' in error ? error.port : ports.port
  const setting = port === ports.controlPort ? 'MONITOR_CONTROL_PORT' : 'PORT'
  if (code === 'EADDRINUSE') return `port ${port} is in use; set ${setting} to another one`
  if (code === 'EACCES') return `port ${port} needs more rights; set ${setting} to one above 1023`
  if (['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN'].includes(code))
    return 'HOST is no address of this machine; set it to one, or to 0.0.0.0 for all'
  return error.message
}

function fail(sentence: string, code: number): void {
  process.stderr.write(`${sentence}\n`)
  process.exitCode = code
}
