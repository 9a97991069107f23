/** `npm run week -- --days 7 --seed 1`: lets the bot live through a busy week, and prints how it grew, day by day. */
import { parseArgs } from 'node:util'
import type { TableSize } from '../test/week/gauge.ts'
import { busyTown } from '../test/week/life.ts'
import { pollsAnHour, runWeek, type Sample } from '../test/week/run.ts'
import { verdictOf } from '../test/week/verdict.ts'

const hoursADay = 24
const hourMs = 3_600_000
const megabyte = 1_000_000

const { values } = parseArgs({
  options: {
    days: { type: 'string', default: '7' },
    seed: { type: 'string', default: '1' },
    /** For how many hours alerts are remembered; records for twice as long. */
    kept: { type: 'string', default: '24' },
    /** Where the database is kept; the system's folder for temporary files by default. */
    folder: { type: 'string' },
  },
})
const [days, seed, keptHours] = [Number(values.days), Number(values.seed), Number(values.kept)]
if (!(days > 0) || !Number.isInteger(seed) || !(keptHours > 0)) {
  process.stderr.write('week: expected --days and --kept above 0, and --seed as a whole number\n')
  process.exit(2)
}
if (globalThis.gc === undefined) {
  process.stderr.write('week: start it with node --expose-gc, or what it holds cannot be told from garbage\n')
  process.exit(2)
}

const columns = [
  'day',
  'changes',
  'posts',
  'updates',
  'rows',
  'file MB',
  'heap MB',
  'RSS MB',
  'CPU s a 1,000 polls',
]
const say = (cells: readonly (string | number)[]) => process.stdout.write(`| ${cells.join(' | ')} |\n`)
const inMB = (bytes: number) => (bytes / megabyte).toFixed(1)
const counted = (n: number) => n.toLocaleString('en')

let before: Pick<Sample, 'polls' | 'changes' | 'posts' | 'updates' | 'cpuMs'> = {
  polls: 0,
  changes: 0,
  posts: 0,
  updates: 0,
  cpuMs: 0,
}

function tellDay(now: Sample): void {
  const polls = now.polls - before.polls
  say([
    Math.ceil(now.hour / hoursADay),
    counted(now.changes - before.changes),
    counted(now.posts - before.posts),
    counted(now.updates - before.updates),
    counted(now.rows),
    inMB(now.fileBytes + now.journalBytes),
    inMB(now.heapBytes),
    inMB(now.rssBytes),
    ((now.cpuMs - before.cpuMs) / polls).toFixed(1),
  ])
  before = now
}

function tellTables(tables: readonly TableSize[]): void {
  say(['table', 'rows', 'MB'])
  say(['---', '---:', '---:'])
  for (const { table, rows, bytes } of tables) say([table, counted(rows), inMB(bytes)])
}

say(columns)
say(columns.map(() => '---:'))
// At least a few polls, and of those no fraction.
const hours = Math.ceil(days * hoursADay * pollsAnHour) / pollsAnHour
const report = await runWeek({
  hours,
  seed,
  town: busyTown,
  keptMs: keptHours * hourMs,
  ...(values.folder === undefined ? {} : { folder: values.folder }),
  onHour: (sample) => {
    if (sample.hour % hoursADay === 0 || sample.hour === hours) tellDay(sample)
    else if (process.stderr.isTTY) process.stderr.write(`\rhour ${sample.hour}   \r`)
  },
})
process.stdout.write('\n')
tellTables(report.tables)
const last = report.samples.at(-1)
process.stdout.write(
  `\nseed ${seed}: ${counted(last?.polls ?? 0)} polls, ${counted(last?.failedPolls ?? 0)} of them failed, ${counted(last?.changes ?? 0)} changes, ${Math.round((last?.tookMs ?? 0) / 1_000)} s\n`,
)
const { sentences, isKept } = verdictOf(report, keptHours)
for (const sentence of sentences) process.stdout.write(`${sentence}\n`)
if (!isKept) process.exitCode = 1
