/** What is hidden while the routes change is told where it belongs once it is shown: the whole bot, over restarts. */
import { describe, expect, test } from 'vitest'
import { muting } from '../../support/acting-world.ts'
import { minuteMs, movingTown, toDb, usual } from '../../support/moving-town.ts'

const before = { slackChannel: 'C0OPS', routes: [] }
const started = ['C0OPS alert db-1 open', 'C0OPS alert db-2 open', 'C0DB alert db-2 open']
const silence = { kind: 'silence', id: 's1', by: null, why: null, untilMs: null, isOurs: false } as const
type Town = Awaited<ReturnType<typeof movingTown>>

async function mutes(town: Town, hostname: string, minutes: number) {
  const asked = await town.does(muting(hostname, { end: { kind: 'for', ms: minutes * minuteMs } }))
  if (asked.kind === 'confirm') await town.does({ kind: 'confirm', pendingId: asked.pendingId })
  await town.pass(1)
}

/** What was said of alerts. */
const cards = (town: Town) => town.seen().filter((line) => / (alert|storm|summary) /.test(line))

async function twoOpen() {
  const town = await movingTown(before)
  const alertId = town.service.open({ hostname: 'db-1' })
  town.service.open({ hostname: 'db-2' })
  await town.pass(1)
  return { town, alertId }
}

describe('an alert that is hidden when its server gets a channel of its own', () => {
  test('by a mute: it is told there when that ends, once, over restarts', async () => {
    const { town } = await twoOpen()
    await mutes(town, 'db-1', 30)
    await town.start()
    await town.pass(10)
    await town.start()
    expect(cards(town)).toEqual(started)
    await town.pass(30)
    expect(cards(town)).toEqual([...started, 'C0DB alert db-1 open'])
    await mutes(town, 'db-1', 5)
    await town.pass(10)
    await town.start()
    expect(cards(town)).toEqual([...started, 'C0DB alert db-1 open'])
    expect((await town.store.state('routing')).has(':left')).toBe(false)
    await town.stop()
  })

  test('by a silence elsewhere', async () => {
    const { town, alertId } = await twoOpen()
    town.service.change(alertId, { mutedBy: [silence] })
    await town.pass(1)
    await town.start()
    await town.pass(5)
    expect(cards(town)).toEqual(started)
    town.service.change(alertId, { mutedBy: undefined })
    await town.pass(10)
    expect(cards(town)).toEqual([...started, 'C0DB alert db-1 open'])
    await town.stop()
  })

  test('it closes while it is hidden: it is told nowhere, and is no longer looked for', async () => {
    const { town, alertId } = await twoOpen()
    await mutes(town, 'db-1', 30)
    await town.start()
    town.service.close(alertId)
    await town.pass(2)
    expect((await town.store.state('routing')).has(':left')).toBe(false)
    await town.pass(40)
    expect(cards(town).filter((line) => line.startsWith('C0DB'))).toEqual(['C0DB alert db-2 open'])
    await town.stop()
  })

  test('the routes change once more meanwhile: the last ones count', async () => {
    const { town } = await twoOpen()
    await mutes(town, 'db-1', 30)
    await town.start()
    await town.start({ ...usual, routes: [{ ...toDb, channel: 'C0NEW' }] })
    await town.pass(40)
    expect(cards(town)).toEqual([...started, 'C0NEW alert db-2 open', 'C0NEW alert db-1 open'])
    await town.stop()
  })

  test('they are as they were again: it stands where it belongs', async () => {
    const { town } = await twoOpen()
    await mutes(town, 'db-1', 30)
    await town.start()
    await town.start(before)
    await town.pass(40)
    expect(cards(town)).toEqual(started)
    await town.stop()
  })

  test('others that stand in another channel because theirs was archived get no second card', async () => {
    const { town } = await twoOpen()
    await mutes(town, 'db-1', 60)
    await town.start()
    town.closed.set('C0DB', 'is_archived')
    town.service.open({ hostname: 'db-3' })
    await mutes(town, 'web-1', 5)
    await town.reopened('C0DB')
    await town.pass(10)
    const then = [...started, 'C0OPS alert db-3 open']
    expect(cards(town)).toEqual(then)
    await town.stop()
  })
})

test('many that are hidden are moved as one card, once', async () => {
  const town = await movingTown(before)
  for (let n = 0; n < 40; n += 1) town.service.open({ hostname: 'db-1', metric: `m${n}` })
  await town.pass(2)
  await mutes(town, 'db-1', 30)
  await town.start()
  const waiting = (await town.store.state('routing')).get(':left')
  expect(JSON.parse(waiting ?? '[]')).toHaveLength(40)
  await town.pass(35)
  expect(cards(town).filter((line) => !line.endsWith('in thread'))).toEqual([
    'C0OPS storm 40',
    'C0DB summary 40',
  ])
  await town.stop()
})
