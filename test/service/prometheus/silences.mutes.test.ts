/** Mutes are kept like the silences of servers, each until its own end and not a minute longer. */
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { openAlertmanagers } from '../../../src/service/prometheus/alertmanagers.ts'
import { commentOf, purposeOf, tokenFor } from '../../../src/service/prometheus/silence-book.ts'
import { mutesMax } from '../../../src/service/prometheus/silences.ts'
import { memoryLedger } from '../../../src/service/store/ledger.ts'
import { isAlertmanagerMissing, openAlertmanager } from './alertmanager.ts'
import {
  muteOf,
  newProcess,
  openKeptLedger,
  openMemoryAlertmanager,
  openTownSilences,
  serverOf,
} from './memory-alertmanager.ts'

const minuteMs = 60_000
const startMs = Date.parse('2026-11-22T12:00:00Z')

function openTown() {
  let now = startMs
  const alertmanager = openMemoryAlertmanager(() => now)
  const ledger = openKeptLedger()
  return {
    alertmanager,
    startMs,
    to: (minutes: number) => {
      now = startMs + minutes * minuteMs
    },
    start: (isKept = true) => {
      const process = newProcess()
      return openTownSilences({
        alertmanagers: alertmanager.clientOf(process),
        ledger: isKept ? ledger.ledgerOf(process) : memoryLedger(),
        nowMs: () => now,
      })
    },
    /** Minutes after the start at which each live silence ends. */
    ends: () => alertmanager.live().map(({ endsAtMs }) => (endsAtMs - startMs) / minuteMs),
  }
}

test.each([
  // One that is to last: at the start, then at 1, 14, 15, 16, 30, 31 and 59 minutes.
  { until: null, ends: [60, 60, 60, 75, 75, 90, 90, 119] },
  { until: 1, ends: [1, null, null, null, null, null, null, null] },
  { until: 59, ends: [59, 59, 59, 59, 59, 59, 59, null] },
  { until: 60, ends: [60, 60, 60, 60, 60, 60, 60, 60] },
  { until: 61, ends: [60, 60, 60, 61, 61, 61, 61, 61] },
  { until: 74, ends: [60, 60, 60, 74, 74, 74, 74, 74] },
  { until: 75, ends: [60, 60, 60, 75, 75, 75, 75, 75] },
  { until: 76, ends: [60, 60, 60, 75, 75, 76, 76, 76] },
])('a mute until minute $until ends neither earlier nor later', async ({ until, ends }) => {
  const { start, to, ends: live, alertmanager } = openTown()
  const silences = start()
  await silences.set(muteOf('m', 'DiskFull', until === null ? null : startMs + until * minuteMs), false)
  const seen: (number | null)[] = []
  for (const minute of [0, 1, 14, 15, 16, 30, 31, 59]) {
    to(minute)
    await silences.tend()
    seen.push(live()[0] ?? null)
    expect(live().length).toBeLessThanOrEqual(1)
  }
  expect(seen).toEqual(ends)
  if (until === null) return
  for (const minute of [until - 0.01, until, until + 1, until + 200].filter((one) => one >= 59)) {
    to(minute)
    await silences.tend()
    expect([minute, live()]).toEqual([minute, minute < until ? [until] : []])
  }
  // It was over, and nobody had ended it.
  expect([silences.found(), silences.ended.at(-1), silences.told]).toEqual([
    [],
    { kind: 'mute', id: 'm' },
    [],
  ])
  const before = alertmanager.requests()
  await silences.tend()
  expect(alertmanager.requests() - before).toBe(0)
})

test('one that was over while the service, or the Alertmanager, was away does not come back', async () => {
  const { start, to, alertmanager, ends } = openTown()
  await start().set(muteOf('m', 'DiskFull', startMs + 90 * minuteMs), false)
  to(50)
  const second = start()
  await second.tend()
  expect(ends()).toEqual([90])
  alertmanager.snapshot()
  to(200)
  const third = start()
  alertmanager.fates(['away'])
  await third.tend()
  await third.tend()
  expect([ends(), third.found()]).toEqual([[], []])
  alertmanager.restore()
  await third.tend()
  expect(ends()).toEqual([])
})

test('a mute that is asked for again is the same silence; another end, or other matchers, make another one', async () => {
  const { start, to, alertmanager, ends } = openTown()
  const silences = start()
  const ids = () => alertmanager.live().map(({ id }) => id)
  const wish = muteOf('m', 'DiskFull', startMs + 120 * minuteMs)
  await silences.set(wish, false)
  await silences.tend()
  const first = ids()
  to(5)
  await silences.set(wish, false)
  expect([ids(), ends()]).toEqual([first, [65]])
  await silences.set(muteOf('m', 'DiskFull', startMs + 20 * minuteMs), false)
  expect([ids().length, ends()]).toEqual([1, [20]])
  await silences.set(muteOf('m', 'Down'), false)
  await silences.set(muteOf('other', 'Down'), false)
  expect(alertmanager.live().map(({ matchers }) => matchers[0]?.value)).toEqual(['Down', 'Down'])
  await silences.set(muteOf('m'), true)
  expect(alertmanager.live().map((one) => purposeOf(one)?.subject)).toEqual([{ kind: 'mute', id: 'other' }])
})

test('whoever ends one at the Alertmanager has ended that mute, and no other', async () => {
  const { start, alertmanager } = openTown()
  const silences = start()
  await silences.set(muteOf('m'), false)
  await silences.set(muteOf('other'), false)
  const [first] = alertmanager.live()
  alertmanager.endByHand(first?.id ?? '')
  for (let n = 0; n < 3; n += 1) await silences.tend()
  expect(silences.found().map(({ subject }) => subject)).toEqual([{ kind: 'mute', id: 'other' }])
  expect([silences.ended, silences.told]).toEqual([
    [{ kind: 'mute', id: 'm' }],
    ['somebody ended mute m at the Alertmanager: its notifications are on again'],
  ])
  expect(alertmanager.live()).toHaveLength(1)
})

test.each([
  [
    'in all words',
    { untilMs: startMs + 1_000, by: 'Ana: (ops) by ben', why: 'a: b until 2030-01-01 (monbot x)' },
  ],
  ['in no words', { untilMs: null, by: '', why: '' }],
  ['by somebody', { untilMs: null, by: 'ana', why: '' }],
  ['with a reason', { untilMs: startMs, by: '', why: ': by ben: until it is ended' }],
])('without a ledger a mute is known again from its silence, %s', async (_, words) => {
  const subject = { kind: 'mute', id: 'a.b:c_d-9' } as const
  const matchers = [{ name: 'alertname', value: 'Disk full until 2031', isRegex: false, isEqual: true }]
  const terms = { ...words, trouble: null }
  const comment = commentOf({ subject, matchers, terms, token: tokenFor(subject, 'random') })
  const silence = {
    id: 's',
    state: 'active',
    createdBy: 'monbot',
    comment,
    matchers,
    startsAtMs: 0,
    endsAtMs: 1,
    updatedAtMs: 0,
  } as const
  expect(purposeOf(silence)).toEqual({ subject, terms: { ...terms, by: terms.by.replaceAll(':', ' ') } })
  expect(purposeOf({ ...silence, createdBy: 'ana' })).toBeNull()
  expect(purposeOf({ ...silence, matchers: [] })).toBeNull()
  expect(purposeOf({ ...silence, comment: comment.replace('Muted', 'Mutes') })).toBeNull()
})

test('a service without a file goes on with the mutes of the one before, until their end', async () => {
  const { start, to, alertmanager, ends } = openTown()
  const first = start(false)
  await first.set(muteOf('m', 'DiskFull', startMs + 90 * minuteMs), false)
  await first.set(serverOf('web-1'), false)
  to(40)
  const next = start(false)
  expect(next.of({ kind: 'mute', id: 'm' })).toEqual([])
  await next.tend()
  await next.tend()
  expect(next.of({ kind: 'mute', id: 'm' })).toMatchObject([{ terms: { by: 'ana' }, state: 'off' }])
  expect(ends().sort()).toEqual([100, 90])
  to(91)
  await next.tend()
  expect(alertmanager.live().map((one) => purposeOf(one)?.subject.kind)).toEqual(['server'])
})

test('without a ledger, of a mute that was just changed what was asked for last is kept', async () => {
  const { start, to, alertmanager } = openTown()
  const first = start(false)
  await first.set(muteOf('m', 'DiskFull'), false)
  await first.tend()
  to(1)
  alertmanager.fates(['well', 'away'])
  await first.set(muteOf('m', 'Down', startMs + 50 * minuteMs), false)
  expect(alertmanager.live()).toHaveLength(2)
  to(2)
  const next = start(false)
  for (let n = 0; n < 2; n += 1) await next.tend()
  expect(alertmanager.live().map(({ matchers }) => matchers[0]?.value)).toEqual(['Down'])
  expect(next.of({ kind: 'mute', id: 'm' })[0]?.terms?.untilMs).toBe(startMs + 50 * minuteMs)
})

const listed = z.array(z.object({ id: z.string(), endsAt: z.string() }))

test.skipIf(isAlertmanagerMissing)(
  '500 at once are renewed with one request each, eight at a time, and the next one is refused',
  async () => {
    const real = await openAlertmanager()
    const limits = { timeoutMs: 5_000, nowMs: Date.now, report() {} }
    const alertmanagers = openAlertmanagers([real.endpoint], limits)
    onTestFinished(alertmanagers.close)
    let underWay = 0
    const counts = { most: 0, writes: 0, lists: 0 }
    let aheadMs = 0
    const silences = openTownSilences({
      alertmanagers: {
        ...alertmanagers,
        silences() {
          counts.lists += 1
          return alertmanagers.silences()
        },
        async silence(draft) {
          underWay += 1
          counts.writes += 1
          counts.most = Math.max(counts.most, underWay)
          try {
            return await alertmanagers.silence(draft)
          } finally {
            underWay -= 1
          }
        },
      },
      ledger: openKeptLedger().ledgerOf(newProcess()),
      nowMs: () => Date.now() + aheadMs,
    })
    const all = Array.from({ length: mutesMax }, (_, n) => muteOf(`m-${n}`, `Alert${n}`))
    await Promise.all(all.map((one) => silences.set(one, false)))
    await expect(silences.set(muteOf('one-more'), false)).rejects.toMatchObject({
      status: 422,
      message: 'id: expected at most 500 mutes at once; came one more',
    })
    expect(silences.of({ kind: 'mute', id: 'one-more' })).toEqual([])
    // Servers, and those that are there already, are not counted.
    await silences.set(serverOf('web-1'), false)
    await silences.set(all[0] ?? muteOf(''), false)
    const ids = async () =>
      listed
        .parse(JSON.parse(await real.amtool('silence', 'query', '-o', 'json')))
        .map(({ id }) => id)
        .sort()
    const before = await ids()
    expect(before).toHaveLength(mutesMax + 1)
    Object.assign(counts, { most: 0, writes: 0, lists: 0 })
    aheadMs = 16 * minuteMs
    await silences.tend()
    expect(counts).toEqual({ most: 8, writes: mutesMax + 1, lists: 1 })
    expect(await ids()).toEqual(before)
    await silences.tend()
    expect(counts.writes).toBe(mutesMax + 1)
    await silences.set(muteOf('m-7'), true)
    await silences.set(muteOf('one-more'), false)
    expect(await ids()).toHaveLength(mutesMax + 1)
  },
)
