/**
 * Measures the figures in docs/promises.md on this machine: what an idle poll costs, how long an alert takes to be a card, how
 * long a person waits for an answer, and how much memory the bot holds at rest. The bot is the real process; service and workspace run here. `npm run bench`
 * prints the table; with `--write` it puts it there.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Alert } from '../src/domain/alert/alert.ts'
import { emptyPlan } from '../src/domain/plan.ts'
import { parseServerPattern } from '../src/service/metrics/server-pattern.ts'
import { openService } from '../src/service/service.ts'
import { openStore } from '../src/store/open/open-store.ts'
import { parseManifest } from '../src/workspace/manifest.ts'
import { openWorkspace } from '../src/workspace/workspace.ts'
import { type BotProcess, startBot } from '../test/support/bot-process.ts'
import { settingsFor } from '../test/support/settings.ts'
import { measureAnswers } from './answers.ts'

const idleMs = 20_000
const alertsMeasured = 30
/** One listing of the API is read up to 9,000 records; what is older than its 30 days is in the bot's database alone. */
const listedAlerts = 8_000
const olderAlerts = 2_000
const olderMs = 40 * 24 * 3_600_000
const withinMs = 30_000

const folder = mkdtempSync(join(tmpdir(), 'monbot-bench-'))
const file = join(folder, 'monbot.db')
const manifest = readFileSync(new URL('../manifest.yml', import.meta.url), 'utf8')
const workspace = await openWorkspace({ limits: 'off', ...parseManifest(manifest) })
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

/** What the bot has kept from before. */
async function storeOlder(): Promise<void> {
  const store = await openStore(file)
  const startedMs = Date.now() - olderMs
  const alerts = Array.from({ length: olderAlerts }, (_, n): Alert => {
    const server = `old-${n % 200}`
    return {
      alertId: `older-${n}`,
      hostname: server,
      serverName: server,
      title: 'too much',
      plugin: 'CPU',
      metric: 'busy',
      value: 99,
      url: `${service.url}/a/older-${n}`,
      triggerId: null,
      saidSeverity: null,
      severity: 'warning',
      state: 'closed',
      startedMs,
      closedMs: startedMs + 60_000,
      closedBy: 'record',
      absences: 0,
      missingMs: null,
      roles: [],
      ackedBy: null,
      ackedMs: null,
      ackedBefore: null,
      saidMs: null,
      reopenedMs: null,
      version: 1,
      firstSeenMs: startedMs,
    }
  })
  await store.commit({ ...emptyPlan(startedMs), alerts: alerts.map((alert) => ({ alert, was: null })) })
  await store.close()
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
/** Answers the timestamps of the cards. */
/** What backtracks would need longer than the universe has. */
function measureFilter(): number[] {
  const filter = parseServerPattern('/(a+)+$/')
  if (filter.kind !== 'pattern') throw new Error('the filter is no pattern')
  const hostname = `${'a'.repeat(10_000)}!`
  return Array.from({ length: 20 }, () => {
    const beganMs = performance.now()
    filter.matches(hostname)
    return performance.now() - beganMs
  })
}

async function measureLatency(): Promise<string[]> {
  const posted = new Map<string, { readonly atMs: number; readonly ts: string }>()
  const stop = workspace.events.listen(({ event }) => {
    if (event.type === 'message_posted')
      posted.set(JSON.stringify(event.message), { atMs: performance.now(), ts: event.ts })
  })
  const tookMs: number[] = []
  const cards: string[] = []
  for (let n = 0; n < alertsMeasured; n += 1) {
    const server = `bench-${n}-`
    // Spread over the second between two polls.
    await wait((n * 337) % 1_000)
    const openedMs = performance.now()
    service.openAlert({ server, plugin: 'CPU', metric: 'busy', value: 99, title: 'too much' })
    const shown = () =>
      [...posted].find(([message]) => message.includes(`"card":"alert:`) && message.includes(server))?.[1]
    await until(`the card of ${server} is there`, () => shown() !== undefined)
    tookMs.push((shown()?.atMs ?? Number.NaN) - openedMs)
    cards.push(shown()?.ts ?? '')
  }
  stop()
  rows.push(['from alert to card, polled every second', spread(tookMs, 'ms')])
  return cards
}

try {
  for (let n = 0; n < listedAlerts; n += 1) {
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
  await storeOlder()
  const bot = startMeasured()
  await until('the bot is ready', () => bot.logged('app:started').length > 0)
  await measureIdle(bot)
  const cards = await measureLatency()
  for (const [what, tookMs] of await measureAnswers(workspace, cards)) {
    rows.push([`from \`${what}\` to its answer`, spread(tookMs, 'ms')])
  }
  rows.push(['`(a+)+$` as the filter of servers, against 10,000 characters', spread(measureFilter(), 'ms')])
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
const machine = `Node ${process.versions.node}, ${cpus().length} shared cores, the alerts of 30 days: ${listedAlerts.toLocaleString('en')}; stored: ${(listedAlerts + olderAlerts + alertsMeasured).toLocaleString('en')}, ${alertsMeasured} of them open.`
process.stdout.write(`${table}\n\n${machine}\n`)
if (process.argv.includes('--write')) {
  const document = new URL('../docs/promises.md', import.meta.url)
  const text = readFileSync(document, 'utf8')
  const marked = /<!-- figures -->[\s\S]*?<!-- \/figures -->/
  const section = `<!-- figures -->\n${table}\n\n${machine} Measured by \`npm run bench\`; trust the order of size, not the last digit.\n<!-- /figures -->`
  writeFileSync(
    document,
    text.replace(marked, () => section),
  )
}
