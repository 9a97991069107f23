/** Records that cannot be read, in full or in part: what can be read of them is told, and what cannot is never "all is well". */
import { expect, test } from 'vitest'
import { OutsideFailure } from '../../../src/bot/domain/base/failure.ts'
import { openRoleBook } from '../../../src/bot/flow/poll/roles.ts'
import type { ListAsked, RolesRead } from '../../../src/bot/flow/ports/ports.ts'
import { parseAlerts } from '../../../src/bot/monitor/wire.ts'
import { letPass } from '../../support/delivery-world.ts'
import { keptJournal } from '../../support/journal.ts'
import { manualClock } from '../../support/manual-clock.ts'
import { modelService } from '../../support/model-service.ts'
import { cards, pollWorld } from '../../support/poll-world.ts'

const record = {
  id: 1,
  time: '2026-11-21T03:00:00Z',
  server_name: 'web-1',
  server_hostname: 'web-1',
  lifecycle: 'start',
  title: 'Last minute met or exceeded 3.00',
  plugin_name: 'Load Average',
  metric_name: 'last_minute',
  metric_value: 3.5,
  url: '',
}

/** A world whose API lists just these records, in both lists, read as the real one is. */
async function listing(...records: readonly unknown[]) {
  let results = records
  const alerts = ({ lifecycle }: { lifecycle: ListAsked }) =>
    Promise.resolve(parseAlerts({ message: 'ok', results }, lifecycle))
  const world = await pollWorld({ over: () => ({ alerts }) })
  return {
    ...world,
    lists: (...next: readonly unknown[]) => {
      results = next
    },
  }
}

const openIds = async ({ store }: Awaited<ReturnType<typeof listing>>) =>
  (await store.openAlerts(null)).map(({ alertId }) => alertId).sort()

test('open alerts whose time is in another format are told', async () => {
  const times = ['7 March 2026, 3 am', '03/04/2026 03:00', null, 20_260_307, { at: 'three' }]
  const world = await listing(...times.map((time, n) => ({ ...record, id: n + 1, time })))
  const seenMs = world.clock.nowMs()
  await world.poll()
  for (let n = 0; n < 5; n += 1) await world.tick()
  expect(await openIds(world)).toEqual(['1', '2', '3', '4', '5'])
  const [card, ...rest] = await cards(world)
  expect(card?.view).toMatchObject({ kind: 'summary', alerts: Array(5).fill({ startedMs: seenMs }) })
  expect(rest.filter(({ view }) => view.kind !== 'page')).toEqual([])
})

test('an open alert without a lifecycle, a title, a server or a number for its id is told', async () => {
  const uuid = '0f8fad5b-d9cb-469f-a165-70867728950e'
  const world = await listing(
    { ...record, lifecycle: null },
    { ...record, id: uuid, lifecycle: 'START' },
    { ...record, id: 3, title: null, plugin_name: null },
    { ...record, id: 4, server_name: null, server_hostname: null },
    { ...record, id: 5, server_name: null, server_hostname: null },
  )
  await world.poll()
  expect(await openIds(world)).toEqual([uuid, '1', '3', '4', '5'].sort())
  const nowhere = (await world.store.openAlerts(null)).filter(
    ({ serverName }) => serverName === 'unknown server',
  )
  expect(new Set(nowhere.map(({ hostname }) => hostname)).size).toBe(2)
})

test('an alert that only happened, and whose time cannot be read, is told', async () => {
  const world = await listing()
  await world.poll()
  world.lists({ ...record, lifecycle: 'oneoff', time: 'soon' })
  await world.tick()
  expect((await cards(world)).map(({ view }) => view)).toMatchObject([{ alert: { state: 'oneoff' } }])
})

test('where no time can be read, what closed long ago is not told as open', async () => {
  // In pair form both records stay listed; only the list of what is open says that the first is over.
  const alerts = ({ lifecycle }: { lifecycle: ListAsked }) =>
    parseAlerts(
      {
        results:
          lifecycle === 'start'
            ? []
            : [
                { ...record, id: 7, time: 'soon' },
                { ...record, id: 8, time: 'soon', lifecycle: 'end' },
              ],
      },
      lifecycle,
    )
  const pairs = await pollWorld({ form: 'pair', over: () => ({ alerts: async (ask) => alerts(ask) }) })
  await pairs.poll()
  for (let n = 0; n < 3; n += 1) await pairs.tick()
  expect(await pairs.store.openAlerts(null)).toEqual([])
  expect(await cards(pairs)).toEqual([])
})

test('an alert of which a field cannot be read any more is the same alert, on the same card', async () => {
  const world = await listing()
  await world.poll()
  world.lists(record)
  await world.tick()
  expect((await cards(world)).map(({ task }) => task)).toEqual(['post'])
  for (const over of [
    { time: 'soon' },
    { title: null },
    { server_name: null, server_hostname: null },
    { lifecycle: 'START' },
    { plugin_name: {}, metric_name: 4 },
    {},
  ]) {
    world.lists({ ...record, ...over })
    for (let n = 0; n < 3; n += 1) await world.tick()
    expect(await world.store.openAlerts(null)).toMatchObject([
      { alertId: '1', hostname: 'web-1', title: record.title },
    ])
  }
  expect(await cards(world)).toEqual([])
})

test('roles that could not be read when an alert came are in doubt until they can be', async () => {
  const away = new OutsideFailure('unreachable', 'the monitoring API returned HTTP 503')
  const answers: (RolesRead | OutsideFailure)[] = [away, away, { roles: new Map(), skipped: 1 }]
  const whole = { roles: new Map([['web', ['web-1']]]), skipped: 0 }
  const clock = manualClock()
  const { monitor } = modelService({ form: 'flip', nowMs: clock.nowMs })
  const roles = async () => {
    const next = answers.shift() ?? whole
    if (next instanceof OutsideFailure) throw next
    return next
  }
  const book = openRoleBook({ monitor: { ...monitor, roles }, clock, logger: keptJournal() })
  const after = async (hostnames: string[]) => {
    await book.rolesOf(hostnames)
    await letPass(clock, 61_000)
    return book.doubt()
  }
  expect(await after([])).toBeNull()
  expect(await after(['web-1'])).toBe(away.message)
  expect(await after([])).toBe(away.message)
  expect(await after([])).toBe('1 of what the monitoring API lists cannot be read')
  expect(await after([])).toBeNull()
})
