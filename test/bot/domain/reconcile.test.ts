/** What follows from a look, as a table: known, seen, and what changed. */
import { describe, expect, test } from 'vitest'
import type { Alert, AlertRecord } from '../../../src/bot/domain/alert/alert.ts'
import type { CloseStyle, End } from '../../../src/bot/domain/alert/end.ts'
import type { Lists } from '../../../src/bot/monitor/listing/lists.ts'
import { type Compared, comparing, reconcile } from '../../support/at-once.ts'
import { anAlert } from '../../support/delivery-world.ts'

const nowMs = Date.UTC(2026, 10, 21, 12, 0, 0)
const minuteMs = 60_000
const ago = (minutes: number) => nowMs - minutes * minuteMs

function seen(alertId: string, over: Partial<AlertRecord> = {}): AlertRecord {
  return {
    alertId,
    timeMs: ago(10),
    serverName: 'web-1',
    hostname: 'web-1',
    lifecycle: 'start',
    title: 'too much',
    plugin: 'CPU',
    metric: 'busy',
    value: 99,
    url: '',
    triggerId: null,
    saidSeverity: null,
    ...over,
  }
}

function known(alertId: string, over: Partial<Alert> = {}): Alert {
  return anAlert(alertId, {
    hostname: 'web-1',
    serverName: 'web-1',
    plugin: 'CPU',
    metric: 'busy',
    title: 'too much',
    startedMs: ago(10),
    firstSeenMs: ago(9),
    ...over,
  })
}

type Setting = {
  known?: readonly Alert[]
  ends?: readonly End[]
  open?: readonly AlertRecord[]
  all?: readonly AlertRecord[]
  form?: CloseStyle | null
  complete?: boolean
  depth?: Lists['all']['depth']
  lacks?: readonly string[]
  historyMs?: number
  catchingUp?: boolean
  isFormFixed?: boolean
}

function outcome(setting: Setting): Compared {
  const { known: alerts = [], ends = [], open = [], all = [], form = null } = setting
  const { depth = 'newest', lacks } = setting
  const lists: Lists = {
    open: { alertRecords: open, complete: setting.complete ?? true },
    all: { alertRecords: all, depth, lacks: new Set(lacks) },
    nowMs,
    form,
    isFormFixed: setting.isFormFixed ?? false,
    ...{ catchingUp: setting.catchingUp ?? false, polledMs: null },
    historyMs: setting.historyMs ?? null,
  }
  return reconcile({ alerts: new Map(alerts.map((alert) => [alert.alertId, alert])), ends }, lists)
}

const told = (result: Compared) => result.changes.map(({ kind, alert }) => `${alert.alertId} ${kind}`)

describe('what changed', () => {
  const end = (alertId: string, over: Partial<AlertRecord> = {}) =>
    seen(alertId, { lifecycle: 'end', timeMs: ago(1), ...over })
  const table: [string, Setting, string[]][] = [
    ['nothing known, nothing seen', {}, []],
    ['a new start', { open: [seen('1')], all: [seen('1')] }, ['1 opened']],
    ['a start that only the general list shows', { all: [seen('1')] }, ['1 opened']],
    [
      'a start that only the general list shows, while its end may not have been read',
      { all: [seen('1')], depth: 'part' },
      [],
    ],
    ['a start seen again', { known: [known('1')], open: [seen('1')], all: [seen('1')] }, []],
    ['a record that flipped', { known: [known('1')], all: [end('1')] }, ['1 closed']],
    [
      'a flipped record beside a stale open list',
      { known: [known('1')], open: [seen('1')], all: [end('1')] },
      ['1 closed'],
    ],
    ['an unknown end in flip form', { all: [end('1')], form: 'flip' }, ['1 passed']],
    ['an unknown end in pair form', { all: [end('2')], form: 'pair' }, []],
    [
      'an end that closes its start in pair form',
      { known: [known('1')], all: [end('2')], form: 'pair' },
      ['1 closed'],
    ],
    [
      'an end while its start is still listed as open',
      { known: [known('1')], open: [seen('1')], all: [end('2')], form: 'pair' },
      [],
    ],
    [
      'an end of another server',
      { known: [known('1')], all: [end('2', { hostname: 'web-2' })], form: 'pair' },
      ['1 missed'],
    ],
    [
      'an end before the start',
      { known: [known('1')], all: [end('2', { timeMs: ago(11) })], form: 'pair' },
      ['1 missed'],
    ],
    [
      'the trigger speaks louder than the names',
      { known: [known('1', { triggerId: 't' })], all: [end('2', { triggerId: 'u' })], form: 'pair' },
      ['1 missed'],
    ],
    [
      'the end of a warning while a critical alert of the same metric is absent once',
      { known: [known('1', { title: 'CRITICAL' })], all: [end('2', { title: 'WARNING' })], form: 'pair' },
      ['1 missed'],
    ],
    [
      'the end of a warning beside a critical alert that a list shows only in part',
      {
        known: [known('1', { title: 'CRITICAL', absences: 1 }), known('2', { title: 'WARNING' })],
        all: [end('3', { title: 'WARNING' })],
        form: 'pair',
        complete: false,
      },
      ['2 closed'],
    ],
    [
      'an end in other words, once its start is absent twice',
      { known: [known('1', { absences: 1 })], all: [end('2', { title: 'fine again' })], form: 'pair' },
      ['1 closed'],
    ],
    [
      'start and end in other words, both new',
      { all: [seen('1'), end('2', { title: 'fine again' })], form: 'pair' },
      ['1 passed'],
    ],
    ['start and end, both new, in pair form', { all: [seen('1'), end('2')], form: 'pair' }, ['1 passed']],
    ['absent once', { known: [known('1')] }, ['1 missed']],
    ['absent twice', { known: [known('1', { absences: 1 })], lacks: ['1'] }, ['1 closed']],
    ['absent twice, and not looked for', { known: [known('1', { absences: 1, missingMs: nowMs })] }, []],
    ['absent since before it was noted when', { known: [known('1', { absences: 1 })] }, ['1 missed']],
    ['absent from an incomplete sweep', { known: [known('1', { absences: 1 })], complete: false }, []],
    ['back after one absence', { known: [known('1', { absences: 1 })], open: [seen('1')] }, ['1 found']],
    [
      'absent and older than 30 days',
      { known: [known('1', { startedMs: nowMs - 30 * 24 * 60 * minuteMs })] },
      ['1 expired'],
    ],
    ...(['absence', 'pair', 'record'] as const).map((closedBy): [string, Setting, string[]] => [
      `a close by ${closedBy}, seen open`,
      { known: [known('1', { state: 'closed', closedBy })], open: [seen('1')] },
      ['1~2 opened'],
    ]),
    [
      'no longer reported, seen open',
      { known: [known('1', { state: 'unreported' })], open: [seen('1')] },
      ['1 reopened'],
    ],
    [
      'a closed one whose record is listed as its end as well',
      { known: [known('1', { state: 'closed', closedBy: 'record' })], open: [seen('1')], all: [end('1')] },
      [],
    ],
    ['a one-off', { all: [seen('1', { lifecycle: 'oneoff' })] }, ['1 happened']],
    [
      'a one-off seen again',
      { known: [known('1', { state: 'oneoff' })], all: [seen('1', { lifecycle: 'oneoff' })] },
      [],
    ],
    [
      'history',
      { all: [end('1'), seen('2', { lifecycle: 'oneoff' })], form: 'flip', historyMs: nowMs },
      ['2 recorded', '1 recorded'],
    ],
    [
      'what is over while catching up',
      { all: [end('1'), seen('2', { lifecycle: 'oneoff' })], form: 'flip', catchingUp: true },
      ['2 recorded', '1 recorded'],
    ],
    ['what is open is never history', { open: [seen('1')], historyMs: nowMs }, ['1 opened']],
    ['what is open is never history, catching up', { open: [seen('1')], catchingUp: true }, ['1 opened']],
  ]
  test.each(table)('%s', (_, setting, expected) => {
    expect(told(outcome(setting))).toEqual(expected)
  })
})

test('an end closes every open start of its subject that is not later: it is not consumed by the first', () => {
  const starts = [known('1', { startedMs: ago(30) }), known('2', { startedMs: ago(20) })]
  const result = outcome({
    known: starts,
    all: [seen('3', { lifecycle: 'end', timeMs: ago(5) })],
    form: 'pair',
  })
  expect(told(result)).toEqual(['1 closed', '2 closed'])
})

test('an end that was kept closes its start when the open list stops showing it', () => {
  const kept: End = {
    record: seen('2', { lifecycle: 'end', timeMs: ago(5) }),
    decided: true,
    isHistory: false,
  }
  const result = outcome({ known: [known('1')], ends: [kept], form: 'pair' })
  expect(told(result)).toEqual(['1 closed'])
  expect(result.changes[0]?.alert).toMatchObject({ closedMs: ago(5), closedBy: 'pair' })
})

describe('the form', () => {
  test('an end of unknown meaning waits one poll; then it is an alert of its own', () => {
    const record = seen('5', { lifecycle: 'end', timeMs: ago(1) })
    const first = outcome({ all: [record] })
    expect(told(first)).toEqual([])
    expect(first.keptEnds).toEqual([{ record, decided: false, isHistory: false }])
    const second = outcome({ all: [record], ends: first.keptEnds })
    expect(told(second)).toEqual(['5 passed'])
    expect(second.droppedEndIds).toEqual(['5'])
  })

  test('an end of unknown meaning that explains a missing start proves the pair form', () => {
    const record = seen('5', { lifecycle: 'end', timeMs: ago(1) })
    const result = outcome({ known: [known('1')], ends: [{ record, decided: false, isHistory: false }] })
    expect(told(result)).toEqual(['1 closed'])
    expect(result).toMatchObject({ form: 'pair', keptEnds: [{ decided: true, isHistory: false }] })
  })

  test('one id as start and as end proves the flip form, even within one poll', () => {
    const flipped = seen('1', { lifecycle: 'end' })
    expect(outcome({ known: [known('1')], all: [flipped] }).form).toBe('flip')
    expect(outcome({ open: [seen('1')], all: [flipped] })).toMatchObject({ form: 'flip', keptEnds: [] })
  })

  test('an end that was kept undecided and is seen again in flip form is told once', () => {
    const record = seen('5', { lifecycle: 'end', timeMs: ago(1) })
    const result = outcome({
      all: [record],
      ends: [{ record, decided: false, isHistory: false }],
      form: 'flip',
    })
    expect(told(result)).toEqual(['5 passed'])
    expect(result.droppedEndIds).toEqual(['5'])
  })

  test('a whole listing with an end beside its start proves the pair form; ends alone prove nothing', () => {
    const end = seen('2', { lifecycle: 'end', timeMs: ago(1) })
    expect(outcome({ all: [seen('1'), end], depth: 'whole' }).form).toBe('pair')
    expect(outcome({ all: [seen('1'), end], depth: 'whole', form: 'flip' }).form).toBe('pair')
    expect(outcome({ all: [end], depth: 'whole' }).form).toBeNull()
    expect(outcome({ all: [end], depth: 'whole', form: 'pair' }).form).toBe('pair')
  })

  test('a form set by hand stays, whatever is seen', () => {
    const flipped = seen('1', { lifecycle: 'end' })
    const fixed = { known: [known('1')], all: [flipped], form: 'pair' as const, isFormFixed: true }
    expect(outcome(fixed).form).toBe('pair')
    expect(outcome({ ...fixed, isFormFixed: false }).form).toBe('flip')
  })
})

test('a flipped record that took the closing time tells when it closed; one that kept its own does not', () => {
  const closing = (timeMs: number) =>
    outcome({ known: [known('1')], all: [seen('1', { lifecycle: 'end', timeMs })] }).changes[0]?.alert
      .closedMs
  expect(closing(ago(3))).toBe(ago(3))
  expect(closing(ago(10))).toBe(nowMs)
})

test('ten thousand that are as they were change nothing, and are looked at in many short steps', () => {
  const numbers = Array.from({ length: 10_000 }, (_, at) => `${at}`)
  const memory = { alerts: new Map(numbers.map((id) => [id, known(id)])), ends: [] }
  const alertRecords = numbers.map((id) => seen(id))
  const steps = comparing(memory, {
    open: { alertRecords, complete: true },
    all: { alertRecords, depth: 'whole', lacks: new Set() },
    nowMs,
    form: 'flip',
    isFormFixed: false,
    catchingUp: false,
    polledMs: null,
    historyMs: null,
  })
  let turns = 0
  for (let step = steps.next(); ; step = steps.next(), turns += 1) {
    if (step.done !== true) continue
    expect(step.value).toEqual({ changes: [], keptEnds: [], droppedEndIds: [], form: 'flip' })
    break
  }
  expect(turns).toBeGreaterThan(numbers.length)
})
