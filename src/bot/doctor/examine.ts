/**
 * Runs all checks of a set-up, each after those that it builds on. Changes nothing that anybody would see, but for a test page and a card
 * that were asked for.
 */
import { settingsDocument } from '../../shared/command-name.ts'
import { sharedNames, unknownNames } from '../../shared/known-names.ts'
import { nearest } from '../../shared/nearest.ts'
import { goOut } from '../../shared/outward.ts'
import { type Config, readConfig, settingNames } from '../config/config.ts'
import { ConfigError } from '../config/config-error.ts'
import { formatDuration } from '../domain/base/duration.ts'
import { longestGapMs, seldomMs } from '../flow/poll/cron.ts'
import type { SteadyClock } from '../flow/ports/ports.ts'
import { counted } from '../slack/render/text/phrases.ts'
import { type Finding, failed, nodeFinding, ok, skipped, warning } from './finding.ts'
import { databaseFinding, heartbeatFinding, portFinding } from './machine.ts'
import { examineMonitoring } from './monitoring.ts'
import { onCallFindings } from './on-call.ts'
import { pagerFinding, testPage } from './pager.ts'
import { examineSlack, type Showing } from './slack.ts'

export type SetUp = {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly readFile: (path: string) => string
  readonly clock: SteadyClock
  /** Calls somebody for a test, and takes it back at once. */
  readonly isPaging?: boolean
  /** Of Node, such as `24.1.0`. */
  readonly nodeVersion: string
} & Partial<Showing>

/** Shorter names resemble too many others. */
const nameCharsMin = 8

export async function* examine({
  env,
  readFile,
  clock,
  nodeVersion,
  isPaging = false,
  showTo = null,
  leaving = new AbortController().signal,
}: SetUp): AsyncGenerator<Finding> {
  yield nodeFinding(nodeVersion)
  const read = configOf(env, readFile)
  if (read instanceof ConfigError) {
    for (const { setting, expected, came } of read.problems) {
      yield failed(
        `Setting ${setting}`,
        `expected ${expected}; came ${came}`,
        `${settingsDocument()} has them all.`,
      )
    }
    yield* misspelt(env)
    yield skipped('API, Slack, database', 'the settings come first')
    return
  }
  goOut(read)
  yield settingsFinding(read, env)
  if (read.proxy?.direct.includes('/')) {
    const todo = 'Name hosts: what is meant by a network goes through the proxy.'
    yield warning('Settings', 'NO_PROXY names a network, which is not understood', todo)
  }
  yield* misspelt(env)
  yield* whole('API', examineMonitoring(read, clock))
  yield* whole('Slack', examineSlack(read, clock, { showTo, leaving }))
  yield* whole('Database', databaseFindings(read.database, clock))
  yield* whole('Port', [portFinding(read)])
  yield* whole('Heartbeat', [heartbeatFinding(read.heartbeatUrl)])
  yield* whole('On call', onCallFindings(read, clock))
  if (isPaging) yield* whole('Pager', [testPage(read, clock)])
  else if (read.pager !== null) yield* whole('Pager', [pagerFinding(read.pager, read.reminders)])
}

async function* databaseFindings(database: Config['database'], clock: SteadyClock): AsyncGenerator<Finding> {
  if (database.kind === 'sqlite') yield databaseFinding(database.path)
  else {
    // Loaded only here: who keeps a file need not have it.
    const { examinePostgres } = await import('./postgres.ts')
    yield* examinePostgres(database.url, clock)
  }
}

function settingsFinding({ routes, pollCron }: Config, env: SetUp['env']): Finding {
  const policy = env.MONBOT_CONFIG?.trim()
    ? `policy file with ${counted(routes.length, 'route')}`
    : 'default policy'
  const gapMs = longestGapMs(pollCron)
  const said = `read; ${policy}; a poll every ${formatDuration(gapMs)}`
  return gapMs > seldomMs
    ? warning('Settings', said, 'An alert is told as late as that. In POLL_CRON the seconds come first.')
    : ok('Settings', said)
}

/** Turns an unexpected error in a check into a finding, so that the other checks continue. */
async function* whole(
  check: string,
  findings: AsyncIterable<Finding> | Iterable<Promise<Finding>>,
): AsyncGenerator<Finding> {
  try {
    yield* findings
  } catch (error) {
    // Not its message, which may contain a secret.
    const { name, code } = error as { name?: unknown; code?: unknown }
    const said = `the check itself broke (${[name, code].filter((word) => typeof word === 'string').join(' ')})`
    yield failed(check, said, 'Something is there that monbot does not expect: look at what it names.')
  }
}

/** Finds variables that nothing reads, or that resemble a setting: a misspelt setting would silently not be set. */
function* misspelt(env: SetUp['env']): Generator<Finding> {
  const unknown = unknownNames(env, settingNames)
  const told = new Set([...settingNames, ...sharedNames, ...unknown.map(({ name }) => name)])
  const others = Object.keys(env).filter((name) => !told.has(name) && name.length >= nameCharsMin)
  const resembling = others.flatMap((name) => {
    const [meant] = nearest(name.replace(/^\uFEFF/, '').trim(), settingNames, 1)
    const isFar = meant === undefined || Math.abs(meant.length - name.length) > 2 || env[meant]?.trim()
    return isFar ? [] : [{ name, meant }]
  })
  for (const { name, meant } of [...unknown, ...resembling]) {
    const todo = meant === null ? `${settingsDocument()} has them all.` : `If ${meant} is meant, name it so.`
    yield warning('Settings', `${name} is no setting of monbot`, todo)
  }
}

function configOf(env: SetUp['env'], readFile: SetUp['readFile']) {
  try {
    return readConfig(env, readFile)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error
  }
}
