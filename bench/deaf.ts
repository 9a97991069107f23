/**
 * Measures whether anything that people or the API can send keeps others waiting: the real process between the real workspace
 * and an API that says whatever is hostile, while `/healthz` is asked every 20 ms from elsewhere. `npm run bench:deaf` prints
 * the longest wait of each row, and ends with 1 where one is more than 250 ms above that of an idle process beside it.
 * `-- --only TEXT` takes the rows whose name has the text in it; `-- --short` a few, to see that it still measures.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { parseManifest } from '../src/workspace/manifest.ts'
import { openWorkspace, type Workspace } from '../src/workspace/workspace.ts'
import { type BotProcess, startBot } from '../test/support/bot-process.ts'
import { freePort } from '../test/support/free-port.ts'
import { patienceMs } from '../test/support/patience.ts'
import { settingsFor } from '../test/support/settings.ts'
import { type HostileApi, openAlerts, openHostileApi } from './hostile-api.ts'
import { type Watcher, watchWaits } from './longest-wait.ts'
import { isShort, measured } from './measured.ts'
import { until } from './town.ts'

const goalMs = 250

type Stage = {
  readonly api: HostileApi
  readonly workspace: Workspace
  readonly folder: string
  readonly port: number
  bot: BotProcess | null
}

type Row = { readonly name: string; readonly run: (stage: Stage) => Promise<void> }

const routes = Array.from({ length: 200 }, (_, n) => ({
  match: { server: `rack-${n}-*-db?`, title: `*disk*full*${n}%*` },
  channel: 'CHANNEL',
}))

/** Two hundred routes, all of them into the one channel. */
function policyFor({ folder, workspace }: Stage, over: object = {}): string {
  const file = join(folder, 'policy.json')
  const text = JSON.stringify({ routes, permissions: { mute_account: 'everyone' }, ...over })
  writeFileSync(file, text.replaceAll('CHANNEL', workspace.channel('alerts').id))
  return file
}

async function startIn(stage: Stage, over: object = {}): Promise<void> {
  const bot = startBot({
    ...settingsFor({ service: stage.api, workspace: stage.workspace, folder: stage.folder }),
    PORT: String(stage.port),
    MONBOT_CONFIG: policyFor(stage, over),
    LOG_LEVEL: 'debug',
  })
  stage.bot = bot
  await until('the bot is ready', 180_000, () => {
    if (bot.child.exitCode !== null) throw new Error(`the bot did not start:\n${bot.output().slice(-2_000)}`)
    return bot.logged('app:started').length > 0
  })
}

/** Until so many polls more have been made. */
async function polls({ bot }: Stage, count: number): Promise<void> {
  const done = () => bot?.logged('poll:done').length ?? 0
  const before = done()
  await until(`${count} polls are made`, 180_000, () => done() >= before + count)
}

/** Types a command, and waits until it is answered, whatever the answer. */
function asking(text: string): Row['run'] {
  return async ({ workspace }) => {
    const { channel, acts, events } = {
      channel: workspace.channel('alerts').id,
      acts: workspace.acts,
      events: workspace.events,
    }
    let isAnswered = false
    const stop = events.listen(({ event }) => {
      if (event.type === 'ephemeral_posted' || event.type === 'view_opened') isAnswered = true
    })
    await acts.command({ user: 'ana', channel, command: '/mon', text })
    await until(`/mon ${text.slice(0, 40)} is answered`, patienceMs, () => isAnswered)
    stop()
  }
}

const servers = (count: number, name: string) => Array.from({ length: count }, (_, n) => `${name}-${n}`)
const points = (count: number, of: (n: number) => number): HostileApi['points'] =>
  Array.from({ length: count }, (_, n) => [of(n) - 1, of(n), of(n) + 1])

function charted(drawn: HostileApi['points']): Row['run'] {
  return async (stage) => {
    stage.api.points = drawn
    await asking('chart web-1 cpu_busy 5h')(stage)
  }
}

const rows: readonly Row[] = [
  { name: 'nothing', run: (stage) => polls(stage, 3) },
  {
    name: '1,000 alerts at once, 200 routes',
    run: async (stage) => {
      openAlerts(stage.api, 1_000, 'storm')
      await polls(stage, 4)
    },
  },
  {
    name: '/mon mute with 980 names, 5,000 servers',
    run: async (stage) => {
      stage.api.roles = { fleet: servers(5_000, 'web') }
      await asking(`mute ${servers(980, 'wbe').join(',')} 1h`)(stage)
    },
  },
  { name: '/mon mute with a glob of many stars', run: asking(`mute ${'*w?'.repeat(60)} 1h`) },
  { name: 'a chart of 43,200 points', run: charted(points(43_200, (n) => 50 + 40 * Math.sin(n / 500))) },
  { name: 'a chart of 100,000 points', run: charted(points(100_000, (n) => (n * 7_919) % 100)) },
  {
    name: 'a chart of values next to nothing',
    run: charted(points(300, (n) => (n % 2 === 0 ? 1e-320 : -1e-320))),
  },
  {
    name: '/mon roles with 50,000 servers',
    run: async (stage) => {
      stage.api.roles = { fleet: servers(50_000, 'web'), db: servers(50_000, 'db') }
      await asking('roles')(stage)
      await asking('roles web-49999')(stage)
    },
  },
  {
    name: '10,000 alerts more, as a list opens and closes',
    run: async (stage) => {
      openAlerts(stage.api, 10_000, 'many')
      await polls(stage, 4)
    },
  },
  { name: '/mon alerts', run: asking('alerts') },
  { name: '/mon alerts all page 20', run: asking('alerts all page 20') },
  { name: '/mon status', run: asking('status') },
  { name: '/mon handoff', run: asking('handoff') },
  { name: '/mon report 30d', run: asking('report 30d') },
  { name: '/mon ack with a name that is nearly many', run: asking('ack many-99999') },
  {
    name: 'the Home tab',
    run: async (stage) => {
      await stage.workspace.acts.home({ user: 'ana' })
      await wait(3_000)
    },
  },
  {
    name: 'all but 100 of them close',
    run: async (stage) => {
      let left = 0
      for (const alert of stage.api.alerts.values()) {
        left += 1
        if (left > 100) alert.isOpen = false
      }
      await polls(stage, 4)
    },
  },
  {
    name: 'a first start on 50,000 open alerts',
    run: async (stage) => {
      await stage.bot?.kill('SIGTERM')
      rmSync(join(stage.folder, 'monbot.db'), { force: true })
      for (const end of ['-wal', '-shm', '-lock'])
        rmSync(join(stage.folder, `monbot.db${end}`), { force: true })
      stage.api.alerts.clear()
      openAlerts(stage.api, 50_000, 'backlog')
      await startIn(stage)
      await polls(stage, 3)
    },
  },
  { name: '/mon status, 50,000 open', run: asking('status') },
  { name: '/mon handoff, 50,000 open', run: asking('handoff') },
]

const { values: asked } = parseArgs({ options: { only: { type: 'string' }, short: { type: 'boolean' } } })
const only = asked.only ?? (isShort ? '/mon status|glob of many stars|next to nothing' : '')
const chosen = rows.filter(({ name }) => only.split('|').some((one) => name.includes(one)))
if (chosen.length === 0) {
  process.stderr.write(`deaf: expected --only as a part of one of these; came ${JSON.stringify(only)}\n`)
  for (const { name } of rows) process.stderr.write(`  ${name}\n`)
  process.exit(2)
}
const folder = mkdtempSync(join(tmpdir(), 'monbot-deaf-'))
const manifest = readFileSync(new URL('../manifest.yml', import.meta.url), 'utf8')
const workspace = await openWorkspace({ limits: 'slack', ...parseManifest(manifest) })
const stage: Stage = { api: await openHostileApi(), workspace, folder, port: await freePort(), bot: null }
const table: string[] = ['| while | longest wait | an idle process |  |', '|---|---:|---:|---|']
let missed = 0

async function measure({ name, run }: Row, watcher: Watcher): Promise<void> {
  await watcher.longest()
  const failure = await run(stage).then(
    () => null,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  )
  const { botMs, controlMs } = await watcher.longest()
  for (const waitedMs of [botMs, controlMs]) measured(`the longest wait while ${name}`, waitedMs)
  const isMissed = failure !== null || (!isShort && botMs - controlMs > goalMs)
  if (isMissed) missed += 1
  const verdict = failure ?? (isMissed ? 'too long' : '')
  table.push(`| ${name} | ${botMs.toFixed(0)} ms | ${controlMs.toFixed(0)} ms | ${verdict} |`)
  process.stderr.write(`${table.at(-1)}\n`)
}

try {
  const watcher = await watchWaits(stage.port)
  await startIn(stage)
  for (const row of chosen) await measure(row, watcher)
  await watcher.close()
} finally {
  await stage.bot?.kill('SIGTERM')
  await stage.api.close()
  await workspace.close()
  rmSync(folder, { recursive: true, force: true })
}
process.stdout.write(
  `${table.join('\n')}\n\nNode ${process.versions.node}, ${cpus().length} shared cores; goal: at most ${goalMs} ms more than an idle process.\n`,
)
process.exitCode = missed > 0 ? 1 : 0
