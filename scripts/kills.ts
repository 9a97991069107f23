/**
 * `npm run kills -- --kills 500 --seed 1`: kills the real bot so often, with all the faults of test/kills/faults.ts or those of
 * `--faults proxy,late` beside (`--faults none`: with none), and prints how many kills fell on which step. With `--replicas 2` or
 * 3: so many bots on one Postgres, struck so often by all that test/kills/replicas/ has, or by what `--only WORD` names;
 * `--pooler`: through PgBouncer in transaction mode; `--minutes 30`: no more after that; `--logs FOLDER`: where the bots' logs go
 * when a promise was broken.
 */
import { parseArgs } from 'node:util'
import { faultNames, mixedIn } from '../test/kills/faults.ts'
import { runKills } from '../test/kills/harness.ts'
import { runReplicas } from '../test/kills/replicas/run.ts'
import type { Tally } from '../test/kills/tally.ts'

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '500' },
    seed: { type: 'string', default: '1' },
    faults: { type: 'string', default: mixedIn.join(',') },
    replicas: { type: 'string', default: '1' },
    pooler: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    minutes: { type: 'string' },
    logs: { type: 'string' },
  },
})
const asked = values.faults === 'none' ? [] : values.faults.split(',')
const faults = faultNames.filter((name) => asked.includes(name))
const [kills, seed, replicas] = [Number(values.kills), Number(values.seed), Number(values.replicas)]
const minutes = values.minutes === undefined ? undefined : Number(values.minutes)
const refuse = (why: string) => {
  process.stderr.write(`kills: expected ${why}\n`)
  process.exit(2)
}
if (!Number.isInteger(kills) || kills < 1 || !Number.isInteger(seed))
  refuse('--kills and --seed as whole numbers')
if (minutes !== undefined && !(minutes > 0)) refuse('--minutes as a number')
if (![1, 2, 3].includes(replicas)) refuse('--replicas as 1, 2 or 3')
if (faults.length < asked.length) refuse(`--faults as none, or as some of ${faultNames.join(',')}`)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))
const fromMs = Date.now()
const write = (line: string) => void process.stdout.write(`${line}\n`)

function writeTally(tally: Tally): void {
  write('\n| step | kills | signs that did not come |\n|---|---:|---:|')
  for (const { step, kills: count, missed } of tally.rows()) write(`| ${step} | ${count} | ${missed} |`)
  write('\n| beside the kills | times |\n|---|---:|')
  for (const [fault, times] of tally.faults()) write(`| ${fault} | ${times} |`)
  const tookS = Math.round((Date.now() - fromMs) / 1_000)
  write(`| **all** | **${tally.kills()}** | |\n\nseed ${seed}, ${tookS} s`)
}

async function alone(): Promise<string | null> {
  const { tally, violation } = await runKills({ kills, seed, faults, say: write })
  writeTally(tally)
  return violation
}

async function several(): Promise<string | null> {
  const { pooler: isPooled, only, logs } = values
  const options = { replicas, isPooled, blows: kills, seed, only, minutes, logs, say: write }
  const { tally, times, verdicts, copies, findings } = await runReplicas(options)
  writeTally(tally)
  write('\n| fault | times | longest take-over, s | verdict |\n|---|---:|---:|---|')
  for (const [fault, { times: count, longestMs, findings: broken }] of verdicts) {
    const longest = longestMs === null ? '' : (longestMs / 1_000).toFixed(1)
    write(`| ${fault} | ${count} | ${longest} | ${broken === 0 ? 'kept' : `broken ${broken} times`} |`)
  }
  write('\n| time | n | median, s | longest, s |\n|---|---:|---:|---:|')
  for (const [what, all] of times) {
    const sorted = all.toSorted((a, b) => a - b).map((ms) => (ms / 1_000).toFixed(1))
    write(`| ${what} | ${all.length} | ${sorted[Math.floor(all.length / 2)]} | ${sorted.at(-1)} |`)
  }
  write(`\n${copies} copies of cards came about.`)
  return findings.length === 0 ? null : findings.join('\n\n')
}

const violation = await (replicas === 1 ? alone() : several())
if (violation === null) write('Every promise was kept.')
else {
  write(`A promise was broken: ${violation}`)
  process.exitCode = 1
}
