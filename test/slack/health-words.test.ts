/** How monbot is, wherever people look for it: on the board, in the status, on the Home tab and above a list. */
import { expect, test } from 'vitest'
import type { Health } from '../../src/domain/answer.ts'
import { renderAnswer } from '../../src/slack/render/render-answer.ts'
import { renderBoard } from '../../src/slack/render/render-board.ts'
import { renderHome } from '../../src/slack/render/render-home.ts'
import { aStatus, blind, onePage, well } from './answers.ts'
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

test('more open alerts than can be listed are a trouble everywhere', () => {
  for (const [place, words] of Object.entries(everywhere(well({ isWhole: false })))) {
    expect(words, place).toContain(
      'More alerts are open than monbot can list; some of them are told of nowhere.',
    )
  }
})

test('where only what has closed cannot be read, what is open is known', () => {
  const failing = { sinceMs: startedMs, why: 'the monitoring API answered 503: away', isPartial: true }
  for (const [place, words] of Object.entries(everywhere(well({ failing })))) {
    const trouble = `What has closed cannot be read since ${local(startedMs)}: the monitoring API answered 503: away.`
    expect(words, place).toContain(trouble)
    expect(words, place).not.toContain('no alerts can be read')
    if (place !== 'alerts') expect(words, place).not.toContain('as far as monbot knows')
  }
})

test('a blind monbot says so everywhere, and that what it shows may be old', () => {
  for (const [place, words] of Object.entries(everywhere(blind))) {
    expect(words, place).toContain('No alerts can be read since')
    expect(words, place).toMatch(/as far as monbot knows/i)
  }
})
