/**
 * `npm run bench`: how fast and how lean the bot is on its real processes, beside bare Bolt with SQLite (`bare.mjs`) in the same run,
 * and the service in front of a Prometheus. It takes about 15 minutes on two free cores and prints a table; `npm run bench -- start
 * storm` measures some parts only, and `receiver` must be asked for by name. A busy machine gives bad figures: nothing here fails.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { withEmoji } from '../src/workspace/page/blocks/emoji-codes.js'
import { openPostgres } from '../test/bot/worlds/postgres.ts'
import { type BotProcess, openTown, startBot, type Town, until } from '../test/bot/worlds/town.ts'
import { receiver } from './receiver.ts'

const fileOf = (name: string) => fileURLToPath(new URL(name, import.meta.url))
const bare = fileOf('bare.mjs')
const withStalls = { NODE_OPTIONS: `--import=${fileOf('stalls.mjs')}` }
const restMs = 20_000
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const rows: string[] = []

const usual = { start, first, press, storm, takeOver, reading }
const parts: Record<string, () => Promise<void>> = { ...usual, receiver }
const asked = process.argv.slice(2)
for (const name of asked.length === 0 ? Object.keys(usual) : asked) await parts[name]?.()
if (rows.length > 0)
  process.stdout.write(`\n| figure | reached | bare | goal |\n|---|---:|---:|---:|\n${rows.join('\n')}\n`)
process.exit(0)

function note(figure: string, reached: number, goal: string, beside?: number, unit = 'ms'): void {
  const ratio = beside === undefined ? '' : ` (${(reached / beside).toFixed(2)} x)`
  const besideWords = beside === undefined ? '' : `${Math.round(beside)} ${unit}`
  rows.push(`| ${figure} | ${+reached.toFixed(1)} ${unit}${ratio} | ${besideWords} | ${goal} |`)
  process.stdout.write(`${rows.at(-1)}\n`)
}

/** Start and memory at rest, with so many alerts open; both begin with an empty database. */
async function start(): Promise<void> {
  for (const open of [80, 800, 8_000]) {
    await inTown(open, async (town) => {
      // The first start of each compiles.
      for (const file of [undefined, bare]) await (await started(town, {}, file)).bot.kill('SIGTERM')
      const other = await atRest(town, {}, bare)
      const DATABASE_URL = `sqlite:${town.folder}/fresh.db`
      const ours = await atRest(town, { DATABASE_URL })
      note(`start to ready, ${open} open`, ours.readyMs, '≤ 1.3 x', other.readyMs)
      note(`memory at rest, ${open} open`, ours.mb, open < 8_000 ? '≤ 1.3 x' : '≤ 2 x', other.mb, 'MB')
      note(`requests of an idle poll, ${open} open`, ours.requests, '2', other.requests, '')
      const again = await started(town, { DATABASE_URL })
      note(`start to ready, ${open} stored`, again.readyMs, '', other.readyMs)
      await again.bot.kill('SIGTERM')
    })
  }
}

/** The first poll of 10,000 to the first message. */
async function first(): Promise<void> {
  await inTown(10_000, async (town) => {
    const other = await started(town, {}, bare)
    await other.bot.kill('SIGTERM')
    const posted = happened(town, () => true)
    const { bot, fromMs } = await started(town, withStalls)
    note('first poll of 10,000: from the start to the first message', (await posted) - fromMs, '≤ 1500 ms')
    note('… bare: from the start to all of them read', other.readyMs, '')
    await wait(restMs)
    note('… longest stall', await stallOf(bot), '≤ 250 ms')
    await bot.kill('SIGTERM')
    const again = await started(town, withStalls)
    note('start to ready, 10,000 stored', again.readyMs, '≤ 600 ms')
    await wait(restMs)
    note('… longest stall', await stallOf(again.bot), '≤ 250 ms')
    await again.bot.kill('SIGTERM')
  })
}

/** A press to the edited card at 8,000 open, on both databases, and the longest stall meanwhile. */
async function press(): Promise<void> {
  const postgres = await openPostgres()
  for (const database of ['SQLite', 'Postgres']) {
    await inTown(8_000, async (town) => {
      const url = { DATABASE_URL: postgres.url(await postgres.create()) }
      const { bot } = await started(town, { ...withStalls, ...(database === 'SQLite' ? {} : url) })
      // The list's thread gets 100 replies, one a second.
      await wait(110_000)
      note(`longest stall while 8,000 are listed, ${database}`, await stallOf(bot), '≤ 250 ms')
      await wait(restMs)
      note(`longest stall at rest, 8,000 open, ${database}`, await stallOf(bot), '≤ 250 ms')
      const tookMs: number[] = []
      for (let n = 0; n < 15; n += 1) {
        const server = `pressed-${n}`
        town.service.control.open({ server, plugin: `Plugin ${n}`, metric: 'm', value: 97, title: 'm' })
        const card = await until(() => town.cards().find(({ text }) => text.includes(server)), 'a card', bot)
        await wait(1_500)
        const edited = happened(town, (text) => text.includes(server) && text.includes('is on it'))
        const fromMs = performance.now()
        await town.person('ana').presses('Acknowledge', card)
        tookMs.push((await edited) - fromMs)
      }
      tookMs.sort((a, b) => a - b)
      note(`press to the edited card, 8,000 open, ${database}: median`, tookMs[7] ?? 0, '≤ 50 ms')
      note('… slowest of 15', tookMs[14] ?? 0, '')
      note(`longest stall during presses, ${database}`, await stallOf(bot), '≤ 250 ms')
      await bot.kill('SIGTERM')
    })
  }
  await postgres.close()
}

/** 1,000 of a kind at once. */
async function storm(): Promise<void> {
  await inTown(1, async (town) => {
    const { bot } = await started(town, withStalls)
    await wait(5_000)
    await stallOf(bot)
    const counted = happened(town, (text) => /1,?000 × /.test(text))
    const fromMs = performance.now()
    const ids = openMany(town, 1_000)
    note('1,000 at once: counted', (await counted) - fromMs, '≤ 2000 ms')
    const isListed = () => {
      const replies = town.messages().filter(({ thread_ts: thread }) => thread !== undefined)
      return new Set(JSON.stringify(replies).match(/many-\d+/g)).size === ids.length
    }
    while (!isListed()) await wait(100)
    note('… listed', performance.now() - fromMs, '≤ 14000 ms')
    const closed = happened(town, (text) => text.startsWith('🟢') && /1,?000 × /.test(text))
    for (const id of ids) town.service.control.close(id)
    const closedMs = performance.now()
    note('… closed', (await closed) - closedMs, '')
    note('… longest stall', await stallOf(bot), '≤ 250 ms')
    await bot.kill('SIGTERM')
  })
}

/** From the end of the leading bot to the other's first good poll. */
async function takeOver(): Promise<void> {
  const postgres = await openPostgres()
  await inTown(800, async (town) => {
    const DATABASE_URL = postgres.url(await postgres.create())
    const begin = async (name: string) => (await started(town, { DATABASE_URL, REPLICA_NAME: name })).bot
    let [leader, other] = [await begin('a'), await begin('b')]
    for (const [signal, goal] of [
      ['SIGKILL', '≤ 16000 ms'],
      ['SIGTERM', '≤ 2000 ms'],
    ] as const) {
      await wait(restMs)
      const fromMs = performance.now()
      const before = town.service.requests()['GET /alerts.json'] ?? 0
      await leader.kill(signal)
      while (other.logged('app:leads').length === 0) await wait(5)
      note(`take-over after ${signal}: leads`, performance.now() - fromMs, goal)
      while ((town.service.requests()['GET /alerts.json'] ?? 0) < before + 3) await wait(5)
      note('… polls', performance.now() - fromMs, goal)
      leader = other
      other = await begin(signal)
    }
    for (const bot of [leader, other]) await bot.kill('SIGTERM')
  })
  await postgres.close()
}

/** What the service alone takes, in front of a Prometheus and an Alertmanager where 5,000 alerts fire. */
async function reading(): Promise<void> {
  // Those of `npm run service`.
  const flags = ['--max-semi-space-size=8', '--heap-growing-percent=60']
  const { stdout } = spawnSync(process.execPath, [...flags, fileOf('reading.ts')])
  const figures = JSON.parse(String(stdout)) as { wallMs: number; cpuMs: number; mb: number }[]
  const median = (all: number[]) => all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? 0
  note(
    'a reading of 5,000 alerts of 15 labels: median',
    median(figures.map(({ wallMs }) => wallMs)),
    '≤ 450 ms',
  )
  note('… CPU time', median(figures.map(({ cpuMs }) => cpuMs)), '')
  note('… most memory', Math.max(...figures.map(({ mb }) => mb)), '≤ 300 MB', undefined, 'MB')
}

async function inTown(open: number, work: (town: Town) => Promise<void>): Promise<void> {
  const town = await openTown()
  try {
    openMany(town, open)
    await work(town)
  } finally {
    await town.close()
  }
}

/** On a thousand servers, of as many kinds as that takes. */
function openMany({ service }: Town, count: number): number[] {
  return Array.from({ length: count }, (_, n) => {
    const [server, plugin] = [`many-${n % 1_000}`, `CPU ${Math.floor(n / 1_000)}`]
    return service.control.open({ server, plugin, metric: 'busy', value: 97, title: 'busy 97%' })
  })
}

type Started = { readonly bot: BotProcess; readonly fromMs: number; readonly readyMs: number }

/** Ready: connected to Slack, and the whole list is read. */
async function started(town: Town, over: Record<string, string> = {}, file?: string): Promise<Started> {
  const fromMs = performance.now()
  const bot = startBot(town.settings({ LOG_LEVEL: 'info', ...over }), file)
  // While it loads its modules nobody can wait for it yet.
  if (over.NODE_OPTIONS !== undefined) {
    await until(() => bot.logged('app:started')[0], 'its start', bot)
    await stallOf(bot)
  }
  while (!(await isReady(bot))) {
    if (bot.child.exitCode !== null) throw new Error(bot.output())
    await wait(5)
  }
  return { bot, fromMs, readyMs: performance.now() - fromMs }
}

async function isReady(bot: BotProcess): Promise<boolean> {
  if (bot.logged('bare:ready').length > 0) return true
  const port = bot.logged('app:started')[0]?.port
  if (port === undefined) return false
  return (await fetch(`http://127.0.0.1:${port}/readyz`)).ok
}

async function atRest(town: Town, over: Record<string, string>, file?: string) {
  const { bot, readyMs } = await started(town, over, file)
  await wait(restMs)
  const asked = () => Object.values(town.service.requests()).reduce((sum, count) => sum + count, 0)
  const before = asked()
  await wait(10_000)
  const requests = (asked() - before) / 10
  const status = readFileSync(`/proc/${bot.child.pid}/status`, 'utf8')
  const mb = Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024
  await bot.kill('SIGTERM')
  return { readyMs, requests, mb }
}

/** When a message of the channel first reads so. */
function happened(town: Town, isIt: (text: string) => boolean): Promise<number> {
  return new Promise((resolve) => {
    town.workspace.events.listen(({ event }) => {
      if (event.type !== 'message_posted' && event.type !== 'message_updated') return
      if (isIt(withEmoji(String((event.message as { text?: string }).text)))) resolve(performance.now())
    })
  })
}

/** The longest stall of its event loop since it was asked last. */
async function stallOf(bot: BotProcess): Promise<number> {
  const before = bot.logged('bench:stall').length
  bot.child.kill('SIGUSR2')
  return Number((await until(() => bot.logged('bench:stall')[before], 'the longest stall', bot)).ms)
}
