/** Random nights through the whole bot; after each the laws must hold. `SEED=7` plays one, `HISTORIES=1000` plays more. */
import { expect, it } from 'vitest'
import { failureOf } from './play.ts'

const histories = Number(process.env.HISTORIES ?? 200)
const only = process.env.SEED

it(`holds its laws over ${histories} random nights`, async () => {
  const seeds = only === undefined ? Array.from({ length: histories }, (_, at) => at + 1) : [Number(only)]
  const failures: string[] = []
  for (const seed of seeds) {
    const failure = await failureOf(seed)
    if (failure !== null) failures.push(failure)
    if (failures.length >= 3) break
  }
  expect(failures.join('\n\n')).toBe('')
})
