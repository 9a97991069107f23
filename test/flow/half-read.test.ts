/** A record whose server or title can be read in one list and not in the other is one alert, with one card. */
import { expect, test } from 'vitest'
import type { AlertRecord } from '../../src/domain/alert/alert.ts'
import { unknownServerOf } from '../../src/domain/alert/alert.ts'
import { cards, states } from '../support/poll-world.ts'
import { scriptedWorld } from '../support/scripted-api.ts'

const spoilt = {
  server: (record: AlertRecord) => {
    const hostname = unknownServerOf(record.alertId)
    return { ...record, hostname, serverName: hostname }
  },
  title: (record: AlertRecord) => ({ ...record, title: '' }),
}
/** What each poll can read of the record: in the list of what is open, and in that of everything. */
const polls = {
  'only the first list is spoilt, then nothing': ['bad good', 'good good'],
  'only the second list is spoilt, then nothing': ['good bad', 'good good'],
  'both are spoilt, then only the first': ['bad bad', 'bad good', 'good good'],
  'both are spoilt, then only the second': ['bad bad', 'good bad', 'good good'],
  'both are spoilt again and again': ['bad bad', 'good good', 'bad bad', 'bad good', 'good bad', 'good good'],
}
const cases = (['flip', 'pair'] as const).flatMap((form) =>
  (['server', 'title'] as const).flatMap((field) =>
    Object.entries(polls).map(([name, seen]) => ({ form, field, name, seen })),
  ),
)

test.each(cases)('$form form, $field: $name', async ({ form, field, seen }) => {
  const town = await scriptedWorld({ lifecycle: form })
  const other = town.record('1', { hostname: 'web-1' })
  town.api.start = [other]
  town.api.all = [other]
  await town.poll()
  await cards(town)
  const record = town.record('2', { hostname: 'db-1', title: 'Disk is full', plugin: 'Disk' })
  const said: string[] = []
  for (const how of seen) {
    const [open, all] = how.split(' ').map((one) => (one === 'bad' ? spoilt[field](record) : record))
    if (open === undefined || all === undefined)
      throw new Error(`expected "bad good" or the like; came ${how}`)
    town.api.start = [open, other]
    town.api.all = [all, other]
    for (let n = 0; n < 3; n += 1) {
      await town.tick()
      said.push(...states(await cards(town)))
    }
  }
  expect(said.filter((line) => line.includes('closed'))).toEqual([])
  expect(said.filter((line) => line.startsWith('post'))).toEqual(['post 2 open'])
  const { alerts } = await town.store.recall()
  expect([...alerts.keys()].toSorted()).toEqual(['1', '2'])
  expect(alerts.get('2')).toMatchObject({ hostname: 'db-1', title: 'Disk is full' })
})

test('a record without a server beside one of the same number in one list is an alert of its own', async () => {
  const town = await scriptedWorld({ lifecycle: 'flip' })
  await town.poll()
  const record = town.record('7', { hostname: 'web-7' })
  town.api.start = [record, spoilt.server(record)]
  town.api.all = town.api.start
  const said: string[] = []
  for (let n = 0; n < 3; n += 1) {
    await town.tick()
    said.push(...states(await cards(town)))
  }
  expect(said.toSorted()).toEqual(['post 7 open', 'post 7~2 open'])
})
