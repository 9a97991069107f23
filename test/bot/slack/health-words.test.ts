/**
 * How monbot is, and which channels take no cards, wherever people look for it: on the board, in the status, on the Home tab
 * and above a list.
 */
import { expect, test } from 'vitest'
import type { CardView } from '../../../src/bot/domain/card/kinds.ts'
import type { ChannelTrouble } from '../../../src/bot/domain/delivery/channel-trouble.ts'
import type { Health } from '../../../src/bot/domain/request/answer.ts'
import { renderBoard } from '../../../src/bot/slack/render/cards/board.ts'
import { renderHome } from '../../../src/bot/slack/render/cards/home.ts'
import { renderAnswer } from '../../../src/bot/slack/render/replies/answer.ts'
import { aStatus, nowMs, onePage, outage, well } from './answers.ts'
import { local, minuteMs, startedMs, wordsOf } from './card-views.ts'

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

const away = 'the monitoring API returned HTTP 503: away'
const unreadable = { open: 0, listed: 5, past: 0, sinceMs: startedMs, manyTimes: 0 }

test.each<[string, Health, string]>([
  [
    'a list of open alerts that could not be read to its end',
    well({ coverage: { open: 'partial', past: 'complete' } }),
    "Can't read the list of open alerts to its end; some may be missing.",
  ],
  ['an outage', outage, "Can't read alerts since"],
  [
    'alerts that cannot be read',
    well({ unreadable: { ...unreadable, open: 2 } }),
    `Can't read 2 of 5 open alerts since ${local(startedMs)}: their records have no usable id.`,
  ],
])('%s: it is a trouble everywhere, what is shown may be old, and nothing is well', (_, health, words) => {
  for (const [place, shown] of Object.entries(everywhere(health))) {
    expect(shown, place).toContain(words)
    expect(shown, place).toMatch(/last known/i)
    expect(shown, place).not.toMatch(/🟢|well\b/)
  }
})

test.each<[string, Health, string]>([
  [
    'what has closed cannot be read',
    well({ failing: { sinceMs: startedMs, why: away, isPartial: true } }),
    `Can't read what has closed since ${local(startedMs)}: ${away}.`,
  ],
  [
    'past alerts cannot be read',
    well({ unreadable: { ...unreadable, past: 1 } }),
    `Can't read 1 record of past alerts since ${local(startedMs)}`,
  ],
])('%s: it is a trouble everywhere, and what is open is known', (_, health, words) => {
  for (const [place, shown] of Object.entries(everywhere(health))) {
    expect(shown, place).toContain(words)
    expect(shown, place).not.toMatch(/can't read alerts|well\b/i)
    if (place !== 'alerts') expect(shown, place).not.toContain('last known')
  }
})

test('where what has closed is not all known yet, answers that count it say so, and monbot has no problem', () => {
  const shown = everywhere(well({ coverage: { open: 'complete', past: 'partial' } }))
  expect(shown.alerts).toContain('What has closed is not all known yet.')
  for (const place of ['board', 'status', 'home'])
    expect(shown[place]).not.toMatch(/not all known|trouble|⚠️/i)
})

test('roles that cannot be read are a trouble where routes go by them', () => {
  const shown = everywhere(well({ rolesUnread: away }))
  const words = `Server roles cannot be read, so new alerts may be in the wrong channel: ${away}.`
  for (const place of ['board', 'status', 'home']) expect(shown[place]).toContain(words)
})

const at = local(startedMs)
const trouble = (over: Partial<ChannelTrouble> = {}): ChannelTrouble => ({
  channel: 'C0ALERTS01',
  kind: 'channel_unavailable',
  why: 'is_archived',
  sinceMs: startedMs,
  ...over,
})

function status(
  troubles: readonly ChannelTrouble[],
  waiting: Readonly<Record<string, number>> = {},
): string[] {
  const behindIn = new Map(Object.entries(waiting))
  const behind = [...behindIn.values()].reduce((sum, count) => sum + count, 0)
  return wordsOf(renderAnswer(aStatus({ troubles, behind, behindIn })).blocks).flatMap((text) =>
    text.split('\n'),
  )
}

test.each([
  ['is_archived', 'it is archived. Unarchive it, or route its alerts to another channel'],
  ['not_in_channel', 'monbot is not in it. Say `/invite @monbot` there'],
  [
    'channel_not_found',
    'it was deleted, or it is private and monbot is not in it. Say `/invite @monbot` there',
  ],
  ['message_limit_exceeded', 'the workspace has used up its messages. Ask an admin of the workspace'],
  [
    'restricted_action',
    'Slack says restricted_action. Ask an admin of the workspace to let monbot post there',
  ],
])('a channel that answers %s', (why, steps) => {
  const [glance, line] = status([trouble({ why })], { C0ALERTS01: 3, C2: 1 })
  expect(glance).toBe('*⚠️ Slack trouble · no open alerts*')
  expect(line).toBe(
    `⚠️ <#C0ALERTS01> takes no cards since ${at}: ${steps}; 3 cards wait and will follow then.`,
  )
})

test('nothing waits there: only what is wrong, and what to do', () => {
  expect(status([trouble()])[1]).toBe(
    `⚠️ <#C0ALERTS01> takes no cards since ${at}: it is archived. Unarchive it, or route its alerts to another channel.`,
  )
})

test('a refused token is told once, with the cards of all channels', () => {
  const troubles = ['C1', 'C2'].map((channel) => trouble({ channel, kind: 'no_token', why: 'token_revoked' }))
  const lines = status(troubles, { C1: 1, C2: 4 }).filter((line) => line.includes('token'))
  expect(lines).toEqual([
    `⚠️ Slack refuses the bot token since ${at} (token_revoked): reinstall the app, give monbot its SLACK_BOT_TOKEN, and start it again; 5 cards wait and will follow then.`,
  ])
  expect(status([trouble({ kind: 'no_token', why: 'missing_scope' })])[1]).toContain(
    '(missing_scope): reinstall the app with the scopes of manifest.yml.',
  )
})

test('what mends itself is told where cards wait for it; after five minutes it is a problem', () => {
  const sinceMs = nowMs - minuteMs
  const troubles = [
    trouble({ kind: 'later', why: 'ratelimited', sinceMs }),
    trouble({ channel: 'C2', kind: 'unknown', why: 'http_503', sinceMs }),
    trouble({ channel: 'C3', kind: 'unknown', why: 'http_503', sinceMs }),
  ]
  const since = `since ${local(sinceMs)}`
  const waits = `Slack rate limit in <#C0ALERTS01> ${since}; retrying`
  const unclear = `Slack gives no clear answer in <#C2> ${since} (http_503); retrying`
  const waiting = { C0ALERTS01: 2, C2: 1 }
  const lines = status(troubles, waiting)
  expect(lines[0]).toBe('*🟢 No open alerts · monitoring OK*')
  expect(lines.join('\n')).toContain(`3 card updates pending · ${waits} · ${unclear}`)
  expect(lines.join('\n')).not.toContain('C3')
  const old = status(
    troubles.map((one) => ({ ...one, sinceMs: startedMs })),
    waiting,
  )
  expect(old.slice(0, 2)).toEqual([
    '*⚠️ Slack trouble · no open alerts*',
    `⚠️ Slack rate limit in <#C0ALERTS01> since ${at}; retrying.`,
  ])
})

test('however many channels are closed, five are named', () => {
  const troubles = Array.from({ length: 12 }, (_, n) => trouble({ channel: `C${n}` }))
  const lines = status(troubles)
  expect(lines.filter((line) => line.includes('takes no cards'))).toHaveLength(5)
  expect(lines).toContain('⚠️ 7 more channels of monbot cannot be posted in.')
})

test('a word from Slack mentions nobody, and neither does a channel that is no id', () => {
  const text = status([trouble({ channel: '<!channel>', why: '<!here>' })]).join('\n')
  expect(text).not.toMatch(/<!(channel|here)>/)
})

test('the other channels hear of it on their boards, and people on their Home tab', () => {
  const health = well({ troubles: [trouble()] })
  const view: CardView<'board'> = { kind: 'board', open: [], mutes: [], health }
  const words = `<#C0ALERTS01> takes no cards since ${at}: it is archived.`
  expect(wordsOf(renderBoard(view).blocks).join('\n')).toContain(words)
  expect(wordsOf(renderHome({ open: [], mutes: [], health })).join('\n')).toContain(words)
})
