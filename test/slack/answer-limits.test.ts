/** Whatever stands in alerts, names and reasons: Slack takes every answer, and nobody is mentioned or fooled by it. */
import type { KnownBlock } from '@slack/types'
import { describe, expect, test } from 'vitest'
import { commands, commandsAbout } from '../../src/domain/command/commands.ts'
import type { Answer, Count, HomeView } from '../../src/domain/request/answer.ts'
import { renderBoard } from '../../src/slack/render/cards/board.ts'
import { renderHome } from '../../src/slack/render/cards/home.ts'
import { renderAnswer } from '../../src/slack/render/replies/answer.ts'
import { checkView } from '../../src/workspace/blocks/check.ts'
import { anAlert } from '../support/delivery-world.ts'
import { aStatus, nowMs, onePage, outage } from './answers.ts'
import { aMute, anEntry, hostile, long, minuteMs, startedMs, wordsOf } from './card-views.ts'

const textMax = 4_000
const viewBytesMax = 250_000

/** One world for each kind of harm: every text from outside is this one. */
const worlds = [
  ...hostile.map((text) => [text, text] as const),
  ['300 characters that grow when they are escaped', '&<>'.repeat(100)] as const,
  ['more than Slack takes at all', long] as const,
  ['emoji of many parts', '👩‍👩‍👧‍👦'.repeat(200)] as const,
]

describe.each(worlds)('%#: a world full of %j', (_name, text) => {
  const view = worldOf(text)

  test.each(answersOf(view, text).map((answer) => [answer.kind, answer] as const))(
    'the answer %s is taken by Slack',
    (_kind, answer) => {
      const { text: spoken, blocks } = renderAnswer(answer)
      wordsOf(blocks)
      expect(spoken.length).toBeLessThanOrEqual(textMax)
      expect(spoken).not.toBe('')
      expectHarmless(spoken, blocks)
    },
  )

  test('so is the board', () => {
    const { text: spoken, blocks } = renderBoard({ kind: 'board', ...view })
    wordsOf(blocks)
    expect(spoken.length).toBeLessThanOrEqual(textMax)
    expectHarmless(spoken, blocks)
  })

  test('so is the Home tab', () => {
    const home = { type: 'home', blocks: renderHome(view) }
    expect(checkView(home)).toEqual([])
    expect(Buffer.byteLength(JSON.stringify(home))).toBeLessThan(viewBytesMax)
    expectHarmless('', home.blocks)
  })
})

test.each(commands.map(({ name }) => name))('the help about %s is taken by Slack', (topic) => {
  expect(commandsAbout(topic)).not.toEqual([])
  wordsOf(renderAnswer({ kind: 'help', topic }).blocks)
})

/** A thousand alerts and a hundred mutes. */
function worldOf(text: string): HomeView {
  const named = { serverName: text, title: text, plugin: text, url: `https://monitor.example/${text}` }
  return {
    open: Array.from({ length: 1_000 }, (_, n) =>
      anAlert(String(n), { ...named, hostname: `${n}${text}`, ackedBy: 'U1', ackedMs: startedMs }),
    ),
    mutes: Array.from({ length: 100 }, (_, n) =>
      // A hostname in a button's value is cut by nobody; real ones have at most 253 characters.
      aMute({ hostname: `${n}${text}`.slice(0, 253), reason: text, mode: 'healthy' }),
    ),
    health: { ...outage, failing: { sinceMs: startedMs, why: text } },
  }
}

function answersOf({ open, mutes, health }: HomeView, text: string): Answer[] {
  const counts: Count[] = Array.from({ length: 10 }, () => ({ name: text, count: 7 }))
  const names = Array.from({ length: 80 }, () => text)
  const detail = { reason: text, text, group: text, names, roles: names, mode: 'open', answer: text } as const
  const acts = ['mute_server', 'add_roles', 'add_note', 'set_no_data', 'delete_metrics'] as const
  const outcomes = ['done', 'nothing', 'refused', 'failed', 'unknown'] as const
  const entries = acts.flatMap((act) =>
    outcomes.map((outcome) => anEntry({ act, outcome, why: text, hostname: null, alertId: text, detail })),
  )
  const about = text.slice(0, 200)
  const ten = { page: 3, pages: 9, total: 99 }
  const storms = Array.from({ length: 20 }, () => ({ atMs: nowMs, alerts: 9, open: 9 }))
  const flaps = Array.from({ length: 20 }, () => ({ server: text, plugin: text, times: 9 }))
  const report = {
    fromMs: startedMs,
    toMs: nowMs,
    opened: 9,
    closed: 9,
    stillOpen: 0,
    openBefore: 0,
    lost: 0,
    oneoffs: 0,
    parts: [],
  }
  const numbers = { toAcknowledgeMs: minuteMs, toCloseMs: minuteMs, acknowledged: 9 }
  const drawing = { png: new Uint8Array(), alt: text }
  return [
    aStatus({ ...health, open: open.length, mutes }),
    {
      kind: 'alerts',
      ask: { kind: 'alerts', state: 'open', server: about, page: 3 },
      list: { items: open.slice(0, 10), ...ten },
      mutes,
      health,
    },
    { kind: 'mutes', ask: { kind: 'mutes', page: 3 }, list: { items: mutes.slice(0, 10), ...ten } },
    {
      kind: 'roles',
      ask: { kind: 'roles', about: null, page: 3 },
      list: { items: Array.from({ length: 20 }, () => ({ role: text, servers: names })), ...ten },
    },
    {
      kind: 'roles',
      ask: { kind: 'roles', about: text, page: 1 },
      list: onePage([{ role: text, servers: names }]),
    },
    {
      kind: 'triggers',
      ask: { kind: 'triggers', filter: about, page: 3 },
      list: { items: Array.from({ length: 20 }, () => ({ condition: text, metric: text })), ...ten },
    },
    { kind: 'handoff', handoff: { nowMs, open, mutes, done: entries, storms, flaps, health } },
    { kind: 'report', report: { ...report, ...numbers, servers: counts, plugins: counts }, drawing, health },
    {
      kind: 'audit',
      ask: { kind: 'audit', server: about, page: 3 },
      list: { items: entries.slice(0, 15), ...ten },
    },
    { kind: 'chart', server: text, metric: text, drawing, alertId: text },
    { kind: 'chart', server: text, metric: text, drawing: null, alertId: null },
    { kind: 'metrics', server: text, ms: 1, fitting: text, metrics: [...names, text, 'CPU busy'] },
    { kind: 'metrics', server: 'web-1', ms: 1, fitting: null, metrics: names },
  ]
}

/** In what Slack formats, only our own dates, links and ids of people stand between angle brackets. */
function expectHarmless(spoken: string, blocks: readonly KnownBlock[]) {
  const formatted = [spoken, ...formattedIn(blocks)].join('\n')
  const tags = [...formatted.matchAll(/<([^>]*)>/g)].map(([, tag = '']) => tag)
  const own =
    /^(?:!date\^\d+\^(?:\{date_short_pretty\} \{time\}|\{ago\})\||https:\/\/monitor\.example\/|@U\d$)/
  expect(tags.filter((tag) => !own.test(tag))).toEqual([])
  expect(formatted).not.toMatch(/[\u202A-\u202E\u200B]/)
}

/** Every mrkdwn text, wherever it stands; each must be `verbatim`, or Slack makes links and mentions of its words. */
function formattedIn(node: unknown): string[] {
  if (typeof node !== 'object' || node === null) return []
  if ('type' in node && node.type === 'mrkdwn' && 'text' in node) {
    expect(node).toHaveProperty('verbatim', true)
    return [String(node.text)]
  }
  return Object.values(node).flatMap(formattedIn)
}
