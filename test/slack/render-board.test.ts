/** The board: one glance says what is open, what is muted, and whether monbot is well. */
import { expect, test } from 'vitest'
import type { CardView } from '../../src/domain/card/kinds.ts'
import { renderBoard } from '../../src/slack/render/cards/board.ts'
import { anAlert } from '../support/delivery-world.ts'
import { nowMs, outage, well } from './answers.ts'
import { ago, aMute, local, startedMs, wordsOf } from './card-views.ts'

type BoardView = CardView<'board'>

const web1 = { hostname: 'web-1', serverName: 'web-1', startedMs }
const board = (over: Partial<BoardView> = {}): BoardView => ({
  kind: 'board',
  open: [],
  mutes: [],
  health: well(),
  ...over,
})
const words = (over: Partial<BoardView> = {}) => wordsOf(renderBoard(board(over)).blocks)

test('an empty board is two lines', () => {
  expect(words()).toEqual(['🟢 *No open alerts*', `Last good poll ${local(nowMs - 12_000)}`])
  expect(renderBoard(board()).text).toBe('🟢 No open alerts\nLast good poll 2026-11-21 03:59 UTC')
})

test('what is open, one line each, then what is muted, by whom and until when', () => {
  const open = [anAlert('7', { ...web1, ackedBy: 'U1' }), anAlert('8', { ...web1, hostname: 'db-1' })]
  const until = local(startedMs + 3_600_000)
  expect(words({ open, mutes: [aMute({ hostname: 'db-1' })] })).toEqual([
    '🔴 *2 open alerts · 1 muted · monitoring OK*',
    [
      `🔴 *<https://monitor.example/a/1|web-1>* Load Average: last minute *3.5* (limit 3) · ${ago(startedMs)} · 👀 <@U1> · #7`,
      `🔴 *<https://monitor.example/a/1|web-1>* Load Average: last minute *3.5* (limit 3) · ${ago(startedMs)} · nobody yet · #8 · 🔕 muted until ${until} · host db-1`,
    ].join('\n'),
    `🔕 *db-1* muted by <@U2> until ${until} — deploying`,
    `Last good poll ${local(nowMs - 12_000)}`,
  ])
})

test('how many are critical is told, and they look like it', () => {
  const open = [anAlert('8', { ...web1, severity: 'critical' }), anAlert('7', web1), anAlert('6', web1)]
  const [first, lines] = words({ open })
  expect(first).toMatch(/^🚨 \*3 open alerts · 1 critical · /)
  expect(lines?.split('\n').map((line) => line.slice(0, line.indexOf('*')))).toEqual([
    '🚨 CRITICAL ',
    '🔴 ',
    '🔴 ',
  ])
})

test('what is wrong comes first, because then the list may be old', () => {
  const [first] = words({ open: [anAlert('7')], health: outage })
  expect(first).toMatch(
    /^⚠️ \*1 open alert as far as monbot knows · monbot has a problem\*\nNo alerts can be read since /,
  )
})

test('what is neither listed as open nor known to have closed is counted apart, below what is open', () => {
  const lost = [anAlert('9', { ...web1, state: 'unreported', missingMs: startedMs + 60_000 })]
  expect(words({ lost })[0]).toBe('⚪ *0 open alerts · 1 unknown · monitoring OK*')
  expect(words({ open: [anAlert('7', web1)], lost })[0]).toBe('🔴 *1 open alert · 1 unknown · monitoring OK*')
  const shown = words({ open: [anAlert('7', web1)], lost })[1]?.split('\n')
  expect(shown?.[1]).toBe(
    `⚪ *<https://monitor.example/a/1|web-1>* Load Average: last minute is not listed as open any more, and no end was seen · reached 3.5 (limit 3) · #9 · since ${local(startedMs)} · not listed since ${local(startedMs + 60_000)}`,
  )
})

test('fifteen of many alerts, and how to see the rest; the text says all of what is shown', () => {
  const open = Array.from({ length: 64 }, (_, n) => anAlert(String(n), web1))
  const shown = words({ open }).join('\n')
  expect(shown.match(/ · #/g)).toHaveLength(15)
  expect(shown).toContain('\nand 49 more: `/mon alerts`')
  expect(renderBoard(board({ open })).text.match(/ · #/g)).toHaveLength(15)
})

test('the same board twice is the same message, so that it is not edited for nothing', () => {
  const view = board({ open: [anAlert('7')] })
  const later = { ...view, health: { ...view.health, nowMs: view.health.nowMs + 60_000 } }
  expect(renderBoard(later)).toEqual(renderBoard(view))
})
