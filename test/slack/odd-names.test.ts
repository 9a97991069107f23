/** However servers, roles and metrics are called: what is said of them can be read, and Slack takes it, also of a thousand at once. */

import type { KnownBlock } from '@slack/types'
import { describe, expect, test } from 'vitest'
import type { MuteResult, Reply } from '../../src/domain/request/reply.ts'
import { decodePress } from '../../src/slack/inbound/decode-press.ts'
import { openSuggestions } from '../../src/slack/inbound/suggestion.ts'
import { render } from '../../src/slack/render/render.ts'
import { renderReply } from '../../src/slack/render/replies/reply.ts'
import { alertCharsMin, alertLine } from '../../src/slack/render/text/alert-line.ts'
import { auditCharsMin, auditLine } from '../../src/slack/render/text/audit-line.ts'
import { actions } from '../../src/slack/vocabulary.ts'
import { anAlert } from '../support/delivery-world.ts'
import { keptJournal } from '../support/journal.ts'
import { manualClock } from '../support/manual-clock.ts'
import { aMute, anEntry, long, view, words, wordsOf } from './card-views.ts'
import { receipt } from './reply-rows.ts'

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
const worlds = [
  ['short', (n: number) => `web-${n}`],
  ['hostile', (n: number) => `<!channel>${n}&`.repeat(20)],
  ['long', (n: number) => `${n}${long}`.slice(0, 253)],
] as const

describe.each(worlds)('%s names', (_, nameOf) => {
  const servers = Array.from({ length: count }, (_one, n) => nameOf(n))
  const all = { ...receipt, servers }
  const mutes = servers.map((hostname, n) => aMute({ hostname, muteId: `${n}`.padStart(36, '0') }))
  const muted: MuteResult[] = mutes.map((mute) => ({ hostname: mute.hostname ?? '', mute, failure: null }))
  const left = (mute: MuteResult, n: number): MuteResult =>
    n % 2 === 0 ? { ...mute, mute: null, failure: 'not tried', left: 'not_tried' } : mute
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
    const detail = { names: servers, before: mutes, mode: 'open', reason: long } as const
    for (const act of ['mute_server', 'undo_mute', 'end_mute', 'hand_back'] as const) {
      const entry = anEntry({ act, hostname: null, detail: { ...detail, owner: 'U1' } })
      words({ kind: 'told', entry })
      expect(render({ kind: 'told', entry }).text).toContain('1000 servers')
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
