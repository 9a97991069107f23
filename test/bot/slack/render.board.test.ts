/** The board and the Home tab: what one glance says of what is open, what is muted, and whether monbot is well. */

import type { KnownBlock } from '@slack/types'
import { expect, test } from 'vitest'
import type { CardView } from '../../../src/bot/domain/card/kinds.ts'
import { renderBoard } from '../../../src/bot/slack/render/cards/board.ts'
import { renderHome } from '../../../src/bot/slack/render/cards/home.ts'
import { renderAnswer } from '../../../src/bot/slack/render/replies/answer.ts'
import { unmuteValue } from '../../../src/bot/slack/render/text/list-lines.ts'
import { parseStamp } from '../../../src/bot/slack/vocabulary.ts'
import { checkView } from '../../../src/workspace/blocks/check.ts'
import { aPlannedMute } from '../../support/acting-rows.ts'
import { anAlert } from '../../support/delivery-world.ts'
import { aStatus, nowMs, outage, well } from './answers.ts'
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

test('what is planned stands below what is muted, the next window first, and no more than three', () => {
  const once = { is: 'once', startMs: nowMs + 60_000, endMs: nowMs + 120_000 } as const
  const planned = [
    aPlannedMute('p1'),
    aPlannedMute('p2', { rule: once, what: { of: 'account' }, userId: null, reason: '' }),
    aPlannedMute('p3', { rule: { ...once, startMs: 1 } }),
  ]
  const [, lines = ''] = words({ planned })
  const tuesdayMs = Date.UTC(2026, 10, 24, 1)
  expect(lines.split('\n')).toEqual([
    `🗓️ the whole account will be muted from ${local(nowMs + 60_000)} to ${local(nowMs + 120_000)} · planned by the policy`,
    `🗓️ \`web-?\` will be muted from ${local(tuesdayMs)} to ${local(tuesdayMs + 7_200_000)} · every Tue 02:00–04:00 (Europe/Berlin) · planned by <@U0ANA> — patch day`,
  ])
  const many = Array.from({ length: 9 }, (_, at) => aPlannedMute(`p${at}`))
  expect(words({ planned: many })[1]?.split('\n').at(-1)).toMatch(/^and \d more planned: `\/mon mutes`$/)
})

test('an empty board is two lines', () => {
  expect(words()).toEqual(['🟢 *No open alerts*', `Last good poll ${local(nowMs - 12_000)}`])
  expect(renderBoard(board()).text).toBe('🟢 No open alerts\nLast good poll 2026-11-21 03:59 UTC')
})

test('what is open, one line each, then what is muted, by whom and until when', () => {
  const open = [anAlert('7', { ...web1, ackedBy: 'U1' }), anAlert('8', { ...web1, hostname: 'db-1' })]
  const until = local(startedMs + 3_600_000)
  expect(words({ open, mutes: [aMute({ subject: 'db-1' })] })).toEqual([
    '🔴 *2 open alerts · 1 muted · monitoring OK*',
    [
      `🔴 *<https://monitor.example/a/1|web-1>* Load Average: last minute *3.5* (limit 3) · ${ago(startedMs)} · 👀 <@U1> · #7`,
      `🔴 *<https://monitor.example/a/1|web-1>* Load Average: last minute *3.5* (limit 3) · ${ago(startedMs)} · unacknowledged · #8 · 🔕 muted until ${until} · host db-1`,
    ].join('\n'),
    `🔕 *db-1* muted by <@U2> until ${until} — deploying`,
    `Last good poll ${local(nowMs - 12_000)}`,
  ])
})

test('that the whole account is muted stands in the first line, wherever one looks', () => {
  const mutes = [aMute({ subject: null }), aMute({ muteId: 'm2', subject: 'db-1' })]
  expect(words({ mutes })[0]).toBe('🟢 *No open alerts · account muted · 1 muted · monitoring OK*')
  const home = wordsOf(renderHome({ open: [], mutes, health: well() }))
  expect(home[0]).toBe('🟢 *Monitoring OK · account muted*')
  const [status] = wordsOf(renderAnswer(aStatus({ mutes })).blocks)
  expect(status).toMatch(/^\*🟢 No open alerts · account muted · monitoring OK\*\n/)
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
    /^⚠️ \*1 open alert \(last known\) · Monitoring unreachable\*\nCan't read alerts since /,
  )
})

test('mutes that the API did not let end were "monitoring OK", and their servers muted until a time that was past', () => {
  const open = [anAlert('7', web1)]
  const mutes = [aMute({ subject: 'web-1', state: 'ended', confirmation: 'stuck', endedBy: 'deadline' })]
  const [first, line] = words({ open, mutes })
  expect(first).toMatch(/Mutes not ended\*\nCouldn't confirm the end of 1 mute; /)
  expect(line).toMatch(/ · 🔕 mute is ending$/)
  const home = wordsOf(renderHome({ open, mutes, health: well() }))
  expect(home[0]).toMatch(/^⚠️ \*Mutes not ended\*\nCouldn't confirm/)
  // One failure passes by itself; only the person who asked hears of it.
  const once = mutes.map((mute) => ({ ...mute, confirmation: 'waiting' as const }))
  expect(words({ open, mutes: once })[0]).toMatch(/monitoring OK/)
})

test('what is neither listed as open nor known to have closed is counted apart, below what is open', () => {
  const lost = [anAlert('9', { ...web1, state: 'unreported', missingMs: startedMs + 60_000 })]
  expect(words({ lost })[0]).toBe('⚪ *0 open alerts · 1 unknown · monitoring OK*')
  expect(words({ open: [anAlert('7', web1)], lost })[0]).toBe('🔴 *1 open alert · 1 unknown · monitoring OK*')
  const shown = words({ open: [anAlert('7', web1)], lost })[1]?.split('\n')
  expect(shown?.[1]).toBe(
    `⚪ *<https://monitor.example/a/1|web-1>* Load Average: last minute is not listed as open any more, and no end was seen · opened at 3.5 (limit 3) · #9 · since ${local(startedMs)} · not listed since ${local(startedMs + 60_000)}`,
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

/** The homeWords and buttons, block by block; Slack takes the view. */
function homeWords(blocks: readonly KnownBlock[]): string[] {
  expect(checkView({ type: 'home', blocks })).toEqual([])
  return blocks.map((block) => {
    switch (block.type) {
      case 'section': {
        const button = block.accessory
        const label = button?.type === 'button' ? ` [${button.text.text}: ${button.value}]` : ''
        return `${block.text?.text}${label}`
      }
      case 'context':
        return block.elements.map((one) => ('text' in one ? one.text : one.type)).join(' ')
      default:
        return block.type
    }
  })
}

test('nothing is open and nothing is muted', () => {
  expect(homeWords(renderHome({ open: [], mutes: [], health: well() }))).toEqual([
    '🟢 *Monitoring OK*',
    `Last good poll ${local(nowMs - 12_000)} · Slack connected`,
    'divider',
    '🟢 *No open alerts*',
    'divider',
    '*Nothing is muted.*',
    'divider',
    'actions',
    'Type `/mon help` in any channel to see what you can do, or `/mon status` for this in short.',
  ])
})

test('how many are critical is told', () => {
  const open = [anAlert('8', { ...web1, severity: 'critical' }), anAlert('7', web1)]
  expect(homeWords(renderHome({ open, mutes: [], health: well() }))).toContain(
    '🚨 *2 open alerts · 1 critical*',
  )
})

test('open alerts, and mutes with owner, end and a button that ends them', () => {
  const [db, all] = [aMute({ subject: 'db-1' }), aMute({ subject: null })]
  const shown = homeWords(
    renderHome({
      open: [anAlert('7', { ...web1, ackedBy: 'U1' })],
      mutes: [db, all],
      health: well(),
    }),
  )
  expect(shown).toContain('🔴 *1 open alert*')
  expect(shown.find((line) => line.includes('#7'))).toContain('👀 <@U1>')
  const until = local(startedMs + 3_600_000)
  expect(shown).toContain(`🔕 *db-1* muted by <@U2> until ${until} — deploying [Unmute: ${unmuteValue(db)}]`)
  expect(shown).toContain(
    `🔕 *The whole account* muted by <@U2> until ${until} — deploying [Unmute: ${unmuteValue(all)}]`,
  )
})

test('what is wrong with monbot stands above everything else', () => {
  expect(homeWords(renderHome({ open: [], mutes: [], health: outage }))[0]).toMatch(
    /^⚠️ \*Monitoring unreachable\*\nCan't read alerts since .*ECONNREFUSED/,
  )
})

test('the latest twenty-eight of many alerts, and how to see the rest', () => {
  const open = Array.from({ length: 42 }, (_, n) => anAlert(String(n)))
  const shown = homeWords(renderHome({ open, mutes: [], health: well() }))
  expect(shown.filter((line) => line.includes('#'))).toHaveLength(28)
  expect(shown).toContain('and 14 more: `/mon alerts`')
})

test('each time the tab is shown its selects have forgotten what was chosen: to choose it again must act', () => {
  const idsAt = (nowMs: number) =>
    renderHome({ open: [anAlert('7', web1)], mutes: [], health: { ...well(), nowMs } }).flatMap((block) =>
      block.type === 'actions' && block.block_id !== undefined ? [block.block_id] : [],
    )
  expect(idsAt(1_000)).toHaveLength(1)
  expect(idsAt(1_000)).not.toEqual(idsAt(2_000))
})

test('each open alert has its buttons and the way to its message; a full tab is one that Slack takes', () => {
  const place = { alertId: '7', cardId: 'alert:7:C1', channel: 'C1', ts: '1.2' }
  const linkTo = ({ channel, ts }: { channel: string; ts: string }) =>
    `https://team.slack.com/${channel}/${ts}`
  const buttonsOf = (over: object, mutes: ReturnType<typeof aMute>[] = []) => {
    const open = [anAlert('7', { ...web1, ...over })]
    const blocks = renderHome({ open, places: [place], mutes, health: well() }, linkTo)
    return blocks.flatMap((block) => (block.type === 'actions' ? [block] : []))
  }
  const [actions] = buttonsOf({})
  expect(parseStamp(String(actions?.block_id))).toEqual({ cardId: 'alert:7:C1', version: 0, alertId: '7' })
  expect(actions?.elements).toMatchObject([
    { action_id: 'acknowledge', value: '7' },
    { action_id: 'mute_server' },
    { action_id: 'open', url: 'https://team.slack.com/C1/1.2' },
  ])
  const [held] = buttonsOf({ ackedBy: 'U1' }, [aMute({ subject: 'web-1' })])
  expect(held?.elements).toMatchObject([{ action_id: 'take_over' }, { action_id: 'unmute_server' }, {}])

  const open = Array.from({ length: 200 }, (_, at) =>
    anAlert(`${at}`, { ...web1, ackedBy: at === 199 ? 'U1' : null }),
  )
  const mutes = Array.from({ length: 200 }, (_, at) => aMute({ subject: `db-${at}` }))
  const storms = [1, 2, 3, 4, 5, 6].map((n) => ({
    kind: 'storm' as const,
    cardId: `storm:${n}:C1`,
    channel: 'C1',
    ts: '1.2',
    open,
    count: 201,
  }))
  const planned = Array.from({ length: 200 }, (_, at) => aPlannedMute(`p${at}`))
  // One is left for what is inhibited.
  expect(homeWords(renderHome({ open, storms, mutes, planned, health: well() }, linkTo, 'U1'))).toHaveLength(
    99,
  )
})

test('who has some of what is open finds them first, in a group of their own', () => {
  const open = [
    anAlert('9', { ...web1, severity: 'critical' }),
    anAlert('8', { ...web1, ackedBy: 'U2' }),
    anAlert('7', { ...web1, ackedBy: 'U1' }),
  ]
  const lines = (userId: string) =>
    homeWords(renderHome({ open, mutes: [], health: well() }, () => null, userId)).flatMap(
      (words) => /^(👀 \*Yours \(\d+\)\*|\*Others\*)$|#(\d+)$/m.exec(words)?.slice(1).filter(Boolean) ?? [],
    )
  expect(lines('U1')).toEqual(['👀 *Yours (1)*', '7', '*Others*', '9', '8'])
  expect(lines('U3')).toEqual(['9', '8', '7'])
  const firstButtons = (userId: string) =>
    renderHome({ open, mutes: [], health: well() }, () => null, userId)
      .flatMap((block) => (block.type === 'actions' ? block.elements.slice(0, 1) : []))
      .map((one) => ('action_id' in one ? one.action_id : ''))
  // Nobody takes over what is theirs.
  expect(firstButtons('U1')).toEqual(['hand_back', 'acknowledge', 'take_over', 'add_roles'])
  expect(firstButtons('U3')).toEqual(['acknowledge', 'take_over', 'take_over', 'add_roles'])
})

test('a storm has what its card has to acknowledge it, take it over and hand it back', () => {
  const open = [anAlert('7', { ...web1, severity: 'critical' }), anAlert('8', web1), anAlert('9', web1)]
  const at = { kind: 'storm', cardId: 'storm:1:C1', channel: 'C1', ts: '1.2', count: 12 } as const
  const tab = (held: readonly (string | null)[]) => {
    const its = open.map((alert, n) => ({ ...alert, ackedBy: held[n] ?? null }))
    const blocks = renderHome(
      { open: its, storms: [{ ...at, open: its }], mutes: [], health: well() },
      () => 'https://x',
    )
    const at0 = blocks.findIndex(({ type }) => type === 'actions')
    const [row, line] = [blocks[at0], homeWords(blocks)[at0 - 1]]
    const names =
      row?.type === 'actions' ? row.elements.map((one) => ('action_id' in one ? one.action_id : '')) : []
    return { line, names, row }
  }
  const free = tab([])
  expect(free.line).toBe('🚨 *3 × Last minute on web-1 · 1 critical* in <#C1>\n👀 All unacknowledged')
  expect(free.row).toMatchObject({
    elements: [{ action_id: 'acknowledge_all', value: '12' }, { action_id: 'open' }],
  })
  expect(parseStamp(String(free.row?.block_id))).toEqual({ cardId: 'storm:1:C1', version: 0, alertId: null })
  expect(tab(['U1']).names).toEqual(['acknowledge_all', 'take_over', 'hand_back', 'open'])
  expect(tab(['U1', 'U1', 'U2'])).toMatchObject({
    names: ['take_over', 'hand_back', 'open'],
    line: expect.stringContaining('All acknowledged: <@U1> 2, <@U2> 1'),
  })
})
