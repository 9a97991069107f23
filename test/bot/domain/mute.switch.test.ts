/** What the API is told, over thousands of interleavings of decisions, answers, doubts, crashes and an API that carries out late. */
import { expect, test } from 'vitest'
import { minuteMs } from '../../../src/bot/domain/base/duration.ts'
import { OutsideFailure } from '../../../src/bot/domain/base/failure.ts'
import {
  answerSwitch,
  askSwitch,
  decideSwitch,
  isSaid,
  isSettled,
  isUnasked,
  keepMuted,
  type Switch,
  type SwitchAnswer,
  waitMsOf,
} from '../../../src/bot/domain/mute/switch.ts'
import { openChance } from '../../kills/chance.ts'

const away = new OutsideFailure('unreachable', 'away', { status: 503 })
const hangs = new OutsideFailure('unreachable', 'no answer', { code: 'ETIMEDOUT' })
const closed = new OutsideFailure('unreachable', 'refused', { code: 'ECONNREFUSED' })
const missing = new OutsideFailure('missing', 'no such server', { status: 404 })
const wrong = new OutsideFailure('rejected', 'wrong', { status: 422 })
const ok = { ok: true, value: 'done' } as const
const no = (failure: OutsideFailure) => ({ ok: false, failure }) as const
const startMs = Date.UTC(2026, 10, 21, 4, 0, 0)
const at = { nowMs: startMs, lastPollMs: startMs }
const of = (wanted: 'on' | 'off', muteId: string | null = 'm1') =>
  ({ subject: 'web-1', wanted, muteId, auditId: 'a1', places: [] }) as const

/** Asked and answered at once. */
function told(row: Switch, answer: SwitchAnswer, now = at) {
  const asked = askSwitch(row, now.nowMs)
  return answerSwitch(asked, { revision: asked.revision, answer }, now)
}

test('a decision is said once, and the API’s yes settles it', () => {
  const off = decideSwitch(null, of('off'))
  expect([isSaid(off), waitMsOf(off, startMs)]).toEqual([false, 0])
  const { next, came } = told(off, ok)
  expect(came).toMatchObject({ kind: 'said' })
  expect([isSettled(next), waitMsOf(next, startMs)]).toEqual([true, null])
})

test('the same decision again is a new revision: somebody may have switched it elsewhere', () => {
  const { next } = told(decideSwitch(null, of('off')), ok)
  expect(isSaid(decideSwitch(next, of('off')))).toBe(false)
})

test.each([
  ['a 404', missing, 'refused'],
  ['a 422', wrong, 'refused'],
  ['a 503', away, 'failed'],
  ['a time-out', hangs, 'failed'],
  ['a closed port', closed, 'failed'],
] as const)('%s to a mute', (_, failure, kind) => {
  const { next, came } = told(decideSwitch(null, of('off')), no(failure))
  expect(came).toMatchObject({ kind })
  if (kind === 'refused') expect([isSettled(next), next.wanted]).toEqual([true, 'on'])
  else expect(waitMsOf(next, startMs)).toBeGreaterThan(0)
})

test('a refusal after a request in doubt is followed by what should be', () => {
  const late = told(decideSwitch(null, of('off')), no(hangs)).next
  const { next, came } = told(late, no(wrong))
  expect(came).toMatchObject({ kind: 'refused', isOwed: true })
  expect([next.wanted, isSaid(next)]).toEqual(['on', false])
})

test('an answer counts for the revision that was asked', () => {
  const asked = askSwitch(decideSwitch(null, of('off')), startMs)
  const newer = decideSwitch(asked, of('on'))
  const { next, came } = answerSwitch(newer, { revision: asked.revision, answer: ok }, at)
  expect(came).toEqual({ kind: 'overtaken' })
  expect([isSaid(next), next.askedMs]).toEqual([false, null])
})

test('what is in doubt is said again after 1, 5 and 30 minutes, and the last clears it', () => {
  let row = told(decideSwitch(null, of('off')), no(hangs)).next
  row = told(row, ok, { nowMs: startMs + 2_000, lastPollMs: startMs }).next
  const said: number[] = []
  for (let nowMs = startMs + 2_000; nowMs < startMs + 60 * minuteMs; nowMs += 10_000) {
    if (waitMsOf(row, nowMs) !== 0) continue
    said.push(Math.round((nowMs - startMs) / minuteMs))
    row = told(row, ok, { nowMs, lastPollMs: nowMs }).next
  }
  expect(said).toEqual([1, 5, 30])
  expect(isSettled(row)).toBe(true)
})

test('the reversal of what was never asked settles without asking, and of what was asked meanwhile does not', () => {
  const off = decideSwitch(null, of('off'))
  const back = decideSwitch(off, { ...of('on'), isTakenBack: true })
  expect(isUnasked(back)).toBe(true)
  const meanwhile = { ...back, askedRevision: off.revision, askedMs: startMs }
  expect(isUnasked(meanwhile)).toBe(false)
  const asked = decideSwitch(askSwitch(off, startMs), { ...of('on'), isTakenBack: true })
  expect(isUnasked(asked)).toBe(false)
})

test('a server is gone by two answers, minutes apart, with polls between them', () => {
  let row = decideSwitch(null, of('on'))
  const kinds: string[] = []
  for (const minute of [0, 1, 2]) {
    const nowMs = startMs + minute * minuteMs
    const { next, came } = told(row, no(missing), { nowMs, lastPollMs: nowMs })
    kinds.push(came.kind)
    row = next
  }
  expect(kinds).toEqual(['failed', 'failed', 'gone'])
  // It may turn up again.
  expect(isSettled(row)).toBe(false)
  expect(told(decideSwitch(null, of('on', null)), no(missing)).came).toMatchObject({ kind: 'refused' })
})

/** Requests that the model of the API carries out later, up to 25 minutes. */
type Under = { readonly atMs: number; readonly wanted: 'on' | 'off' }

test.each([1, 7, 42, 20_261])(
  'no mute is left behind and no unmute lost, whatever comes between (seed %i)',
  (seed) => {
    const { next: random } = openChance(seed)
    const below = (n: number) => Math.floor(random() * n)
    for (let series = 0; series < 400; series += 1) {
      let nowMs = startMs
      let row: Switch | null = null
      let isOn = true
      let late: Under[] = []
      let want: 'on' | 'off' = 'on'
      let underWay: { readonly revision: number; readonly answer: SwitchAnswer } | null = null
      const steps = 10 + below(30)
      const settle = (answer: { readonly revision: number; readonly answer: SwitchAnswer }) => {
        if (row === null) return
        const came = answerSwitch(row, answer, { nowMs, lastPollMs: nowMs })
        // A refused mute is not wanted any more.
        if (came.came.kind === 'refused') want = 'on'
        row = isSettled(came.next) && came.next.wanted === 'on' ? null : came.next
      }
      const ask = (isWell: boolean) => {
        if (row === null || underWay !== null || waitMsOf(row, nowMs) !== 0) return
        const unasked = isUnasked(row)
        row = unasked ? row : askSwitch(row, nowMs)
        const { wanted, revision } = row
        const fate = isWell || unasked ? 0 : below(6)
        if (fate === 0 && !unasked) isOn = wanted === 'on'
        // Carried out although no answer came, at once or long after; or never.
        if (fate === 1) isOn = wanted === 'on'
        if (fate === 2) late.push({ atMs: nowMs + below(25 * minuteMs), wanted })
        const answer =
          fate === 0 ? ok : fate === 5 ? no(wrong) : no(fate === 4 ? closed : fate === 3 ? away : hangs)
        underWay = { revision, answer }
      }
      const pass = (ms: number) => {
        nowMs += ms
        for (const { wanted } of late.filter(({ atMs }) => atMs <= nowMs)) isOn = wanted === 'on'
        late = late.filter(({ atMs }) => atMs > nowMs)
      }
      for (let step = 0; step < steps; step += 1) {
        const what = below(8)
        if (what < 2) {
          want = what === 0 ? 'off' : 'on'
          const isTakenBack =
            want === 'on' && row !== null && random() < 0.5 && (row as Switch).saidRevision === 0
          row = decideSwitch(row, { ...of(want), isTakenBack })
        } else if (what === 2) {
          // The process ends, and what it had under way is not known any more.
          underWay = null
        } else if (what < 5) {
          ask(false)
        } else if (what === 5) {
          if (underWay !== null) settle(underWay)
          underWay = null
        } else pass(below(10 * minuteMs))
      }
      // The API is well again, and everything has its time.
      for (let minute = 0; minute < 4 * 80; minute += 1) {
        if (underWay !== null) settle(underWay)
        underWay = null
        ask(true)
        pass(minuteMs / 4)
      }
      const left = row as Switch | null
      expect({ series, isOn, isSettled: left === null || isSettled(left) }).toEqual({
        series,
        isOn: want === 'on',
        isSettled: true,
      })
    }
  },
)

/** At a service that keeps the terms of an alert's mute, each request carries those that people want when it is made; null: none. */
type Terms = number | null

test.each([3, 11, 28, 9_301])(
  "an alert's mute has the terms that were wanted last and not refused, whatever comes between (seed %i)",
  (seed) => {
    const { next: random } = openChance(seed)
    const below = (n: number) => Math.floor(random() * n)
    const subject = 'alert:0f'
    for (let series = 0; series < 400; series += 1) {
      let nowMs = startMs
      let row: Switch | null = null
      let held: Terms = null
      let want: Terms = null
      let confirmed: Terms = null
      let last = 0
      let late: { readonly atMs: number; readonly terms: Terms }[] = []
      let underWay: { readonly revision: number; readonly answer: SwitchAnswer } | null = null
      const decide = (terms: Terms) => {
        const isTakenBack = terms === null && row !== null && (row as Switch).saidRevision === 0
        want = terms
        if (terms === null) confirmed = null
        row = decideSwitch(row, { ...of(terms === null ? 'on' : 'off'), subject, isTakenBack })
      }
      const ask = (isWell: boolean) => {
        if (row === null || underWay !== null || waitMsOf(row, nowMs) !== 0) return
        const unasked = isUnasked(row)
        row = unasked ? row : askSwitch(row, nowMs)
        const fate = isWell || unasked ? 0 : below(7)
        const terms = row.wanted === 'on' ? null : want
        if (fate < 2 && !unasked) held = terms
        if (fate === 2) late.push({ atMs: nowMs + below(25 * minuteMs), terms })
        const failure = [away, hangs, hangs, away, closed, wrong, missing][fate] ?? away
        underWay = { revision: row.revision, answer: fate === 0 ? ok : no(failure) }
      }
      const settle = () => {
        if (row === null || underWay === null) return
        const { next, came } = answerSwitch(row, underWay, { nowMs, lastPollMs: nowMs })
        underWay = null
        const isKept = came.kind === 'refused' && confirmed !== null
        if (came.kind === 'refused') want = confirmed
        if (came.kind === 'said' && row.wanted === 'off') confirmed = want
        const after = isKept ? keepMuted(next, row, nowMs) : next
        row = isSettled(after) && after.wanted === 'on' ? null : after
      }
      const pass = (ms: number) => {
        nowMs += ms
        for (const { terms } of late.filter(({ atMs }) => atMs <= nowMs)) held = terms
        late = late.filter(({ atMs }) => atMs > nowMs)
      }
      for (let step = 20 + below(60); step > 0; step -= 1) {
        const what = below(16)
        if (what === 0) decide(++last)
        else if (what === 1 && random() < 0.5) decide(null)
        // The process ends, and what it had under way is not known any more.
        else if (what === 2) underWay = null
        else if (what < 8) ask(false)
        else if (what < 12) settle()
        else pass(below(5 * minuteMs))
      }
      for (let quarter = 0; quarter < 4 * 80; quarter += 1) {
        settle()
        ask(true)
        pass(minuteMs / 4)
      }
      const isLeft = row !== null && !isSettled(row)
      expect({ series, held, isLeft }).toEqual({ series, held: want, isLeft: false })
    }
  },
)
