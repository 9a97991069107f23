/** A mute hides what it hid when it was made, whatever names are called later. */
import { expect, test } from 'vitest'
import { meantForPeople } from '../../../src/service/prometheus/silence-book.ts'
import type { Kind } from '../../../src/service/store/ledger.ts'
import {
  account,
  newProcess,
  openKeptLedger,
  openMemoryAlertmanager,
  openTownSilences,
  serverOf,
} from './memory-alertmanager.ts'

const minuteMs = 60_000
const startMs = Date.parse('2026-11-22T12:00:00Z')
const node = { serverLabel: 'node', serviceless: 'team' }

function openTown() {
  let now = startMs
  const alertmanager = openMemoryAlertmanager(() => now)
  const documents = openKeptLedger()
  return {
    documents,
    alertmanager,
    later(ms: number) {
      now += ms
    },
    start: (settings?: { readonly serverLabel: string; readonly serviceless: string }) => {
      const process = newProcess()
      return openTownSilences({
        alertmanagers: alertmanager.clientOf(process),
        ledger: documents.ledgerOf(process),
        nowMs: () => now,
        ...(settings === undefined ? {} : { settings }),
      })
    },
    matchers: () => alertmanager.live().map(({ matchers }) => matchers.map(({ name }) => name).join()),
  }
}

test('after the label of servers was changed a mute hides what it hid, also when it is renewed or was lost', async () => {
  const { start, later, alertmanager, matchers } = openTown()
  await start().set(serverOf('web-1', ['server', 'service']), false)
  expect(matchers()).toEqual(['instance', 'instance,job'])
  const next = start(node)
  later(20 * minuteMs)
  await next.tend()
  expect(matchers()).toEqual(['instance', 'instance,job'])
  alertmanager.snapshot()
  for (const { id } of alertmanager.live()) alertmanager.endByHand(id)
  alertmanager.restore()
  await next.tend()
  expect(matchers()).toEqual(['instance', 'instance,job'])
  await next.set(serverOf('web-1', ['server'], node), true)
  expect([matchers(), next.found()]).toEqual([[], []])
})

test('a way that is seen later is added, and one that is asked for anew takes the place of the others', async () => {
  const { start, matchers } = openTown()
  await start().set(serverOf('web-1'), false)
  const next = start(node)
  await next.add(serverOf('web-1', ['server'], node))
  await next.tend()
  expect(matchers()).toEqual(['instance', 'node'])
  await next.add(serverOf('web-1', ['server'], node))
  expect(matchers()).toEqual(['instance', 'node'])
  await next.set(serverOf('web-1', ['server'], node), false)
  await next.tend()
  expect(matchers()).toEqual(['node'])
})

test('a way that what is silent covers already is not silenced once more', async () => {
  const { start, matchers } = openTown()
  const [way = []] = serverOf('web-1').ways
  const narrower = { ...serverOf('web-1'), ways: [meantForPeople(way)] }
  const silences = start()
  await silences.set(serverOf('web-1'), false)
  await silences.add(narrower)
  expect(matchers()).toEqual(['instance'])
  await silences.set(narrower, false)
  expect(matchers()).toEqual(['instance,severity'])
  await silences.add(serverOf('web-1'))
  expect(matchers()).toEqual(['instance,severity', 'instance'])
})

test('a ledger of an earlier version goes on: its silences get the matchers that the names mean when it is opened', async () => {
  const { start, documents, alertmanager, matchers } = openTown()
  const client = alertmanager.clientOf(newProcess())
  const kind: Kind = 'silence'
  const earlier = documents.ledgerOf(newProcess())
  const everything = [{ name: 'alertname', value: '.+', isRegex: true, isEqual: true }]
  const ways = [
    ['t1', { hostname: 'web-1', by: 'server' }, serverOf('web-1').ways[0]],
    ['t2', { hostname: 'web-1', by: 'service' }, serverOf('web-1', ['service']).ways[0]],
    ['t3', null, everything],
  ] as const
  for (const [token, named, way = []] of ways) {
    const id = await client.silence({
      id: null,
      createdBy: 'monbot',
      comment: `Notifications are off (monbot ${token})`,
      matchers: way,
      startsAtMs: startMs,
      endsAtMs: startMs + 60 * minuteMs,
    })
    const untilMs = startMs + 60 * minuteMs
    earlier.put(kind, token, { named, state: 'off', id, untilMs, ended: [] })
  }
  earlier.put(kind, 't4', { named: null, state: 'gone', id: null, untilMs: startMs, ended: [] })
  const before = alertmanager.live().map(({ id }) => id)
  expect(start().found()).toEqual([
    serverOf('web-1', ['server', 'service']),
    { ...account, ways: [everything] },
  ])
  const next = start(node)
  await next.tend()
  expect(matchers()).toEqual(['instance', 'instance,job', 'alertname'])
  expect(alertmanager.live().map(({ id }) => id)).toEqual(before)
  await next.set(account, true)
  expect(matchers()).toEqual(['instance', 'instance,job'])
})
