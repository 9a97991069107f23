/**
 * `npm run kills -- --kills 500 --seed 1`: kills the real bot so often, with all the faults of test/kills/faults.ts or those of
 * `--faults proxy,late` beside (`--faults none`: with none), and prints how many kills fell on which step.
 */
import { parseArgs } from 'node:util'
import { faultNames, mixedIn } from '../test/kills/faults.ts'
import { runKills } from '../test/kills/harness.ts'

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '500' },
    seed: { type: 'string', default: '1' },
    faults: { type: 'string', default: mixedIn.join(',') },
  },
})
const asked = values.faults === 'none' ? [] : values.faults.split(',')
const faults = faultNames.filter((name) => asked.includes(name))
const [kills, seed] = [Number(values.kills), Number(values.seed)]
if (!Number.isInteger(kills) || kills < 1 || !Number.isInteger(seed)) {
  process.stderr.write('kills: expected --kills and --seed as whole numbers\n')
  process.exit(2)
}
if (faults.length < asked.length) {
  process.stderr.write(`kills: expected --faults as none, or as some of ${faultNames.join(',')}\n`)
  process.exit(2)
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))
const fromMs = Date.now()
const { tally, violation } = await runKills({
  kills,
  seed,
  faults,
  say: (line) => process.stdout.write(`${line}\n`),
})
process.stdout.write('\n| step | kills | signs that did not come |\n|---|---:|---:|\n')
for (const { step, kills: count, missed } of tally.rows()) {
  process.stdout.write(`| ${step} | ${count} | ${missed} |\n`)
}
process.stdout.write('\n| beside the kills | times |\n|---|---:|\n')
for (const [fault, times] of tally.faults()) process.stdout.write(`| ${fault} | ${times} |\n`)
const tookS = Math.round((Date.now() - fromMs) / 1_000)
process.stdout.write(`| **all** | **${tally.kills()}** | |\n\nseed ${seed}, ${tookS} s\n`)
if (violation === null) process.stdout.write('Every promise was kept.\n')
else {
  process.stdout.write(`A promise was broken: ${violation}\n`)
  process.exitCode = 1
}
