/** All checks of a set-up, in the order in which one builds on another. Changes nothing that anybody would see. */
import { readConfig } from '../config/config.ts'
import { ConfigError } from '../config/config-error.ts'
import type { Clock } from '../flow/ports/ports.ts'
import { type Finding, failed, ok, skipped } from './finding.ts'
import { databaseFinding, heartbeatFinding, nodeFinding } from './machine.ts'
import { examineMonitoring } from './monitoring.ts'
import { examineSlack } from './slack.ts'

export type SetUp = {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly readFile: (path: string) => string
  readonly clock: Clock
  /** Of Node, such as `24.1.0`. */
  readonly nodeVersion: string
}

export async function* examine({ env, readFile, clock, nodeVersion }: SetUp): AsyncGenerator<Finding> {
  yield nodeFinding(nodeVersion)
  const read = configOf(env, readFile)
  if (read instanceof ConfigError) {
    for (const { setting, expected, came } of read.problems) {
      yield failed(
        `Setting ${setting}`,
        `expected ${expected}; came ${came}`,
        'docs/settings.md has them all.',
      )
    }
    yield skipped('API, Slack, database', 'the settings come first')
    return
  }
  const routes = `${read.routes.length} route${read.routes.length === 1 ? '' : 's'}`
  yield ok(
    'Settings',
    env.MONBOT_CONFIG?.trim() ? `read; policy file with ${routes}` : 'read; default policy',
  )
  yield* examineMonitoring(read, clock)
  yield* examineSlack(read, clock)
  yield await databaseFinding(read.database)
  yield await heartbeatFinding(read.heartbeatUrl)
}

function configOf(env: SetUp['env'], readFile: SetUp['readFile']) {
  try {
    return readConfig(env, readFile)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error
  }
}
