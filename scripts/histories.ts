/**
 * Plays thousands of random nights through the whole bot: `node scripts/histories.ts 20000 [first seed]`, half of them in each of
 * two processes. Prints each night after which a law does not hold, and ends with 1 if there was one.
 */

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { failureOf } from '../test/bot/sim/play.ts'

const [count = '1000', first = '1', part, parts = '1'] = process.argv.slice(2)

if (part === undefined) {
  const workers = Math.max(availableParallelism(), 1)
  const children = Array.from({ length: workers }, (_, at) =>
    fork(import.meta.filename, [count, first, String(at), String(workers)]),
  )
  const codes = await Promise.all(
    children.map(async (child) => (await once(child, 'exit'))[0] as number | null),
  )
  const isGood = codes.every((code) => code === 0)
  console.log(isGood ? `all laws hold over ${count} nights` : 'a law does not hold')
  process.exitCode = isGood ? 0 : 1
} else {
  for (let seed = Number(first) + Number(part); seed < Number(first) + Number(count); seed += Number(parts)) {
    const failure = await failureOf(seed)
    if (failure === null) continue
    console.log(`${failure}\n`)
    process.exitCode = 1
  }
}
