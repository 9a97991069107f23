/**
 * The bot's entry: reads the settings, opens the app, handles signals, and exits with one sentence and a code of its own if a
 * person must fix something.
 */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { endWithNpm } from '../shared/end-with-npm.ts'
import { requireNode } from '../shared/node-version.ts'
import type { Config } from './config/config.ts'
import type { Reread } from './config/reread.ts'
import type { Secret } from './config/secret.ts'
import type { Log } from './log.ts'
import { giveMemoryBack, keepHeapSmall } from './small-heap.ts'

requireNode()
endWithNpm(process.env)
/** In a terminal, SIGHUP means that it was closed; without one, that the policy is to be read again. */
const hasTerminal = [process.stdin, process.stdout, process.stderr].some(({ isTTY }) => isTTY)
// Set at once, because SIGHUP would end the process otherwise.
let hangUp: () => void = () => undefined
if (!hasTerminal) process.on('SIGHUP', () => hangUp())
keepHeapSmall()
// The compile cache is kept beside the packages and cuts the next start to two thirds of the time; if that folder
// is not writable, nothing is kept. Not in the temporary folder, where another user could plant it.
const { enableCompileCache, flushCompileCache } = await import('node:module')
enableCompileCache(join(import.meta.dirname, '../../node_modules/.cache/compiled'))
const { default: closeWithGrace } = await import('close-with-grace')
const { commandLine } = await import('../shared/command-name.ts')
const { openSettings } = await import('./config/reread.ts')
const { secretsOfProxy } = await import('./config/way-out.ts')
const { secretsOf } = await import('./config/database.ts')
const { unknownNames, unknownSentence } = await import('../shared/known-names.ts')
const { settingNames } = await import('./config/config.ts')
const { secretsOfPager } = await import('./config/pager.ts')
const { secretsOfOnCall } = await import('./config/on-call.ts')
const { readLimited } = await import('../shared/limited-file.ts')
const { ConfigError } = await import('./config/config-error.ts')
const { goOut } = await import('../shared/outward.ts')
const { realClock } = await import('../shared/clock.ts')
const { version } = await import('../shared/version.ts')
const { endOnCrash } = await import('./crash.ts')
const { openLog, terminalFormat } = await import('./log.ts')
const { CannotListen } = await import('./ops/health.ts')
const { openReplica } = await import('./replica.ts')
const { StoreError } = await import('./store/open/store-error.ts')
const { SetupError } = await import('./life-cycle.ts')

const stopWithinMs = 25_000
const idBytes = 6
const forPeople = [ConfigError, SetupError, StoreError, CannotListen]
/** EX_CONFIG of sysexits.h: a supervisor need not start the bot again until a person has changed a setting. */
const wrongSetting = 78

async function main(): Promise<void> {
  const settings = openSettings(process.env, readLimited, readEnvFile)
  const { config } = settings
  const format = process.stdout.isTTY ? { format: terminalFormat(!process.env.NO_COLOR) } : {}
  const log = openLog({ level: config.logLevel, secrets: secretsIn(config), ...format })
  log.info({ version, node: process.versions.node }, 'app:starting')
  // Short enough to read out to somebody, long enough to be unique.
  const ids = { make: () => randomBytes(idBytes).toString('hex') }
  const stopping = new AbortController()
  const parts = { log, clock: realClock, ids, random: Math.random, stopping: stopping.signal }
  goOut(config)
  for (const one of unknownNames(process.env, settingNames))
    log.warn({ name: one.name, hint: unknownSentence(one) }, 'setting:unknown')
  const replica = openReplica(config, parts)
  if (!hasTerminal) {
    const reread = async () => {
      const found = settings.again()
      if (found.kind === 'changed') log.hide(secretsIn(found.config))
      tell(found, log)
      if (found.kind === 'changed' && !stopping.signal.aborted) await replica.reread(found.config)
    }
    let reading = Promise.resolve()
    hangUp = () => {
      reading = reading.then(reread)
    }
  }
  endOnCrash({ log, clock: realClock, farewell: replica.takeLeave, stop: replica.stop })
  closeWithGrace(
    {
      delay: stopWithinMs,
      logger: false,
      skip: [
        'uncaughtException',
        'unhandledRejection',
        'beforeExit',
        ...(hasTerminal ? [] : ['SIGHUP' as const]),
      ],
      // A second signal means that nobody wants to wait: what is in progress is on disk and continues at the next start.
      onSecondSignal: (signal) => log.warn({ signal }, 'app:ended_at_once'),
    },
    async ({ signal }) => {
      log.info({ signal }, 'app:stopping')
      stopping.abort()
      await replica.stop()
    },
  )
  const app = await replica.started
  // Flushed now, not at exit, because processes are often killed. It takes no time if the cache is complete.
  flushCompileCache()
  void giveMemoryBack(realClock, stopping.signal)
  await app?.connected
}

/** What must never be shown of the settings. */
function secretsIn(config: Config): Secret[] {
  const optional = [config.slackAppToken, config.slackSigningSecret, config.heartbeatUrl]
  return [
    config.monitorApiKey,
    config.slackBotToken,
    ...secretsOf(config.database),
    ...secretsOfProxy(config.proxy),
    ...secretsOfPager(config.pager),
    ...secretsOfOnCall(config.onCallSource),
    ...optional.filter((secret) => secret !== null),
  ]
}

/** Says what a SIGHUP has brought. */
function tell({ restart, ...found }: Reread, log: Log): void {
  const later =
    restart.length === 0 ? {} : { restart: `${restart.join(', ')}: changed, and read at a start only` }
  if (found.kind === 'refused') {
    log.error({ why: found.why, kept: 'the policy that was read before', ...later }, 'policy:refused')
  } else if (found.kind === 'changed') {
    log.info({ changed: found.changed.join(', '), ...later }, 'policy:reread')
  } else log.info(later, 'policy:unchanged')
}

/** What the file `.env` says now; nothing if it is not there. */
function readEnvFile(): NodeJS.Dict<string> {
  try {
    return parseEnv(readLimited('.env'))
  } catch {
    return {}
  }
}

try {
  await main()
} catch (error) {
  if (!(error instanceof Error) || !forPeople.some((kind) => error instanceof kind)) throw error
  const hint =
    error instanceof ConfigError ? `\n\nTo see monbot work without any setting: ${commandLine('demo')}` : ''
  process.stderr.write(`${error.message}${hint}\n`)
  const isSetting =
    error instanceof ConfigError || error instanceof SetupError || Object(error).isSetting === true
  process.exit(isSetting ? wrongSetting : 1)
}
