/**
 * Measures how lean the bot is, beside the least that such a bot can be (`bare.ts`) and in the same run: what importing and
 * starting it takes, and how much memory it holds at rest, with 8,000 alerts and after pictures. `npm run bench:lean` takes
 * about a quarter of an hour, prints a table of medians with ratios, and writes it as JSON where `-- --json FILE` names a file;
 * `-- --runs N` measures more or less often than three times. Processes are measured as Linux shows them.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { bundledBot } from '../test/support/bundled.ts'
import { patienceMs } from '../test/support/patience.ts'
import { bareImports, startBare } from './bare.ts'
import { median } from './figure.ts'
import { measured, sized } from './measured.ts'
import { cpuMs, residentMb } from './process-use.ts'
import { openTown, type Town, until } from './town.ts'

const { values: asked } = parseArgs({
  options: {
    runs: { type: 'string', default: sized('3', '1') },
    json: { type: 'string' },
    short: { type: 'boolean' },
  },
})
const restMs = sized(20_000, 500)
/** Longer than the thread that draws stays idle before it ends. */
const afterPicturesMs = sized(45_000, 1_000)
const alerts = sized(8_000, 60)
const staysOpen = sized(30, 5)
const charts = sized(20, 2)
const quietMs = sized(10_000, 2_000)
const stormWithinMs = 300_000

const root = fileURLToPath(new URL('..', import.meta.url))
const bundled = dirname(await bundledBot())
const monbotImports = ['replica', 'config', 'log']
  .map((name) => `await import(${JSON.stringify(join(bundled, `bot-${name}.js`))})`)
  .join('\n')

type Who = 'bare' | 'monbot'
const found = new Map<string, Record<Who, number[]>>()

function note(figure: string, who: Who, value: number): void {
  const values = found.get(figure) ?? { bare: [], monbot: [] }
  found.set(figure, values)
  values[who].push(measured(`${figure}, ${who}`, value))
}

/** Milliseconds until a process of its own has loaded all of it. */
function importMs(imports: string, cache: string | null): number {
  const program = `
    ${cache === null ? '' : `(await import('node:module')).enableCompileCache(${JSON.stringify(cache)})`}
    const fromMs = performance.now()
    ${imports}
    process.stdout.write(String(performance.now() - fromMs))
    process.exit(0)`
  const words = ['--input-type=module', '--eval', program]
  return Number(execFileSync(process.execPath, words, { cwd: root, encoding: 'utf8' }))
}

function measureImports(folder: string): void {
  for (const [who, imports] of [
    ['bare', bareImports],
    ['monbot', monbotImports],
  ] as const) {
    const cache = join(folder, who)
    note('import, nothing compiled before', who, importMs(imports, null))
    importMs(imports, cache)
    note('import, compiled before', who, importMs(imports, cache))
  }
}

async function inTown(measure: (town: Town) => Promise<void>): Promise<void> {
  const town = await openTown('off', 12)
  try {
    await measure(town)
  } finally {
    await town.close()
  }
}

async function measureBare(town: Town): Promise<void> {
  const { child, tookMs } = await startBare(town)
  await measureStarted('bare', child.pid, tookMs)
  child.kill()
}

async function measureStarted(who: Who, pid: number | undefined, tookMs: number): Promise<void> {
  note('from start to ready', who, tookMs)
  note('CPU of the start', who, cpuMs(pid))
  await wait(restMs)
  note('memory at rest', who, residentMb(pid))
}

async function measureMonbot(town: Town): Promise<void> {
  const { bot, tookMs } = await town.start()
  const { pid } = bot.child
  await measureStarted('monbot', pid, tookMs)
  const lastPosted = followPosts(town.workspace)
  const ids = openAlerts(town.service)
  let mostMb = 0
  await until('all are posted', stormWithinMs, () => {
    mostMb = Math.max(mostMb, residentMb(pid))
    return lastPosted() !== null && performance.now() - (lastPosted() ?? 0) > quietMs
  })
  note(`memory at most, while ${alerts.toLocaleString('en')} alerts are posted`, 'monbot', mostMb)
  for (const id of ids.slice(staysOpen)) town.service.closeAlert(id)
  await wait(restMs)
  note('memory at rest after them', 'monbot', residentMb(pid))
  await askForCharts(town)
  note(`memory after ${charts} pictures`, 'monbot', residentMb(pid))
  await wait(afterPicturesMs)
  note(`memory ${afterPicturesMs / 1_000} s after the pictures`, 'monbot', residentMb(pid))
  await bot.kill('SIGTERM')
  const second = await town.start({ DATABASE_URL: `sqlite:${join(town.folder, 'second.db')}` })
  await wait(restMs)
  note('memory at rest after a first start on these alerts', 'monbot', residentMb(second.bot.child.pid))
  await second.bot.kill('SIGTERM')
}

function openAlerts(service: Town['service']): number[] {
  return Array.from({ length: alerts }, (_, n) =>
    service.openAlert({
      server: `old-${n % 200}`,
      plugin: 'CPU',
      metric: 'busy',
      value: 99,
      title: 'too much',
    }),
  )
}

/** When a message was posted last, or updated; null before the first. */
function followPosts(workspace: Town['workspace']): () => number | null {
  let lastMs: number | null = null
  workspace.events.listen(({ event }) => {
    if (event.type === 'message_posted' || event.type === 'message_updated') lastMs = performance.now()
  })
  return () => lastMs
}

async function askForCharts({ workspace }: Town): Promise<void> {
  let answered = 0
  const stop = workspace.events.listen(({ event }) => {
    if (event.type === 'ephemeral_posted') answered += 1
  })
  for (let n = 1; n <= charts; n += 1) {
    await workspace.acts.command({
      user: 'ana',
      channel: workspace.channel('alerts').id,
      command: '/mon',
      text: `chart web-1 cpu_busy 2h`,
    })
    await until('a chart is answered', patienceMs, () => answered >= n)
  }
  stop()
}

for (let run = 0; run < Number(asked.runs); run += 1) {
  const folder = mkdtempSync(join(tmpdir(), 'monbot-compiled-'))
  measureImports(folder)
  rmSync(folder, { recursive: true, force: true })
  await inTown(measureBare)
  await inTown(measureMonbot)
}

if (found.size === 0) throw new Error(`expected --runs of 1 or more; came ${asked.runs}`)
const figures = [...found].map(([figure, { bare, monbot }]) => ({
  figure,
  unit: figure.startsWith('memory') ? 'MB' : 'ms',
  bare: bare.length === 0 ? null : median(bare),
  monbot: monbot.length === 0 ? null : median(monbot),
}))
process.stdout.write('| figure | bare Bolt | monbot | ratio |\n|---|---:|---:|---:|\n')
for (const { figure, unit, bare, monbot } of figures) {
  const said = (value: number | null) => (value === null ? '' : `${value.toFixed(0)} ${unit}`)
  const ratio = bare === null || monbot === null ? '' : (monbot / bare).toFixed(2)
  process.stdout.write(`| ${figure} | ${said(bare)} | ${said(monbot)} | ${ratio} |\n`)
}
const machine = { node: process.versions.node, cores: cpus().length, runs: Number(asked.runs) }
process.stdout.write(
  `\nNode ${machine.node}, ${machine.cores} shared cores, medians of ${machine.runs} runs.\n`,
)
if (asked.json !== undefined)
  writeFileSync(asked.json, `${JSON.stringify({ ...machine, figures }, null, 2)}\n`)
