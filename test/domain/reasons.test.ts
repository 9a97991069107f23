/** Why many alerts fired, however long and odd what they say is. */
import { expect, test } from 'vitest'
import { reasonsOf } from '../../src/domain/card/reasons.ts'
import { anAlert } from '../support/delivery-world.ts'

const reasonOf = (titles: readonly string[], hostname = 'web-1') =>
  reasonsOf(
    titles.map((title, n) => anAlert(`${n}`, { title, hostname, serverName: hostname })),
    4,
  ).most.map(({ name }) => name)

test.each([
  ['Load of web-1 is high', 'Load of web-2 is high', ['Load of web-1 is high', 'Load of web-2 is high']],
  ['web-1: 3 jobs failed', 'web-1: 4 jobs failed', ['…: … jobs failed']],
  ['web-1.example is down in 3 s', 'web-1.example is down in 4 s', ['web-1.example is down in … s']],
  ['the xweb-1 has 3', 'the xweb-1 has 4', ['the xweb-1 has …']],
  ['Backups older than 1 d', 'Backups older than 2 d', ['Backups older than … d']],
])('%j and %j', (one, other, names) => {
  expect(reasonOf([one, other])).toEqual(names)
})

test('a long title makes no long reason', () => {
  const long = 'web-1 12 '.repeat(1_000)
  const [reason = ''] = reasonOf([`${long}1`, `${long}2`])
  expect(reason).toMatch(/^… … … /)
  expect(reason.length).toBeLessThanOrEqual(500)
})
