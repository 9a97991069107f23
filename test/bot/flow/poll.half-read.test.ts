/** A record whose server or title can be read in one list and not in the other is one alert, with one card. */
import { describe, expect, test } from 'vitest'
import type { AlertRecord } from '../../../src/bot/domain/alert/alert.ts'
import { unknownServerOf } from '../../../src/bot/domain/alert/alert.ts'
import { emptyPlan } from '../../../src/bot/domain/plan.ts'
import { aMute } from '../../support/acting-rows.ts'
import { cards, states } from '../../support/poll-world.ts'
import { scriptedWorld } from '../../support/scripted-api.ts'

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
  await town.said()
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
      said.push(...(await town.said()))
    }
  }
  expect(said.filter((line) => line.includes('closed'))).toEqual([])
  expect(said.filter((line) => line.startsWith('post'))).toEqual(['post 2 open'])
  const { alerts } = await town.store.recall()
  expect([...alerts.keys()].toSorted()).toEqual(['1', '2'])
  expect(alerts.get('2')).toMatchObject({ hostname: 'db-1', title: 'Disk is full' })
})

test.each(
  (['flip', 'pair'] as const).flatMap((form) =>
    [{ plugin: '' }, { metric: null }, { triggerId: null }, { title: '', plugin: '', metric: null }].map(
      (lost) => ({ form, lost, what: Object.keys(lost).join(', ') }),
    ),
  ),
)(
  '$form form: an alert whose $what can be read only later is told by it, and its end is found',
  async (one) => {
    const town = await scriptedWorld({ lifecycle: one.form })
    const other = town.record('1', { hostname: 'web-1' })
    const own = { hostname: 'db-1', title: 'Disk is full', plugin: 'Disk', metric: 'root', triggerId: '7' }
    const record = town.record('2', own)
    const list = (some: AlertRecord, ended: readonly AlertRecord[] = []) => {
      town.api.start = ended.length === 0 ? [some, other] : [other]
      town.api.all = [...ended, ...(ended.length > 0 && one.form === 'flip' ? [] : [some]), other]
    }
    list({ ...record, ...one.lost })
    await town.poll()
    list(record)
    await town.tick()
    expect((await town.store.recall()).alerts.get('2')).toMatchObject(own)
    await town.said()
    const end = { ...record, lifecycle: 'end' as const }
    list(record, [one.form === 'flip' ? end : { ...end, alertId: '3', timeMs: record.timeMs + 20_000 }])
    for (let n = 0; n < 3; n += 1) await town.tick()
    expect(await town.said()).toEqual(['update 2 closed'])
  },
)

test('a record without a server beside one of the same number in one list is an alert of its own', async () => {
  const town = await scriptedWorld({ lifecycle: 'flip' })
  await town.poll()
  const record = town.record('7', { hostname: 'web-7' })
  town.api.start = [record, spoilt.server(record)]
  town.api.all = town.api.start
  const said: string[] = []
  for (let n = 0; n < 3; n += 1) {
    await town.tick()
    said.push(...(await town.said()))
  }
  expect(said.toSorted()).toEqual(['post 7 open', 'post 7~2 open'])
})

test.each(['flip', 'pair'] as const)(
  'in %s form, a record that one page could not read and the next one could became two alerts, of which one closed',
  async (form) => {
    const town = await scriptedWorld({ lifecycle: form })
    await town.poll()
    const records = ['7', '8', '9', '11'].map((id) =>
      town.record(id, { hostname: 'web-7', plugin: `Plugin ${id}` }),
    )
    let asked = 0
    // Pages of three records, each read anew with some of the last; only the first answer is spoilt.
    town.api.page = ({ offset }) => {
      asked += 1
      const page = records.slice(offset, offset + 3)
      return asked === 1 ? page.map(spoilt.server) : page
    }
    const said: string[] = []
    for (let n = 0; n < 4; n += 1) {
      await town.tick()
      said.push(...(await town.said()))
    }
    expect(said.filter((line) => line.includes('closed'))).toEqual([])
    expect([...(await town.store.recall()).alerts.keys()].toSorted()).toEqual(['11', '7', '8', '9'])
  },
)

describe('what can be read of an alert only later is told where it belongs', () => {
  const byField = {
    server: [{ match: { server: 'db-*' }, channel: 'C2', mention: '<!subteam^S1>' }],
    title: [{ match: { title: '*full' }, channel: 'C2', mention: '<!subteam^S1>' }],
  } as const

  test.each(['server', 'title'] as const)('its %s: once, beside the card that is there', async (field) => {
    const town = await scriptedWorld({ lifecycle: 'flip', routes: byField[field] })
    await town.poll()
    const record = town.record('2', { hostname: 'db-1', title: 'Disk is full', plugin: 'Disk' })
    const said = async () => [
      ...(await town.said()),
      ...states(await cards(town, 'C2')).map((one) => `C2 ${one}`),
    ]
    const list = async (one: AlertRecord) => {
      town.api.start = one.lifecycle === 'start' ? [one] : []
      town.api.all = [one]
      await town.tick()
      return said()
    }
    expect(await list(spoilt[field](record))).toEqual(['post 2 open'])
    expect(await list(record)).toEqual(['update 2 open', 'C2 post 2 open'])
    expect(await list(spoilt[field](record))).toEqual([])
    expect(await list(record)).toEqual([])
    expect(await list({ ...record, lifecycle: 'end' })).toEqual(['update 2 closed', 'C2 update 2 closed'])
  })

  test('on a muted server: nobody', async () => {
    const town = await scriptedWorld({ lifecycle: 'flip', routes: byField.server })
    await town.poll()
    const record = town.record('2', { hostname: 'db-1', title: 'Disk is full', plugin: 'Disk' })
    town.api.start = [spoilt.server(record)]
    town.api.all = town.api.start
    await town.tick()
    const mute = aMute('m1', { subject: 'db-1' })
    await town.store.commit({ ...emptyPlan(town.clock.nowMs()), mutes: [{ mute, was: null }] })
    town.api.start = [record]
    town.api.all = [record]
    await town.tick()
    expect(states(await cards(town, 'C2'))).toEqual([])
  })

  test('in the same channel: its card alone says it', async () => {
    const town = await scriptedWorld({ lifecycle: 'flip' })
    await town.poll()
    const record = town.record('2', { hostname: 'db-1' })
    town.api.start = [spoilt.server(record)]
    town.api.all = town.api.start
    expect(await town.saidAfter(1)).toEqual(['post 2 open'])
    town.api.start = [record]
    town.api.all = [record]
    expect(await town.saidAfter(1)).toEqual(['update 2 open'])
  })

  test('nowhere at first, as no route took it: in its channel', async () => {
    const town = await scriptedWorld({ lifecycle: 'flip', routes: byField.server, slackChannel: null })
    await town.poll()
    const record = town.record('2', { hostname: 'db-1' })
    town.api.start = [spoilt.server(record)]
    town.api.all = town.api.start
    expect(await town.saidAfter(1)).toEqual([])
    town.api.start = [record]
    town.api.all = [record]
    await town.tick()
    expect(states(await cards(town, 'C2'))).toEqual(['post 2 open'])
  })
})
