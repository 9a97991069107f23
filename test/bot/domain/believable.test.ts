/**
 * Times that cannot be do not reach a card, as the bot's own clock stands in for them; and for how long an alert has to be
 * missing until nobody calls it open.
 */
import { describe, expect, test } from 'vitest'
import { type Alert, type AlertRecord, isLongMissing } from '../../../src/bot/domain/alert/alert.ts'
import { aheadMaxMs } from '../../../src/bot/domain/alert/believable.ts'
import type { End } from '../../../src/bot/domain/alert/end.ts'
import type { Lists } from '../../../src/bot/monitor/listing/lists.ts'
import { reconcile } from '../../support/at-once.ts'
import { anAlert } from '../../support/delivery-world.ts'
import { sightingOf } from '../flow/moving-list.ts'

const nowMs = Date.UTC(2026, 10, 21, 12)
const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs

const seen = (alertId: string, timeMs: number, over: Partial<AlertRecord> = {}) =>
  sightingOf(1, { alertId, timeMs, hostname: 'web-1', ...over })

function snapshot(
  over: { open?: readonly AlertRecord[]; all?: readonly AlertRecord[]; form?: Lists['form'] },
  atMs = nowMs,
) {
  return {
    open: { alertRecords: over.open ?? [], complete: true },
    all: { alertRecords: over.all ?? over.open ?? [], depth: 'whole' as const, lacks: new Set() },
    nowMs: atMs,
    form: over.form ?? 'flip',
    isFormFixed: true,
    catchingUp: false,
    polledMs: null,
    historyMs: null,
  } satisfies Lists
}

const knowing = (alerts: readonly Alert[] = [], ends: readonly End[] = []) => ({
  alerts: new Map(alerts.map((alert) => [alert.alertId, alert])),
  ends,
})

describe('an alert that is first seen', () => {
  test.each([
    ['a year ahead began when it was seen', nowMs + 365 * dayMs, nowMs],
    ['a day ahead began when it was seen', nowMs + dayMs, nowMs],
    ['just over five minutes ahead began when it was seen', nowMs + aheadMaxMs + 1, nowMs],
    ['five minutes ahead keeps its time: clocks differ', nowMs + aheadMaxMs, nowMs + aheadMaxMs],
    ['in 1970 began when it was seen', 0, nowMs],
    ['forty days ago keeps its time', nowMs - 40 * dayMs, nowMs - 40 * dayMs],
  ])('%s', (_what, timeMs, startedMs) => {
    const { changes } = reconcile(knowing(), snapshot({ open: [seen('1', timeMs)] }))
    expect(changes).toMatchObject([{ kind: 'opened', alert: { startedMs, firstSeenMs: nowMs } }])
  })
})

test('an alert dated a year ahead that flips to its end closed when that was seen, not in a year', () => {
  const known = anAlert('1', { hostname: 'web-1', startedMs: nowMs - minuteMs })
  const flipped = seen('1', nowMs + 365 * dayMs, { lifecycle: 'end' })
  const { changes } = reconcile(knowing([known]), snapshot({ all: [flipped] }))
  expect(changes).toMatchObject([{ kind: 'closed', alert: { closedMs: nowMs, closedBy: 'record' } }])
})

test('an alert of 1970 that is absent once is missed, and not given up as older than what is listed', () => {
  const { changes: opened } = reconcile(knowing(), snapshot({ open: [seen('1', 0)] }))
  const alerts = opened.map(({ alert }) => alert)
  const { changes } = reconcile(knowing(alerts), snapshot({}, nowMs + minuteMs))
  expect(changes).toMatchObject([{ kind: 'missed' }])
})

test('with a service whose clock is a day ahead, a second record closes what it belongs to, and nothing later', () => {
  const aheadMs = nowMs + dayMs
  const first = reconcile(knowing(), snapshot({ open: [seen('1', aheadMs)], form: 'pair' }))
  const [one] = first.changes.map(({ alert }) => alert)
  const end = seen('2', aheadMs + minuteMs, { lifecycle: 'end' })
  const again = seen('3', aheadMs + 2 * minuteMs)
  const records = [seen('1', aheadMs), end, again]
  const second = reconcile(
    knowing(one === undefined ? [] : [one]),
    snapshot({ open: [again], all: records, form: 'pair' }, nowMs + 2 * minuteMs),
  )
  expect(second.changes.map(({ kind, alert }) => `${alert.alertId} ${kind}`).sort()).toEqual([
    '1 closed',
    '3 opened',
  ])
  expect(second.changes).toContainEqual(
    expect.objectContaining({
      kind: 'closed',
      alert: expect.objectContaining({ startedMs: nowMs, closedMs: nowMs + 2 * minuteMs }),
    }),
  )
})

const readMs = Date.UTC(2026, 10, 21, 4)
test.each([
  ['just now', 0, false],
  ['just below five minutes', 5 * minuteMs - 1, false],
  ['five minutes', 5 * minuteMs, true],
  // How long it really is, nobody knows.
  ['since before a clock was set back', -60 * minuteMs, true],
])('missing: %s', (_name, forMs, expected) => {
  expect(isLongMissing(readMs - forMs, readMs)).toBe(expected)
})
