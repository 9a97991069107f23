/**
 * `npm run bench`: what monbot costs and how long people wait for it, each beside a floor or a peer in the same run and at three
 * sizes. The bot is the real process; service and workspace run here. It takes about a quarter of an hour, prints a table, writes it
 * to `bench/figures.json`, and ends with 1 where a goal is missed. `-- --only WORD` measures only what has that word in its name, and writes nothing;
 * `-- --write` puts the table into docs/promises.md; `-- --short` only sees that each still measures.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { type Figure, isMet, ratioOf, tableOf } from './figure.ts'
import { isShort, sized } from './measured.ts'
import { measureStorm, measureWaits } from './people.ts'
import { measureCatchUp, measureIdle, measureReconcile, measureSweep } from './polls.ts'
import { measureChart, measureFilter, measureProcess } from './process.ts'

const measures: Record<string, readonly [(size: number) => unknown, number]> = {
  idle: [measureIdle, 100],
  sweep: [measureSweep, 1_000],
  'catch-up': [measureCatchUp, 500],
  reconcile: [measureReconcile, 1_000],
  waits: [measureWaits, 100],
  storm: [measureStorm, 10],
  process: [measureProcess, 80],
  chart: [measureChart, 120],
  filter: [measureFilter, 100],
}
const sizes = sized([1, 10, 100], [1])

const asked = askedOrExit(process.argv.slice(2), Object.keys(measures))
const figures: Figure[] = []
for (const [name, [measure, smallest]] of Object.entries(measures)) {
  if (asked.only !== undefined && !name.includes(asked.only)) continue
  for (const times of sizes) {
    process.stderr.write(`${name}, ${times} times …\n`)
    figures.push(...[(await measure(smallest * times)) as Figure | Figure[]].flat())
  }
}

// The sizes of one figure stand together.
const table = tableOf(
  Object.values(Object.groupBy(figures, ({ figure }) => figure)).flatMap((rows) => rows ?? []),
)
const machine = `Node ${process.versions.node}, ${cpus().length} shared cores.`
process.stdout.write(`${table}\n\n${machine}\n`)
const rows = figures.map((figure) => ({ ...figure, ratio: ratioOf(figure), met: isMet(figure) }))
const json = `${JSON.stringify({ node: process.versions.node, cores: cpus().length, figures: rows }, null, 2)}\n`
// A part of the figures must not pass for all of them.
const isAll = asked.only === undefined && !isShort
if (isAll) writeFileSync(new URL('figures.json', import.meta.url), json)
if (isAll && asked.write) {
  const document = new URL('../docs/promises.md', import.meta.url)
  const section = `<!-- figures -->\n${table}\n\n${machine} Trust the ratios and the order of size, not the last digit.\n<!-- /figures -->`
  writeFileSync(
    document,
    readFileSync(document, 'utf8').replace(/<!-- figures -->[\s\S]*?<!-- \/figures -->/, () => section),
  )
}
process.exitCode = isShort || figures.every(isMet) ? 0 : 1

type Asked = { readonly only: string | undefined; readonly write: boolean }

/** `only` is a part of at least one of `names`. Ends the process after the usage if that was asked for (exit code 0), or if a word is wrong (2). */
function askedOrExit(words: readonly string[], names: readonly string[]): Asked {
  const usage = `Usage: npm run bench [-- OPTIONS]
  --only WORD   measures only what has WORD in its name, and writes nothing: ${names.join(', ')}
  --write       puts the table into docs/promises.md
  --short       measures a little of each, to see that it still measures; judges and writes nothing
  --help        these lines\n`
  try {
    const options = {
      only: { type: 'string' },
      write: { type: 'boolean' },
      short: { type: 'boolean' },
      help: { type: 'boolean' },
    } as const
    const { only, write = false, help } = parseArgs({ args: [...words], options }).values
    if (help) {
      process.stdout.write(usage)
      process.exit(0)
    }
    if (write && only !== undefined)
      throw new Error('--write: expected without --only, as a part must not pass for all')
    if (only === undefined || (only !== '' && names.some((name) => name.includes(only))))
      return { only, write }
    throw new Error(`--only: expected one of ${names.join(', ')}; came ${JSON.stringify(only)}`)
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`)
    process.exit(2)
  }
}
