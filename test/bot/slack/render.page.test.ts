/** The replies below a card: those that list the alerts of a card of many, and what is said of alerts that became critical. */
import { expect, test } from 'vitest'
import type { Alert } from '../../../src/bot/domain/alert/alert.ts'
import type { CardView } from '../../../src/bot/domain/card/kinds.ts'
import { render } from '../../../src/bot/slack/render/render.ts'
import { anAlert } from '../../support/delivery-world.ts'
import { ago, hostile, long, minuteMs, startedMs, words } from './card-views.ts'

const url = 'https://monitor.example/a/1'

function page(alerts: readonly Alert[], over: { page?: number; mention?: string } = {}): CardView {
  return { kind: 'page', alerts, page: 1, pages: 2, mention: null, ...over }
}

function many(count: number, over: (n: number) => Partial<Alert> = () => ({})): Alert[] {
  return Array.from({ length: count }, (_, n) =>
    anAlert(String(n), {
      hostname: `web-${n}`,
      serverName: `web-${n}`,
      startedMs,
      url,
      title: 'Load above 3',
      ...over(n),
    }),
  )
}

const linesOf = (card: CardView) => words(card).join('\n').split('\n')

test('each line says what, where, since when, who is on it and its number', () => {
  const closed = { state: 'closed', closedMs: startedMs + 5 * minuteMs } as const
  const alerts = many(3, (n) => (n === 1 ? { ackedBy: 'U1', ackedMs: startedMs } : n === 2 ? closed : {}))
  expect(linesOf(page(alerts))).toEqual([
    `🔴 *<${url}|web-0>* Load Average: last minute *3.5* — Load above 3 · ${ago(startedMs)} · unacknowledged · #0`,
    `🔴 *<${url}|web-1>* Load Average: last minute *3.5* — Load above 3 · ${ago(startedMs)} · 👀 <@U1> · #1`,
    `🟢 *<${url}|web-2>* Load Average: last minute closed after 5 min · opened at 3.5 — Load above 3 · #2`,
  ])
  expect(render(page(alerts)).text).toBe(
    [
      '1/2: 2 open\n🔴 web-0 Load Average: last minute 3.5 — Load above 3 · #0',
      '🔴 web-1 Load Average: last minute 3.5 — Load above 3 · 👀 <@U1> · #1',
      '🟢 web-2 Load Average: last minute closed after 5 min · opened at 3.5 — Load above 3 · #2',
    ].join('\n'),
  )
})

test('what opened and closed again and again is one line', () => {
  const alerts = many(4, (n) => ({
    hostname: 'web-1',
    serverName: 'web-1',
    startedMs: startedMs + n * minuteMs,
    ...(n < 3 ? { state: 'closed', closedMs: startedMs + n * minuteMs + 30_000 } : {}),
  }))
  expect(linesOf(page(alerts))).toEqual([expect.stringMatching(/^🔴 .* · ×4 · #3$/)])
})

test('who is called for what came later is called at its head, in its blocks and in its text', () => {
  const card = page(many(2), { mention: '<!subteam^S1>' })
  expect(linesOf(card)[0]).toBe('<!subteam^S1> more alerts:')
  expect(render(card).text).toMatch(/^<!subteam\^S1> more alerts: 1\/2: /)
})

test('eighty lines are all there, in the fullest form for which there is room', () => {
  const lines = linesOf(page(many(80)))
  expect(lines).toHaveLength(80)
  expect(lines.every((line) => /^🔴 \*?(?:<https:.*\|)?web-\d+.* Load Average: .* · #\d+$/.test(line))).toBe(
    true,
  )
  expect(lines.join('\n').length).toBeLessThanOrEqual(9_000)
})

test.each([...hostile, long, '&<>'.repeat(100)])(
  'eighty lines of names that somebody chose to do harm fit (%#)',
  (text) => {
    const from = { title: text, plugin: text, serverName: text, url: `https://monitor.example/${text}` }
    const acked = { ackedBy: 'U0ANA00001', ackedMs: startedMs }
    const card = page(
      many(80, () => ({ ...from, ...acked })),
      { mention: '<!here>' },
    )
    expect(linesOf(card)).toHaveLength(81)
    expect(
      linesOf(card)
        .slice(1)
        .every((line) => line.includes('👀 <@U0ANA00001>')),
    ).toBe(true)
    expect(words(card).join('\n').length).toBeLessThanOrEqual(9_100)
    expect(render(card).text.length).toBeLessThanOrEqual(4_000)
  },
)

const worsened = (overs: readonly Partial<Alert>[], mention: string | null = '<!here>') => ({
  kind: 'notice' as const,
  topic: 'became_critical' as const,
  stamp: { cardId: 'worsened:0:C1', version: 1 },
  alerts: overs.map((over, n) => anAlert(`${n}`, over)),
  mention,
})

const critical = { severity: 'critical' } as const

test('one that is critical now calls people and stands below with its headline', () => {
  const card = worsened([critical])
  expect(words(card)[0]).toMatch(/^\*Critical now\*: <!here>\n🚨 CRITICAL .*web-0/)
  expect(words(card)[1]).toBe('[Acknowledge] [Mute… ▾]')
  expect(words(worsened([{ ...critical, ackedBy: 'U1' }]))).toHaveLength(1)
  expect(render(card).text).toMatch(/^Critical now: <!here>\n🚨 CRITICAL web-0 /)
})

test('of many, five stand there and the rest is counted', () => {
  const [text = ''] = words(worsened(Array.from({ length: 90 }, () => critical)))
  expect(text.split('\n')).toHaveLength(7)
  expect(text).toMatch(/^\*These are critical now\* \(90\): <!here>\n/)
  expect(text).toMatch(/\nand 85 more$/)
})

test.each([
  ['closed', { ...critical, state: 'closed', closedMs: Date.UTC(2026, 10, 21, 4) }, /^🟢 /],
  ['a warning again', { severity: 'warning' }, /^🔴 /],
] as const)('one that is %s calls nobody any more', (_, over, line) => {
  expect(render(worsened([over])).text).toMatch(line)
  expect(render(worsened([over])).text).not.toContain('<!here>')
  expect(render(worsened([over, over])).text).toBe('None of the 2 alerts that became critical is so any more')
})

test('a number that nobody types takes no room in a line of a storm', () => {
  const [line = ''] = linesOf(page([anAlert('1764112318398', { ending: '8398', serverName: 'web-1' })]))
  expect(line).not.toContain('8398')
  expect(line).toMatch(/unacknowledged$/)
})
