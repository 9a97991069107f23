/** Which silences a muted server has, while its pods and neighbours come and go. */
import { expect, test } from 'vitest'
import type { Names } from '../../../src/service/prometheus/names.ts'
import { equals, type Matcher, type Named, namingByLabel } from '../../../src/service/prometheus/naming.ts'
import { openServerScopes } from '../../../src/service/prometheus/server-scopes.ts'
import { type Entry, meantForPeople } from '../../../src/service/prometheus/silence-book.ts'
import { settings } from './made.ts'

const pods = (way: string): Named => ({ hostname: 'pay/web', by: 'server', way, used: ['pod'] })

function openScopes() {
  let ways: readonly Named[] = []
  let held: readonly (readonly Matcher[])[] = []
  const text = new Map<string, string>()
  const names = {
    ...namingByLabel(settings),
    matchersOf: ({ way = '' }: Named) => [equals('pod', text.get(way) ?? way)],
  } as unknown as Names
  const silences = {
    of: () => held.map((matchers) => ({ state: 'off', matchers }) as unknown as Entry),
  }
  const scopes = openServerScopes({ names, waysOf: () => ways }, silences)
  return {
    ...scopes,
    /** The values of its silences, as they are once they are made. */
    make(given: readonly string[]) {
      ways = given.map(pods)
      const { ways: wanted, isNarrower } = scopes.of('pay/web')
      held = wanted
      return [wanted.map(([first]) => first?.value), isNarrower]
    },
    means: (way: string, value: string) => text.set(way, value),
  }
}

test('a way that is seen no more stays silent, and one that is new is added', () => {
  const { make } = openScopes()
  expect(make(['a'])).toEqual([['a'], false])
  expect(make([])).toEqual([['a'], false])
  expect(make(['b'])).toEqual([['b', 'a'], false])
})

test('a pattern that would hide a neighbour by now takes the place of the wider one', () => {
  const { make, means } = openScopes()
  expect(make(['a', 'b'])).toEqual([['a', 'b'], false])
  means('a', 'narrow')
  expect(make(['a', 'b'])).toEqual([['narrow', 'b'], true])
  expect(make(['a'])).toEqual([['narrow', 'b'], false])
  expect(meantForPeople([equals('pod', 'a')])[0]).toEqual(equals('pod', 'a'))
})
