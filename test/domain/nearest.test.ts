/** "Did you mean", and what a glob means. */
import { expect, test } from 'vitest'
import { matching, nearest } from '../../src/domain/request/nearest.ts'
import { cpuMsOf } from '../support/cpu-time.ts'

const servers = ['web-1', 'web-2', 'web-10', 'db-1', 'db-1.example', 'cache.internal', 'mail']

test.each([
  ['WEB-1', ['web-1', 'web-10', 'web-2'], 'the same but for case, then its beginning, then one wrong letter'],
  ['web1', ['web-1'], 'a letter missing'],
  ['wbe-1', ['web-1', 'web-10', 'web-2'], 'two letters swapped'],
  ['mial', ['mail'], 'two letters swapped in a short name'],
  ['db', ['db-1', 'db-1.example'], 'a beginning'],
  ['cache', ['cache.internal'], 'a beginning'],
  ['internal', ['cache.internal'], 'a part'],
  ['cahce.intrnal', ['cache.internal'], 'two slips in a long name'],
  ['kubernetes', [], 'nothing like it'],
  ['x', [], 'too short to say anything'],
  ['', [], 'nothing'],
])('%s is close to %j (%s)', (name, expected) => {
  expect(nearest(name, servers)).toEqual(expected)
})

test('as many as are wanted, and each once', () => {
  expect(nearest('web', [...servers, 'web-1'], 2)).toEqual(['web-1', 'web-10'])
  expect(nearest('web', servers, 0)).toEqual([])
})

test('ten thousand long names take no longer than a blink', () => {
  const names = Array.from({ length: 10_000 }, (_, index) =>
    `web-${index}.prod.example.internal`.padEnd(60, 'x'),
  )
  const wanted = 'web-5001.prdo.example.internal'.padEnd(60, 'x')
  const times = Array.from({ length: 15 }, () =>
    cpuMsOf(() => expect(nearest(wanted, names)[0]).toBe(names[5001])),
  )
  expect(Math.min(...times)).toBeLessThan(50)
})

test('names without end are compared by their beginning', () => {
  expect(nearest(`${'a'.repeat(200)}b`, [`${'a'.repeat(200)}c`, 'a'.repeat(1_000_000)])).toHaveLength(2)
})

test('a glob means all that it matches, in their order; a name only itself', () => {
  expect(matching('web-*', servers)).toEqual(['web-1', 'web-2', 'web-10'])
  expect(matching('WEB-?', servers)).toEqual(['web-1', 'web-2'])
  expect(matching('db-1', servers)).toEqual(['db-1'])
  expect(matching('DB-1', servers)).toEqual(['db-1'])
  expect(matching('d.-1', servers)).toEqual([])
})
