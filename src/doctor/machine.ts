/** This machine: Node, the database, and the way to the watcher. */
import { existsSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import type { Config } from '../config/config.ts'
import { isNodeNewEnough, oldestNode } from '../node-version.ts'
import { counted } from '../slack/render/text/phrases.ts'
import { inspectDatabase } from '../store/open/inspect.ts'
import { openStore } from '../store/open/open-store.ts'
import { StoreError } from '../store/open/store-error.ts'
import { type Finding, failed, ok, warning } from './finding.ts'

const connectMs = 5_000

export function nodeFinding(version: string): Finding {
  return isNodeNewEnough(version)
    ? ok('Node', version)
    : failed('Node', `${version} is too old`, `Use Node ${oldestNode} or newer; npm ci brings one along.`)
}

/** The file that is there is only read; whether its folder can be written is tried with another file. */
export async function databaseFinding({ path }: Config['database']): Promise<Finding> {
  // Of this process: two doctors at once would each find the other's file in use.
  const trial = `${path}.doctor-${process.pid}`
  try {
    const store = await openStore(trial)
    const { synchronous } = store.durability()
    await store.close()
    if (synchronous !== 'FULL') throw new StoreError(`${path} would not survive a power cut`)
    if (!existsSync(path)) return ok('Database', `${path} will be made; its folder is writable and durable`)
    const { migrations, waiting, alerts } = inspectDatabase(path)
    const upgrade = waiting === 0 ? '' : `, ${waiting} to come at the next start`
    return ok(
      'Database',
      `${path}: sound, durable, ${counted(alerts, 'alert')}, ${counted(migrations, 'migration')}${upgrade}`,
    )
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
    return failed('Database', error.message.replaceAll(trial, path), 'Its message says what to do.')
  } finally {
    for (const end of ['', '-wal', '-shm', '-lock']) if (existsSync(trial + end)) rmSync(trial + end)
  }
}

/** Connects and sends nothing: any request would tell the watcher that monbot is alive. */
export async function heartbeatFinding(url: Config['heartbeatUrl']): Promise<Finding> {
  if (url === null) {
    return warning(
      'Heartbeat',
      'nobody would notice that monbot is dead',
      'Set HEARTBEAT_URL to a check at a healthchecks service or a push monitor.',
    )
  }
  const { hostname, port, protocol } = new URL(url.reveal())
  const number = Number(port) || (protocol === 'https:' ? 443 : 80)
  const socket = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: number })
  const why = await new Promise<string | null>((resolve) => {
    socket.setTimeout(connectMs, () => resolve('ETIMEDOUT'))
    socket.once('connect', () => resolve(null))
    socket.once('error', (error) => resolve('code' in error ? String(error.code) : 'no answer'))
  })
  socket.destroy()
  return why === null
    ? ok('Heartbeat', 'the watcher can be reached (nothing was sent: that would say that monbot is alive)')
    : failed(
        'Heartbeat',
        `the watcher cannot be reached (${why})`,
        'Check HEARTBEAT_URL and the way out to it.',
      )
}
