/** What the person who asked reads: every reply has its sentence, and Slack takes it however much there is to say. */
import { describe, expect, test } from 'vitest'
import { parseCommand } from '../../../src/bot/domain/command/commands.ts'
import { mutedServersMax } from '../../../src/bot/domain/mute/wide.ts'
import type { Change, ChangeKind } from '../../../src/bot/domain/request/actions.ts'
import type { Refusal, Reply } from '../../../src/bot/domain/request/reply.ts'
import { renderReply } from '../../../src/bot/slack/render/replies/reply.ts'
import { anAlert } from '../../support/delivery-world.ts'
import { aMute, anEntry, long, startedMs, wordsOf } from './card-views.ts'
import { refusals } from './refusal-rows.ts'
import { type Row, receipt, replies, untilMs } from './reply-rows.ts'

function rendered(reply: Reply) {
  const message = renderReply(reply)
  if (message === null) throw new Error(`nothing is said to ${reply.kind}`)
  return message
}

const rows: readonly Row[] = Object.values(replies).flat()

test.each(rows.map(([reply, lines, pressable]) => ({ reply, lines, pressable })))(
  '$reply.kind is told in words: $lines.0',
  ({ reply, lines, pressable }) => {
    const { text, blocks } = rendered(reply)
    expect(wordsOf(blocks)).toEqual([lines.join('\n'), ...(pressable === undefined ? [] : [pressable])])
    const spoken = lines.join('\n').replace(/<!date[^|]*\|([^>]*)>/g, '$1')
    expect(text).toBe(spoken.replaceAll('*', ''))
  },
)

test.each<readonly [Refusal, readonly RegExp[]]>(Object.values(refusals).flat())(
  '%j is refused with what to do next',
  (refusal, says) => {
    const [said = ''] = wordsOf(rendered({ kind: 'refused', refusal }).blocks)
    for (const pattern of says) expect(said).toMatch(pattern)
  },
)

test('a form opens instead of words, and a repeat is answered by silence', () => {
  const given = { alert: null, given: null, hidesNow: 0, hidLastWeek: 0, others: [], maxMs: 1, prefill: '' }
  expect(renderReply({ kind: 'form', form: { name: 'add_note', ...given } })).toBe(null)
  expect(renderReply({ kind: 'repeat' })).toBe(null)
})

test('an answer is rendered as one', () => {
  expect(rendered({ kind: 'answer', answer: { kind: 'help', topic: null } }).text).toContain('/mon mute')
})

describe('buttons', () => {
  test('carry the id of what they are about', () => {
    const result = { hostname: 'web-1', mute: aMute(), failure: null }
    expect(rendered({ kind: 'muted', results: [result], receipt }).blocks.at(-1)).toMatchObject({
      elements: [{ action_id: 'undo_mute', value: `m1|${aMute().termsMs}` }],
    })
    expect(rendered({ kind: 'confirm', receipt, pendingId: 'p1' }).blocks.at(-1)).toMatchObject({
      elements: [
        { action_id: 'confirm', value: 'p1', style: 'primary' },
        { action_id: 'cancel', value: 'p1' },
      ],
    })
  })

  test('do what the answer would otherwise have somebody type', () => {
    const mute = aMute({ subject: 'web-2' })
    const alert = anAlert('8398~2', { ackedBy: 'U2', ackedMs: startedMs })
    const pressed = (reply: Reply) => {
      const block = rendered(reply).blocks.at(-1)
      if (block?.type !== 'actions') throw new Error('nothing can be pressed')
      return block.elements.map((one) => ('text' in one && 'value' in one ? [one.text?.text, one.value] : []))
    }
    const refused = (refusal: Refusal): Reply => ({ kind: 'refused', refusal })
    expect(pressed({ kind: 'stale', nowMs: startedMs, changed: { what: 'acknowledged', alert } })).toEqual([
      ['Take over', 'take "#8398"'],
    ])
    expect(parseCommand('take "#8398"')).toMatchObject({
      intent: { kind: 'take_over', of: { by: 'alert', alert: '#8398' } },
    })
    expect(pressed(refused({ why: 'undo_too_late', mute }))).toEqual([
      ['Unmute web-2', expect.stringMatching(/^mute:m1:.*\|server:web-2$/)],
    ])
    const meant = 'mute web-2 90m x'
    expect(pressed(refused({ why: 'no_unit', number: '90', left: '90 x', meant }))).toEqual([['90m', meant]])
    const command = '/mon mute web-2 2h deploying'
    expect(pressed(refused({ why: 'misplaced', what: 'end', came: '2h', command }))).toEqual([
      ['Yes', 'mute web-2 2h deploying'],
    ])
  })

  test('the account is muted by a button that warns', () => {
    const change: Change = { kind: 'mute_account', end: { kind: 'default' }, reason: 'x', shown: null }
    const account = rendered({
      kind: 'confirm',
      receipt: { ...receipt, change, servers: [] },
      pendingId: 'p1',
    })
    expect(account.blocks.at(-1)).toMatchObject({ elements: [{ style: 'danger' }, {}] })
  })
})

/** Every kind of reply with the same words wherever words from outside stand, `many` of each. */
function everyReply(text: string, many: number): Reply[] {
  const all = Array.from({ length: many }, () => text)
  const alert = anAlert('1', { title: text, plugin: text, serverName: text, ackedBy: 'U2' })
  const mute = aMute({ subject: text, reason: text })
  const filled = { ...receipt, servers: all, change: { ...receipt.change, reason: text }, isDefaultEnd: true }
  const failures = all.map((hostname) => ({ hostname, mute: null, failure: text }))
  const results = [...all.map((hostname) => ({ hostname, mute, failure: null })), ...failures]
  const left = (['doubtful', 'not_tried'] as const).flatMap((why) =>
    failures.map((failure) => ({ ...failure, left: why })),
  )
  const audience = Array.from({ length: Math.max(1, many) }, (_, n) => `U${n}ABCDEFGHIJ`)
  const act: ChangeKind = 'delete_server'
  const refused: Refusal[] = [
    { why: 'not_permitted', act, audience },
    { why: 'groups_unread', act, words: text },
    { why: 'unknown_server', server: text, similar: all },
    {
      why: 'unknown_servers',
      act: 'mute_server',
      servers: all.map((server) => ({ server, similar: all })),
      unread: null,
    },
    { why: 'unknown_command', command: text, similar: all },
    { why: 'unknown_alert', alert: text, similar: all },
    { why: 'many_alerts', server: text, alerts: all.map(() => alert) },
    { why: 'many_alerts', topic: 'note', server: text, alerts: all.map(() => alert), note: text },
    { why: 'none_open', server: text, last: alert },
    { why: 'misplaced', what: 'end', came: text, command: text },
    { why: 'misplaced', what: 'server', came: text, command: text },
    { why: 'unknown_metric', server: text, metric: text, similar: all },
    { why: 'no_match', pattern: text },
    { why: 'not_muted', server: text },
    { why: 'name_differs', expected: text, typed: text },
    { why: 'invalid', expected: text, came: text },
  ]
  return [
    { kind: 'muted', results, receipt: filled },
    { kind: 'muted', results: failures, receipt: filled },
    { kind: 'muted', results: left.slice(0, mutedServersMax), receipt: filled },
    { kind: 'muted', results: left.slice(-mutedServersMax), receipt: filled },
    { kind: 'account_muted', mute: { ...mute, subject: null }, receipt: filled },
    { kind: 'confirm', receipt: filled, pendingId: 'p1' },
    { kind: 'unmuted', server: text, isSure: false },
    { kind: 'unmuted', server: null, isSure: false, several: { servers: all, left: all } },
    { kind: 'extended', mute },
    { kind: 'undone', server: text, restored: mute, isSure: true },
    { kind: 'done', act: 'add_roles', server: text, roles: all, created: all, already: [] },
    { kind: 'done', act: 'add_roles', server: text, roles: all, created: [], already: all },
    { kind: 'done', act: 'add_marker', text },
    { kind: 'done', act: 'acknowledge', alert },
    { kind: 'done', act: 'add_note', alert, text, isTold: true },
    { kind: 'done', act: 'add_note', alert, text, isTold: false },
    { kind: 'done', act: 'set_no_data', server: text, group: text },
    { kind: 'done', act: 'delete_server', server: text },
    { kind: 'done', act: 'delete_metrics', names: all },
    { kind: 'stale', nowMs: untilMs, changed: { what: 'closed', alert: { ...alert, closedMs: startedMs } } },
    { kind: 'stale', nowMs: untilMs, changed: { what: 'acknowledged', alert } },
    { kind: 'stale', nowMs: untilMs, changed: { what: 'muted', mute } },
    { kind: 'stale', nowMs: untilMs, changed: { what: 'unmuted', server: text, by: anEntry() } },
    { kind: 'failed', doing: 'add_marker', words: text, isUnknown: true },
    { kind: 'failed', doing: 'chart', words: text, isUnknown: false },
    { kind: 'broken', errorId: text, mayBeDone: true },
    ...refused.map((refusal) => ({ kind: 'refused', refusal }) as const),
  ]
}

test('what a screen reader says of a button begins with the words on it', () => {
  for (const [reply] of Object.values(replies).flat() as Row[]) {
    for (const block of rendered(reply).blocks) {
      const elements = block.type === 'actions' ? block.elements : []
      for (const element of elements) {
        if (element.type === 'button')
          expect(element.accessibility_label?.startsWith(element.text.text), element.text.text).toBe(true)
      }
    }
  }
})

describe('text from outside', () => {
  test.each([1, 60])('however much there is to say, Slack takes it: %d of each', (many) => {
    for (const reply of everyReply(long, many)) {
      const { text, blocks } = rendered(reply)
      wordsOf(blocks)
      expect(text.length, JSON.stringify(reply).slice(0, 80)).toBeLessThanOrEqual(4_000)
    }
  })

  test('nothing at all is taken too', () => {
    for (const reply of everyReply('', 0)) {
      expect(wordsOf(rendered(reply).blocks).join('\n')).not.toContain('``')
    }
  })
})
