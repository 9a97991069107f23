/** Much that is new and soon forgotten, as a long list is, leaves no large heap behind. */
import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'

const root = new URL('..', import.meta.url)

/** Prints how many MB the space for what is new takes after lists of 200,000 objects. */
function newSpaceMb(first: string): number {
  const program = `
    ${first}
    for (let n = 0; n < 5; n += 1) Array.from({ length: 200_000 }, (_, at) => ({ at, text: 'alert ' + at }))
    const { getHeapSpaceStatistics } = await import('node:v8')
    const found = getHeapSpaceStatistics().find((space) => space.space_name === 'new_space')
    process.stdout.write(String(found.space_size / 1024 / 1024))`
  const words = ['--input-type=module', '--eval', program]
  return Number(execFileSync(process.execPath, words, { cwd: root, encoding: 'utf8' }))
}

test('the space for what is new stays small where the heap is kept small, and grows where it is not', () => {
  expect(newSpaceMb("(await import('./src/small-heap.ts')).keepHeapSmall()")).toBeLessThanOrEqual(4)
  expect(newSpaceMb('')).toBeGreaterThan(16)
})
