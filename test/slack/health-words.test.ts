/** How monbot is, wherever people look for it: on the board, in the status, on the Home tab and above a list. */
import { expect, test } from 'vitest'
import type { Health } from '../../src/domain/request/answer.ts'
import { renderBoard } from '../../src/slack/render/cards/board.ts'
import { renderHome } from '../../src/slack/render/cards/home.ts'
import { renderAnswer } from '../../src/slack/render/replies/answer.ts'
import { aStatus, onePage, outage, well } from './answers.ts'
import { local, startedMs, wordsOf } from './card-views.ts'

function everywhere(health: Health): Record<string, string> {
  const open = { kind: 'alerts', state: 'open', server: null, page: 1 } as const
  const alerts = renderAnswer({ kind: 'alerts', ask: open, list: onePage([]), mutes: [], health })
  const nothing = { open: [], mutes: [], health }
  const blocks = {
    board: renderBoard({ kind: 'board', ...nothing }).blocks,
    status: renderAnswer(aStatus(health)).blocks,
    home: renderHome(nothing),
    alerts: alerts.blocks,
  }
  return Object.fromEntries(
    Object.entries(blocks).map(([place, shown]) => [place, wordsOf(shown).join('\n')]),
  )
}

test('a list of open alerts that could not be read to its end is a trouble everywhere, and never says that nothing is open', () => {
  for (const [place, words] of Object.entries(everywhere(well({ isWhole: false })))) {
    expect(words, place).toContain(
      'The list of open alerts cannot be read to its end; some may be told of nowhere.',
    )
    expect(words, place).toMatch(/as far as monbot knows/i)
    expect(words, place).not.toMatch(/🟢|well\b/)
  }
})

test('where only what has closed cannot be read, what is open is known', () => {
  const failing = { sinceMs: startedMs, why: 'the monitoring API returned HTTP 503: away', isPartial: true }
  for (const [place, words] of Object.entries(everywhere(well({ failing })))) {
    const trouble = `What has closed cannot be read since ${local(startedMs)}: the monitoring API returned HTTP 503: away.`
    expect(words, place).toContain(trouble)
    expect(words, place).not.toContain('no alerts can be read')
    if (place !== 'alerts') expect(words, place).not.toContain('as far as monbot knows')
  }
})

test('a blind monbot says so everywhere, and that what it shows may be old', () => {
  for (const [place, words] of Object.entries(everywhere(outage))) {
    expect(words, place).toContain('No alerts can be read since')
    expect(words, place).toMatch(/as far as monbot knows/i)
  }
})

test('alerts that cannot be read are a trouble everywhere, and nothing is well then', () => {
  const unreadable = { open: 2, listed: 5, past: 0, sinceMs: startedMs, manyTimes: 0 }
  for (const [place, words] of Object.entries(everywhere(well({ unreadable })))) {
    expect(words, place).toContain(
      `2 of 5 open alerts cannot be read since ${local(startedMs)}: their records have no usable id.`,
    )
    expect(words, place).toMatch(/as far as monbot knows/i)
    expect(words, place).not.toMatch(/🟢|well\b/)
  }
})

test('past alerts that cannot be read are a trouble, and what is open is known', () => {
  const unreadable = { open: 0, listed: 5, past: 1, sinceMs: startedMs, manyTimes: 0 }
  for (const [place, words] of Object.entries(everywhere(well({ unreadable })))) {
    expect(words, place).toContain(`1 record of past alerts cannot be read since ${local(startedMs)}`)
    expect(words, place).not.toMatch(/well\b/)
    if (place !== 'alerts') expect(words, place).not.toContain('as far as monbot knows')
  }
})

test('roles that cannot be read are a trouble where routes go by them', () => {
  const shown = everywhere(well({ rolesUnread: 'the monitoring API returned HTTP 503: away' }))
  for (const place of ['board', 'status', 'home'])
    expect(shown[place]).toContain(
      'Server roles cannot be read, so new alerts may be in the wrong channel: the monitoring API returned HTTP 503: away.',
    )
})
