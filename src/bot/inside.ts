/** One process: where the settings name a Prometheus or an Alertmanager and no service, the service runs in here (docs/prometheus.md#one-process). */
import { randomBytes } from 'node:crypto'
import { dirname, join } from 'node:path'
import { readLimited } from '../shared/setting-files.ts'
import { type Environment, readDatabase } from './config/load.ts'

export type Inside =
  | {
      readonly ok: true
      /** With the address and the key of the service. */
      readonly env: Environment
      /** Has it read its engines anew. */
      tick(): Promise<void>
      close(): Promise<void>
    }
  | { readonly ok: false; readonly problems: readonly string[] }

const engines = ['PROMETHEUS_URL', 'PROMETHEUS_URL_FILE', 'ALERTMANAGER_URL', 'ALERTMANAGER_URL_FILE']
const ofService = /^(?:PROMETHEUS|ALERTMANAGER)_|^MONITOR_(?:FILE|PUBLIC_URL)$/
const nothing = async () => {}

/** `isKept`: its file is in use, beside the bot's own unless MONITOR_FILE says where. A doctor looks on without one. */
export async function openInside(
  env: Environment,
  { isKept, report }: { readonly isKept: boolean; readonly report: (line: string) => void },
): Promise<Inside> {
  const isMeant = !env.MONITOR_URL?.trim() && engines.some((name) => env[name]?.trim())
  if (!isMeant) return { ok: true, env, tick: nothing, close: nothing }
  // Only here: a bot without it does not load it.
  const { readEnvironment } = await import('../service/environment.ts')
  const { openService } = await import('../service/service.ts')
  const read = readDatabase(env, readLimited)
  // Its mutes are in its file, and whoever takes over needs them.
  if (read.ok && read.database.kind === 'postgres')
    return {
      ok: false,
      problems: ['MONITOR_URL: expected a service for all bots on a Postgres; came nothing'],
    }
  const own = Object.fromEntries(Object.entries(env).filter(([name]) => ofService.test(name)))
  const { problems, options } = readEnvironment(own, readLimited)
  // A page at a port that is another one after each start is no link for anybody.
  const { prometheus, file: named, publicUrl = '' } = options
  if (problems.length > 0 || prometheus === undefined) return { ok: false, problems }
  const beside = read.ok && read.database.kind === 'sqlite' ? dirname(read.database.path) : '.'
  const file = isKept ? { file: named ?? join(beside, 'monitor.db') } : {}
  const key = randomBytes(20).toString('hex')
  try {
    const service = await openService({ prometheus, key, port: 0, publicUrl, report, ...file })
    const added = { MONITOR_URL: service.url, MONITOR_API_KEY: key }
    return { ok: true, env: { ...env, ...added }, tick: () => service.tick(), close: () => service.close() }
  } catch (error) {
    return { ok: false, problems: [error instanceof Error ? error.message : String(error)] }
  }
}
