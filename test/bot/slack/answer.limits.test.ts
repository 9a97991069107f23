/** Whatever stands in alerts, names and reasons, and of however many: Slack takes every answer. */
import type { KnownBlock } from '@slack/types'
import { describe, expect, test } from 'vitest'
import { commands, commandsAbout } from '../../../src/bot/domain/command/commands.ts'
import type { Answer, Count, HomeView } from '../../../src/bot/domain/request/answer.ts'
import type { MuteResult, Reply } from '../../../src/bot/domain/request/reply.ts'
import { decodePress } from '../../../src/bot/slack/inbound/decode-press.ts'
import { openSuggestions } from '../../../src/bot/slack/inbound/suggestion.ts'
import { auditCharsMin, auditLine } from '../../../src/bot/slack/render/actions/words.ts'
import { renderBoard } from '../../../src/bot/slack/render/cards/board.ts'
import { renderHome } from '../../../src/bot/slack/render/cards/home.ts'
import { render } from '../../../src/bot/slack/render/render.ts'
import { renderAnswer } from '../../../src/bot/slack/render/replies/answer.ts'
import { renderReply } from '../../../src/bot/slack/render/replies/reply.ts'
import { alertCharsMin, alertLine } from '../../../src/bot/slack/render/text/list-lines.ts'
import { actions } from '../../../src/bot/slack/vocabulary.ts'
import { checkView } from '../../../src/workspace/blocks/check.ts'
import { anAlert } from '../../support/delivery-world.ts'
import { aHappened, aRule } from '../../support/happened.ts'
import { keptJournal } from '../../support/journal.ts'
import { manualClock } from '../../support/manual-clock.ts'
import { aStatus, nowMs, onePage, outage } from './answers.ts'
import { aMute, anEntry, long, minuteMs, startedMs, view, words, wordsOf } from './card-views.ts'
import { receipt } from './reply-rows.ts'

const textMax = 4_000
const viewBytesMax = 250_000

/** Every text from outside is this one. */
const worlds = [
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
    },
  )

  test('so is the board', () => {
    const { text: spoken, blocks } = renderBoard({ kind: 'board', ...view })
    wordsOf(blocks)
    expect(spoken.length).toBeLessThanOrEqual(textMax)
  })

  test('so is the Home tab', () => {
    const home = { type: 'home', blocks: renderHome(view) }
    expect(checkView(home)).toEqual([])
    expect(Buffer.byteLength(JSON.stringify(home))).toBeLessThan(viewBytesMax)
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
      aMute({ subject: `${n}${text}`.slice(0, 253), reason: text, mode: 'healthy' }),
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
  const happened = aHappened(
    nowMs,
    Array.from({ length: 50 }, () => aRule({ rule: text, opened: 123_456, noise: 9, hidden: 9_999 })),
    { count: 99 },
  )
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
    { kind: 'handoff', handoff: { nowMs, open, mutes, happened, done: entries, storms, flaps, health } },
    {
      kind: 'report',
      report: { ...report, ...numbers, servers: counts, happened },
      ms: 3_600_000,
      drawing,
      health,
    },
    {
      kind: 'file',
      file: { name: text, bytes: new Uint8Array() },
      fromMs: 0,
      toMs: nowMs,
      rows: 10_000,
      total: 123_456,
      outage: { times: 99, ms: nowMs, isSure: false },
      health,
    },
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

const shop = { hostname: 'ip-10-0-0-7', serverName: 'Web shop' }
const listing = { mutes: [], charsMax: 3_000, isCompact: false }

test('the card of a server with a display name did not say the name that the monitoring knows', () => {
  const [headline, facts] = words(view(shop))
  expect(headline).toContain('|Web shop>*')
  expect(facts).toContain(' · host ip-10-0-0-7 · ')
  expect(render(view(shop)).text).toContain('host ip-10-0-0-7')
  expect(alertLine(anAlert('1', shop), listing)).toContain('host ip-10-0-0-7')
})

test('where both names are the same it is said once', () => {
  for (const names of [{}, { hostname: 'web-1', serverName: '' }]) {
    expect(words(view(names)).join('\n')).not.toContain('host ')
    expect(alertLine(anAlert('1', names), listing)).not.toContain('host ')
  }
})

test('a line of an alert stays as short as it must, however long its host is called', () => {
  const long = { hostname: '&'.repeat(253), serverName: '<'.repeat(253), title: '>'.repeat(3_000) }
  const line = alertLine(anAlert('9'.repeat(40), { ...long, ackedBy: 'U0ANA' }), {
    ...listing,
    charsMax: alertCharsMin,
  })
  expect(line.length).toBeLessThanOrEqual(alertCharsMin)
})

test('a name that was to be typed again was cut', () => {
  const expected = Array.from({ length: 20 }, (_, n) => `metric_${n}_${'x'.repeat(38)}`).join(', ')
  expect(expected.length).toBeGreaterThan(950)
  const shown = renderReply({ kind: 'refused', refusal: { why: 'name_differs', expected, typed: 'x' } })
  expect(shown?.text).toContain(`\`${expected}\``)
})

test('a role of invisible characters made Slack refuse every suggestion', async () => {
  const suggest = openSuggestions(
    { roleNames: async () => ['web', '\u200b\u2060', ' ', 'db'] },
    { clock: manualClock(), logger: keptJournal() },
  )
  const options = await suggest({ action_id: actions.roles, value: '' })
  expect(options.map(({ text }) => text.text)).toEqual(['web', 'db'])
})

const count = 1_000
const oddWorlds = [
  ['short', (n: number) => `web-${n}`],
  ['hostile', (n: number) => `<!channel>${n}&`.repeat(20)],
  ['long', (n: number) => `${n}${long}`.slice(0, 253)],
] as const

describe.each(oddWorlds)('%s names', (_, nameOf) => {
  const servers = Array.from({ length: count }, (_one, n) => nameOf(n))
  const all = { ...receipt, servers }
  const mutes = servers.map((hostname, n) => aMute({ subject: hostname, muteId: `${n}`.padStart(36, '0') }))
  const muted: MuteResult[] = mutes.map((mute) => ({ hostname: mute.subject ?? '', mute, failure: null }))
  const left = (mute: MuteResult, n: number): MuteResult =>
    n % 2 === 0 ? { ...mute, mute: null, failure: 'not tried', left: 'doubtful' } : mute
  const some = muted.map(left)
  const replies: readonly Reply[] = [
    { kind: 'confirm', receipt: all, pendingId: 'p1' },
    { kind: 'muted', results: muted, receipt: all, auditId: 'a1' },
    { kind: 'muted', results: some, receipt: all, auditId: 'a1' },
    {
      kind: 'muted',
      results: some.map(({ hostname }) => ({ hostname, mute: null, failure: long })),
      receipt: all,
    },
    { kind: 'undone', server: null, restored: null, isSure: true, several: { servers, left: servers } },
  ]

  test.each(replies.map((reply, n) => [`${n}: ${reply.kind}`, reply] as const))(
    'reply %s',
    (_kind, reply) => {
      const rendered = renderReply(reply)
      expect(rendered?.text.length).toBeLessThanOrEqual(4_000)
      expect(wordsOf(rendered?.blocks ?? []).join('\n')).not.toContain('<!channel>')
    },
  )

  test('what everyone is told, and the row of the audit', () => {
    const detail = {
      names: servers,
      before: mutes.flatMap((mute) => ({ ...mute, hostname: mute.subject })),
      mode: 'open',
      reason: long,
    } as const
    for (const act of ['mute_server', 'undo_mute', 'end_mute', 'mute_expiring'] as const) {
      const entry = anEntry({ act, hostname: null, detail: { ...detail, owner: 'U1' } })
      words({ kind: 'notice', topic: 'change_notice', entry })
      expect(render({ kind: 'notice', topic: 'change_notice', entry }).text).toContain('1000 servers')
      expect(auditLine(entry, auditCharsMin).length).toBeLessThanOrEqual(auditCharsMin)
    }
  })
})

test('the names that are left out are counted', () => {
  const servers = Array.from({ length: count }, (_, n) => `web-${n}`)
  const [question = ''] = wordsOf(
    blocksOf({ kind: 'confirm', receipt: { ...receipt, servers }, pendingId: 'p1' }),
  )
  const lines = question.split('\n')
  const named = lines.flatMap((line) => (line.startsWith('web-') ? line.split(', ') : []))
  const [, more] = /^and (\d+) more$/.exec(lines.find((line) => line.startsWith('and ')) ?? '') ?? []
  expect(named.length + Number(more)).toBe(count)
  expect(named.length).toBeGreaterThanOrEqual(50)
})

test.each([2, 51])('the Undo of %d servers names what it is about, and is understood', (servers) => {
  const results = Array.from({ length: servers }, (_, n) => {
    return { hostname: `web-${n}`, mute: aMute({ muteId: `m${n}` }), failure: null }
  })
  const blocks = blocksOf({ kind: 'muted', results, receipt, auditId: 'a1' })
  const [button] = blocks.flatMap((block) => (block.type === 'actions' ? block.elements : []))
  const body = {
    type: 'block_actions',
    user: { id: 'U1' },
    container: {},
    actions: [{ ...button, block_id: 'x', action_ts: '1.0' }],
  }
  expect(decodePress(body)).toMatchObject({
    request: { intent: { kind: 'undo_mute', muteId: 'm0', auditId: 'a1' } },
  })
})

function blocksOf(reply: Reply): readonly KnownBlock[] {
  return renderReply(reply)?.blocks ?? []
}
