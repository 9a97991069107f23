/** Who somebody is, by id and by name, and what holds while Slack does not say. */
import { expect, test } from 'vitest'
import { openDirectory } from '../../../src/bot/slack/directory.ts'
import type { Person } from '../../../src/bot/world/facts.ts'
import { World } from '../../../src/bot/world/world.ts'
import { handClock } from '../worlds/hand-clock.ts'

const personOf = (id: string, name: string, realName: string, over: Partial<Person> = {}): Person => ({
  id,
  name,
  realName,
  email: null,
  zone: 'Europe/Lisbon',
  isBot: false,
  isDeleted: false,
  readMs: 0,
  ...over,
})
const everybody = [
  personOf('U1', 'ben', 'Ben Okafor'),
  personOf('U2', 'benny', 'Ben Stiller'),
  personOf('U3', 'zoë', 'Zoë  Müller'),
  personOf('U4', 'ana', 'Ana Costa'),
  personOf('U5', 'monbot', 'monbot', { isBot: true }),
  personOf('U6', 'cleo', 'Cleo Tanaka', { isDeleted: true }),
]

function open() {
  const clock = handClock()
  const world = new World()
  const asked: string[] = []
  let isAway = false
  const answer = async <T>(what: string, value: T) => {
    asked.push(what)
    return isAway ? null : value
  }
  const slack = {
    person: (id: string) => answer(id, everybody.find((one) => one.id === id) ?? null),
    people: () => answer('people', everybody),
    personByEmail: (email: string) => answer(email, 'U1'),
    groupMembers: (id: string) => answer(id, ['U1', 'U4']),
  }
  const directory = openDirectory(slack, () => world, clock)
  const away = (is: boolean) => {
    isAway = is
  }
  return { clock, world, asked, directory, away }
}

test.each([
  ['<@U4>', ['U4'], 'as Slack writes it'],
  ['<@U4|ana>', ['U4'], 'with a name beside it'],
  ['<@U5>', ['U5'], 'an app, so that the act can say so'],
  ['@ana', ['U4'], 'as typed where Slack made nothing of it'],
  ['ANA', ['U4'], 'in any case'],
  ['Ben', ['U1'], 'a name counts more than a first name'],
  ['ben okafor', ['U1'], 'a real name'],
  ['zoe muller', ['U3'], 'without accents and with one space'],
  ['monbot', [], 'apps are handed nothing'],
  ['Cleo', [], 'nor somebody who left'],
  ['nobody', [], 'there is none'],
  ['', [], 'nothing is nobody'],
])('%j is %j: %s', async (words, ids) => {
  expect((await open().directory.findPeople(words)).map(({ id }) => id)).toEqual(ids)
})

test('of two people with one first name both are meant', async () => {
  const two = everybody.map((one) => (one.name === 'ben' ? { ...one, name: 'okafor' } : one))
  const { world, clock } = open()
  const none = async () => null
  const slack = { person: none, people: async () => two, personByEmail: none, groupMembers: none }
  const found = await openDirectory(slack, () => world, clock).findPeople('ben')
  expect(found.map(({ id }) => id)).toEqual(['U1', 'U2'])
})

test('whoever acted is remembered: known at once, and read anew behind it', async () => {
  const { clock, world, asked, directory, away } = open()
  expect(await directory.person('U4')).toMatchObject({ name: 'ana', zone: 'Europe/Lisbon' })
  expect(await directory.person('U4')).toMatchObject({ name: 'ana' })
  expect(asked).toEqual(['U4'])
  expect(world.fact('people')).toHaveProperty('U4')
  away(true)
  await clock.runFor(2 * 60 * 60_000)
  expect(await directory.person('U4')).toMatchObject({ name: 'ana' })
  expect(asked).toEqual(['U4', 'U4'])
  expect((await directory.findPeople('ana')).map(({ id }) => id)).toEqual(['U4'])
})

test('somebody of whom Slack does not tell is called by their id', async () => {
  expect(await open().directory.person('U9')).toMatchObject({ realName: 'U9', zone: 'Etc/UTC' })
})

test('a group is asked for every five minutes, and nobody is let in by an old list', async () => {
  const { clock, asked, directory, away } = open()
  expect(await directory.isInGroup('U1', 'S1')).toBe(true)
  expect(await directory.isInGroup('U2', 'S1')).toBe(false)
  expect(asked).toEqual(['S1'])
  away(true)
  await clock.runFor(6 * 60_000)
  expect(await directory.isInGroup('U1', 'S1')).toBeNull()
  away(false)
  expect(await directory.isInGroup('U1', 'S1')).toBe(true)
})
