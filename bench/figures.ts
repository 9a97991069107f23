/**
 * Measures the figures in the README on this machine: what an idle poll costs, how long an alert takes to be a card, and
 * how much memory the bot holds at rest. The bot is the real process; service and workspace run here. `npm run bench`
 * prints the table; with `--write` it puts it into the README.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { openService } from '../src/service/service.ts'
import { openWorkspace } from '../src/workspace/workspace.ts'
import { type BotProcess, startBot } from '../test/support/bot-process.ts'
import { settingsFor } from '../test/support/settings.ts'

const idleMs = 20_000
const alertsMeasured = 30
const storedAlerts = 8_000
const withinMs = 30_000

const folder = mkdtempSync(join(tmpdir(), 'monbot-bench-'))
const file = join(folder, 'monbot.db')
const workspace = await openWorkspace({ limits: 'off' })
const service = await openService({ key: 'bench-key-000001', sample: false, fleet: false })
const rows: [string, string][] = []

function startMeasured(): BotProcess {
  return startBot({ ...settingsFor({ service, workspace, folder }), LOG_LEVEL: 'debug' })
}

async function until(what: string, isSo: () => boolean): Promise<void> {
  const deadlineMs = Date.now() + withinMs
  while (!isSo()) {
    if (Date.now() > deadlineMs) throw new Error(`it took more than ${withinMs / 1000} s until ${what}`)
    await wait(5)
  }
}

const apiRequests = () => Object.values(service.requests()).reduce((sum, count) => sum + count, 0)
const writtenBytes = () => statSync(`${file}-wal`).size + statSync(file).size
const residentMb = (bot: BotProcess) =>
  Number(execFileSync('ps', ['-o', 'rss=', '-p', String(bot.child.pid)], { encoding: 'utf8' })) / 1024

function spread(values: readonly number[], unit: string): string {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (share: number) => Math.round(sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN)
  return `${at(0.5)} ${unit} median, ${at(0.95)} ${unit} at 95 %, ${at(1)} ${unit} at most (n = ${sorted.length})`
}

async function measureIdle(bot: BotProcess): Promise<void> {
  await wait(3_000)
  const before = { requests: apiRequests(), polls: bot.logged('poll:done').length, bytes: writtenBytes() }
  await wait(idleMs)
  const polls = bot.logged('poll:done').length - before.polls
  const requests = apiRequests() - before.requests
  rows.push(['requests of an idle poll', `${(requests / polls).toFixed(2)} (${requests} in ${polls} polls)`])
  rows.push(['bytes written by idle polls', `${writtenBytes() - before.bytes} (${polls} polls)`])
}

/** From the moment the API lists the alert until its card stands in the channel; up to a second of it is the poll's wait. */
async function measureLatency(): Promise<void> {
  const posted = new Map<string, number>()
  const stop = workspace.events.listen(({ event }) => {
    if (event.type === 'message_posted') posted.set(JSON.stringify(event.message), performance.now())
  })
  const tookMs: number[] = []
  for (let n = 0; n < alertsMeasured; n += 1) {
    const server = `bench-${n}-`
    // Spread over the second between two polls.
    await wait((n * 337) % 1_000)
    const openedMs = performance.now()
    service.openAlert({ server, plugin: 'CPU', metric: 'busy', value: 99, title: 'too much' })
    const shown = () => [...posted].find(([message]) => message.includes(server))?.[1]
    await until(`the card of ${server} is there`, () => shown() !== undefined)
    tookMs.push((shown() ?? Number.NaN) - openedMs)
  }
  stop()
  rows.push(['from alert to card, polled every second', spread(tookMs, 'ms')])
}

try {
  for (let n = 0; n < storedAlerts; n += 1) {
    service.closeAlert(
      service.openAlert({
        server: `old-${n % 200}`,
        plugin: 'CPU',
        metric: 'busy',
        value: 99,
        title: 'too much',
      }),
    )
  }
  const bot = startMeasured()
  await until('the bot is ready', () => bot.logged('app:started').length > 0)
  await measureIdle(bot)
  await measureLatency()
  await wait(5_000)
  rows.push([
    'memory at rest (resident), after the first reading of all these',
    `${residentMb(bot).toFixed(0)} MB`,
  ])
  await bot.kill('SIGTERM')
} finally {
  await service.close()
  await workspace.close()
  rmSync(folder, { recursive: true, force: true })
}

const table = [
  '| figure | value |',
  '|---|---|',
  ...rows.map(([name, value]) => `| ${name} | ${value} |`),
].join('\n')
const machine = `Node ${process.versions.node}, ${cpus().length} shared cores, the alerts of 30 days: ${storedAlerts.toLocaleString('en')}, ${alertsMeasured} of them open.`
process.stdout.write(`${table}\n\n${machine}\n`)
if (process.argv.includes('--write')) {
  const readme = new URL('../README.md', import.meta.url)
  const text = readFileSync(readme, 'utf8')
  const marked = /<!-- figures -->[\s\S]*?<!-- \/figures -->/
  const section = `<!-- figures -->\n${table}\n\n${machine} Measured by \`npm run bench\`; trust the order of size, not the last digit.\n<!-- /figures -->`
  writeFileSync(
    readme,
    text.replace(marked, () => section),
  )
}
