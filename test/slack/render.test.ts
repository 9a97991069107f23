/** Cards as people see them: what one glance tells, and what text from outside cannot do. */
import { describe, expect, test } from 'vitest'
import type { Alert } from '../../src/domain/alert.ts'
import type { CardView } from '../../src/domain/card.ts'
import { escaped, link, printable } from '../../src/slack/mrkdwn.ts'
import { render, renderPlain } from '../../src/slack/render.ts'
import { formatValue } from '../../src/slack/render-alert.ts'
import { checkBlocks } from '../../src/workspace/blocks/check.ts'
import { anAlert } from '../support/delivery-world.ts'

const startedMs = Date.UTC(2026, 10, 21, 3, 0, 0)

function view(over: Partial<Alert> = {}, more: Partial<Extract<CardView, { kind: 'alert' }>> = {}): CardView {
  const alert = anAlert('1', { hostname: 'web-1', serverName: 'web-1', startedMs, ...over })
  return { kind: 'alert', alert, timesThisWeek: 1, picture: null, mention: null, ...more }
}

/** The words of a message, block by block. */
function words(card: CardView): string[] {
  const { blocks } = render(card)
  expect(checkBlocks(blocks, 'message')).toEqual([])
  return blocks.map((block) => {
    if (block.type === 'section') return block.text?.text ?? ''
    if (block.type === 'context')
      return block.elements.map((one) => ('text' in one ? one.text : one.type)).join(' ')
    return block.type
  })
}

test('an open alert: one bold line, the context, the picture', () => {
  const card = view(
    { roles: ['web', 'edge'] },
    {
      timesThisWeek: 4,
      picture: { kind: 'file', fileId: 'F01234567', attempts: 0 },
      mention: '<!subteam^S123>',
    },
  )
  expect(words(card)).toEqual([
    '🔴 *<https://monitor.example/a/1|Load Average on web-1>* · 3.5 — Last minute met or exceeded 3.00',
    'Started <!date^1795230000^{date_short_pretty} {time}|2026-11-21 03:00 UTC> · roles web, edge · 4th this week · <!subteam^S123>',
    'image',
  ])
  expect(render(card).text).toBe(
    '🔴 Load Average on web-1 · 3.5 — Last minute met or exceeded 3.00 · started 2026-11-21 03:00 UTC · roles web, edge · 4th this week · <!subteam^S123>',
  )
})

test.each<[string, Partial<Alert>, string]>([
  ['its own record', { closedMs: startedMs + 12 * 60_000, closedBy: 'record' }, 'closed after 12 min'],
  ['absence', { closedMs: startedMs + 12 * 60_000, closedBy: 'absence' }, 'closed after about 12 min'],
  ['an end at a time unknown', { closedMs: null, closedBy: 'record' }, 'closed'],
  [
    'an end between two polls',
    { closedMs: startedMs + 9_000, closedBy: 'record', firstSeenMs: startedMs + 9_000 },
    'opened and closed within 9 s',
  ],
])('a closed alert is one green line: by %s', (_, over, expected) => {
  const card = view(
    { state: 'closed', firstSeenMs: startedMs + 5_000, ...over },
    { picture: { kind: 'file', fileId: 'F01234567', attempts: 0 }, mention: '<!here>' },
  )
  expect(words(card)).toEqual([
    `🟢 *<https://monitor.example/a/1|Load Average on web-1>* ${expected} · Last minute met or exceeded 3.00`,
  ])
  expect(render(card).text).toBe(`🟢 Load Average on web-1 ${expected} · Last minute met or exceeded 3.00`)
})

test('an alert that is no longer reported does not claim that it closed', () => {
  expect(words(view({ state: 'unreported' }))[0]).toMatch(
    /^⚪ .* is no longer reported after 30 days; nobody said/,
  )
})

test('a one-off happened; it did not start', () => {
  const [line, context] = words(
    view({ state: 'oneoff', value: null, metric: null, title: 'backup finished' }),
  )
  expect(line).toBe('🔵 *<https://monitor.example/a/1|Load Average on web-1>* — backup finished')
  expect(context).toMatch(/^Happened /)
})

test('a summary counts, and its pages list', () => {
  const alerts = Array.from({ length: 90 }, (_, n) =>
    anAlert(String(n), {
      serverName: `web-${n % 7}`,
      plugin: n % 3 ? 'CPU' : 'Disk /',
      state: n < 5 ? 'closed' : 'open',
    }),
  )
  const summary: CardView = { kind: 'summary', alerts, mention: null }
  expect(words(summary).slice(0, 2)).toEqual([
    '🔴 *85 of 90 alerts are still open*',
    'By plugin: CPU ×57, Disk / ×28\nBy server: web-5 ×13, web-0 ×12, web-1 ×12, web-2 ×12, web-3 ×12 and 2 more',
  ])
  const page = words({ kind: 'page', alerts: alerts.slice(0, 80), page: 1 })
  expect(page.join('\n').split('\n')).toHaveLength(80)
  expect(page.join('').length).toBeLessThanOrEqual(9_000)
  const done = alerts.map((alert) => ({ ...alert, state: 'closed' as const }))
  expect(words({ kind: 'summary', alerts: done, mention: null })).toEqual([
    '🟢 *All 90 alerts that were open have closed*',
  ])
})

/** What hides or turns text, and the marks that would format. */
const hidden = new Set(['\u200b', '\u202e', '`', '~'])

test('a summary of alerts that are no longer reported does not say that they closed', () => {
  const alerts = [1, 2, 3, 4].map((n) => anAlert(String(n), { state: n === 1 ? 'closed' : 'unreported' }))
  expect(words({ kind: 'summary', alerts, mention: null })).toEqual([
    '⚪ *None of the 4 alerts is listed as open any more*',
  ])
})

describe('text from outside', () => {
  const hostile = [
    '<!channel> everyone',
    '<https://evil.example|https://bank.example>',
    '@here & <@U123> `code` *bold* ~gone~',
    'a\u202Egnp.exe\nsecond\u0000 line\u200B',
    '&lt;!here&gt;',
    '<!date^1^{date}^https://evil.example|x>',
  ]
  test.each(hostile)('%j mentions nobody and links nowhere', (title) => {
    const card = view({ title, plugin: title, serverName: title, roles: [title] })
    for (const text of [...words(card), render(card).text, renderPlain(card)]) {
      const markup = [...text.matchAll(/<[^>]*>/g)].map(([found]) => found)
      const ours = markup.filter((found) =>
        /^<(https:\/\/monitor\.example\/a\/1\||!date\^1795230000\^)/.test(found),
      )
      expect(markup).toEqual(ours)
      expect([...text].filter((char) => hidden.has(char) || (char < ' ' && char !== '\n'))).toEqual([])
    }
  })

  test('however long it is, Slack takes the card', () => {
    const long = '&<>'.repeat(2_000)
    const url = `https://monitor.example/${'x'.repeat(5_000)}`
    for (const state of ['open', 'closed', 'unreported', 'oneoff'] as const) {
      const roles = Array.from({ length: 30 }, () => long)
      const card = view({ title: long, plugin: long, serverName: long, roles, url, state })
      words(card)
      expect(render(card).text.length).toBeLessThanOrEqual(4_000)
      expect(renderPlain(card).length).toBeLessThanOrEqual(4_000)
    }
    const alerts = Array.from({ length: 80 }, (_, n) =>
      anAlert(String(n), { title: long, plugin: long, serverName: long }),
    )
    const page = words({ kind: 'page', alerts, page: 1 })
    expect(page.join('').length).toBeLessThanOrEqual(12_000)
    expect(render({ kind: 'page', alerts, page: 1 }).text.length).toBeLessThanOrEqual(4_000)
    expect(render({ kind: 'summary', alerts, mention: null }).text.length).toBeLessThanOrEqual(4_000)
  })

  test('is shortened by whole characters, never inside an entity', () => {
    expect(escaped('a&b', 3)).toBe('a&amp;b')
    expect(escaped('👩‍🚒👩‍🚒 fire', 2)).not.toMatch(/[\uD800-\uDBFF]$/)
    expect(printable('one  two\tthree', 8)).toBe('one two…')
  })

  test('links are http and https only, and cannot break out', () => {
    expect(link('javascript:alert(1)', 'x')).toBe('x')
    expect(link('not a url', 'x')).toBe('x')
    expect(link('https://a.example/?q=1|2 3>4', 'x|y')).toBe('<https://a.example/?q=1%7C2%203%3E4|x\u2223y>')
  })
})

test.each([
  [3.5, '3.5'],
  [0, '0'],
  [12_400, '12,400'],
  [99.999, '100'],
  [0.0004, '4.00e-4'],
  [3e15, '3.00e+15'],
])('the value %d is shown as %s', (value, shown) => {
  expect(formatValue(value)).toBe(shown)
})
