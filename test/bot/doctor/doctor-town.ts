/** A set-up without problems, and the doctor's findings after a test changes it. */
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import SQLite from 'better-sqlite3'
import { afterAll, beforeAll, expect } from 'vitest'
import { examine, type SetUp } from '../../../src/bot/doctor/examine.ts'
import type { Finding } from '../../../src/bot/doctor/finding.ts'
import { openStore } from '../../../src/bot/store/open/open-store.ts'
import { openService, type Service } from '../../../src/service/service.ts'
import { realClock } from '../../../src/shared/clock.ts'
import { openWorkspace, type Workspace } from '../../../src/workspace/workspace.ts'
import { settingsFor } from '../../support/settings.ts'
import { apiKey } from '../../support/town.ts'

export type DoctorTown = {
  readonly workspace: Workspace
  readonly service: Service
  readonly folder: string
  /** The settings of the good set-up. */
  readonly good: Record<string, string>
  /** Where nobody listens. */
  readonly closedPort: number
  /** The paths that the watcher was asked for. */
  readonly asked: string[]
}

const servers: Server[] = []

/** Answers the address of a server that lives as long as the file's tests. */
export async function serving(answer: RequestListener): Promise<string> {
  const server = createServer(answer)
  servers.push(server)
  return `http://127.0.0.1:${await portOf(server)}`
}

async function portOf(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

/** One for all tests of a file. */
export function doctorTown(): () => DoctorTown {
  let town: DoctorTown | null = null
  beforeAll(async () => {
    const asked: string[] = []
    const workspace = await openWorkspace({ limits: 'off' })
    const service = await openService({ port: 0, keys: [apiKey], sample: false, fleet: false })
    const watcher = await serving((request, response) => {
      asked.push(String(request.url))
      response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>nothing here</h1>')
    })
    const closed = createServer()
    const closedPort = await portOf(closed)
    closed.close()
    const folder = mkdtempSync(join(tmpdir(), 'monbot-doctor-'))
    const good = {
      ...settingsFor({ service, workspace, folder }),
      HEARTBEAT_URL: `${watcher}/ping/hunter2`,
    }
    town = { workspace, service, folder, good, closedPort, asked }
  })
  afterAll(async () => {
    await town?.workspace.close()
    await town?.service.close()
    for (const server of servers.splice(0)) server.close()
    rmSync(town?.folder ?? '', { recursive: true, force: true })
  })
  return () => {
    if (town === null) throw new Error('the set-up is made before the first test')
    return town
  }
}

/** What the doctor finds on the good set-up with these settings in place of its own. No finding holds a secret. */
export async function examined(
  { good, workspace }: DoctorTown,
  over: Record<string, string> = {},
  also: Partial<SetUp> = {},
): Promise<Finding[]> {
  const found: Finding[] = []
  const setUp = {
    env: { ...good, ...over },
    readFile: () => 'routes: [{ match: {}, channel: C0NOSUCH1 }]',
    clock: realClock,
    nodeVersion: process.versions.node,
    ...also,
  }
  for await (const finding of examine(setUp)) found.push(finding)
  const words = JSON.stringify(found)
  for (const secret of [apiKey, workspace.botToken, workspace.appToken, 'hunter2', 'xoxb-wrong']) {
    expect(words).not.toContain(secret)
  }
  return found
}

/** A database as a first start makes it, and what these statements then do to it. */
export async function ownDatabase(path: string, ...statements: string[]): Promise<void> {
  await (await openStore(path)).close()
  const sqlite = new SQLite(path)
  for (const statement of statements) sqlite.exec(statement)
  sqlite.close()
}
