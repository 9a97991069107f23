/**
 * The least that any such bot is: Bolt on a socket, SQLite in a file, and a list that is read by undici and zod, all of it at the
 * start and its first page every second.
 */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Service } from '../src/service/service.ts'
import type { Workspace } from '../src/workspace/workspace.ts'
import { type Beside, firstWords, startBeside } from './beside.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

export const bareImports = `
const { App, LogLevel } = (await import('@slack/bolt')).default
const { default: SQLite } = await import('better-sqlite3')
const { request } = await import('undici')
const { z } = await import('zod')`

const program = `${bareImports}
const { SLACK_API_URL: slackApiUrl, SLACK_BOT_TOKEN: token, SLACK_APP_TOKEN: appToken } = process.env
const app = new App({ token, appToken, socketMode: true, logLevel: LogLevel.ERROR, clientOptions: { slackApiUrl } })
app.command('/mon', async ({ ack }) => ack('pong'))
await app.start()
const db = new SQLite(process.env.DATABASE)
db.pragma('journal_mode = WAL')
db.exec('create table if not exists alerts (id text primary key, title text)')
const seen = z.object({ results: z.array(z.object({ id: z.coerce.string() }).loose()) }).loose()
const keep = db.prepare('insert or ignore into alerts values (?, ?)')
async function page(offset) {
  const { body } = await request(process.env.ALERTS_URL + '?lifecycle=all&offset=' + offset)
  const { results } = seen.parse(await body.json())
  for (const { id } of results) keep.run(id, 'seen')
  return results.length
}
for (let offset = 0; (await page(offset)) === 50; offset += 50);
setInterval(() => page(0), 1_000)
process.stdout.write('ready\\n')
`

/** Writes it into the folder, where it finds the packages of this project. */
function writeBare(folder: string): string {
  const file = join(folder, 'bare.mjs')
  mkdirSync(folder, { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  writeFileSync(file, program)
  return file
}

type Between = { readonly folder: string; readonly service: Service; readonly workspace: Workspace }

/** Starts it between the two, with its database in the folder; resolves once it is ready, `tookMs` later. */
export async function startBare({
  folder,
  service,
  workspace,
}: Between): Promise<{ readonly child: Beside; readonly tookMs: number }> {
  const file = writeBare(folder)
  const env = {
    PATH: process.env.PATH ?? '',
    SLACK_API_URL: workspace.apiUrl,
    SLACK_BOT_TOKEN: workspace.botToken,
    SLACK_APP_TOKEN: workspace.appToken,
    ALERTS_URL: `${service.url}/api/v2/${service.keys[0]}/alerts.json`,
    DATABASE: join(folder, 'bare.db'),
  }
  const fromMs = performance.now()
  const child = startBeside([file], env)
  await firstWords(child)
  return { child, tookMs: performance.now() - fromMs }
}
