/**
 * The least that any such bot is: Bolt on a socket, SQLite in a file, and a list that is read by undici and zod, all of it at the
 * start and its first page every second.
 */
import bolt from '@slack/bolt'
import SQLite from 'better-sqlite3'
import { request } from 'undici'
import { z } from 'zod'

const { SLACK_API_URL: slackApiUrl, SLACK_BOT_TOKEN: token, SLACK_APP_TOKEN: appToken } = process.env
const { MONITOR_URL: monitor, MONITOR_API_KEY: key, DATABASE_URL: database } = process.env
const logLevel = bolt.LogLevel.ERROR
const app = new bolt.App({ token, appToken, socketMode: true, logLevel, clientOptions: { slackApiUrl } })
app.command('/mon', async ({ ack }) => ack('pong'))
await app.start()
const db = new SQLite(database.replace('sqlite:', '').replace('monbot.db', 'bare.db'))
db.pragma('journal_mode = WAL')
db.exec('create table if not exists alerts (id text primary key, title text)')
const page = z.object({ results: z.array(z.object({ id: z.coerce.string() }).loose()) }).loose()
const keep = db.prepare('insert or ignore into alerts values (?, ?)')
async function read(offset) {
  const { body } = await request(`${monitor}/api/v2/${key}/alerts.json?lifecycle=start&offset=${offset}`)
  const { results } = page.parse(await body.json())
  for (const { id } of results) keep.run(id, 'seen')
  return results.length
}
for (let offset = 0; (await read(offset)) === 50; offset += 50);
setInterval(() => read(0), 1_000)
process.stdout.write('{"msg":"bare:ready"}\n')
