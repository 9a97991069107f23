/** Lists as answers: what each line says, and how the pages follow each other. */
import type { KnownBlock } from '@slack/types'
import { describe, expect, test } from 'vitest'
import { parseCommand } from '../../../src/bot/domain/command/commands.ts'
import type { Answer } from '../../../src/bot/domain/request/answer.ts'
import { renderAnswer } from '../../../src/bot/slack/render/replies/answer.ts'
import { endWords, inBlocks } from '../../../src/bot/slack/render/text/phrases.ts'
import { cpuMsOf } from '../../support/cpu-time.ts'
import { anAlert } from '../../support/delivery-world.ts'
import { onePage, well } from './answers.ts'
import { ago, aMute, anEntry, local, minuteMs, startedMs, wordsOf } from './card-views.ts'

const words = (answer: Answer) => wordsOf(renderAnswer(answer).blocks)
const web1 = { hostname: 'web-1', serverName: 'web-1', startedMs }

/** What the buttons of a message ask for. */
function asks(blocks: readonly KnownBlock[]) {
  return blocks
    .flatMap((block) => (block.type === 'actions' ? block.elements : []))
    .map((element) => ('value' in element ? parseCommand(element.value ?? '') : null))
}

describe('alerts', () => {
  const ask = { kind: 'alerts', state: 'open', server: 'web-1', page: 2 } as const

  test('an alert says what, where, its id, since when, who has it, and that it is muted', () => {
    const alert = anAlert('123', { ...web1, ackedBy: 'U1', ackedMs: startedMs })
    const list = { items: [alert], page: 2, pages: 3, total: 21 }
    const answer = { kind: 'alerts', ask, list, mutes: [aMute()], health: well() } as const
    expect(words(answer)).toEqual([
      '*Open alerts* on `web-1`, critical first',
      `🔴 *<https://monitor.example/a/1|web-1>* Load Average: last minute *3.5* (limit 3) · ${ago(startedMs)} · 👀 <@U1>\n#123 · 🔕 muted until ${local(startedMs + 60 * minuteMs)}`,
      'page 2 of 3 · 21 alerts',
      '[Previous page] [Next page]',
    ])
    expect(asks(renderAnswer(answer).blocks)).toEqual([
      { ok: true, intent: { ...ask, page: 1 } },
      { ok: true, intent: { ...ask, page: 3 } },
    ])
  })

  test('the text for a screen reader says the same without links and formatting', () => {
    const list = onePage([anAlert('123', web1)])
    expect(renderAnswer({ kind: 'alerts', ask, list, mutes: [], health: well() }).text).toBe(
      [
        'Open alerts on `web-1`, critical first',
        '🔴 web-1 Load Average: last minute 3.5 (limit 3) · since 2026-11-21 03:00 UTC · unacknowledged',
        '#123',
        '1 alert',
      ].join('\n'),
    )
  })

  test('the first page has no button back, and the last none on', () => {
    const at = (page: number) => ({ items: [anAlert('1')], page, pages: 2, total: 11 })
    expect(words({ kind: 'alerts', ask, list: at(1), mutes: [], health: well() }).at(-1)).toBe('[Next page]')
    expect(words({ kind: 'alerts', ask, list: at(2), mutes: [], health: well() }).at(-1)).toBe(
      '[Previous page]',
    )
  })

  test('what is over says when it closed, and that a mute of now has nothing to do with it', () => {
    const closedMs = startedMs + 5 * minuteMs
    const list = onePage([anAlert('9', { ...web1, state: 'closed', closedMs, closedBy: 'record' })])
    const [, line] = words({
      kind: 'alerts',
      ask: { ...ask, state: 'closed' },
      list,
      mutes: [aMute()],
      health: well(),
    })
    expect(line).toMatch(/^🟢 .* closed after 5 min · /)
    expect(line).toContain(`\n#9 · closed ${local(closedMs)}`)
    expect(line).not.toContain('muted')
  })

  test.each([
    ['open', null, '🟢 *No open alerts*'],
    ['closed', 'web-1', '*No closed alerts* on `web-1`'],
    ['all', 'db-*', '*No alerts* on `db-*`'],
  ] as const)('no %s alert on %s', (state, server, expected) => {
    const none = { ...ask, state, server }
    expect(words({ kind: 'alerts', ask: none, list: onePage([]), mutes: [], health: well() })).toEqual([
      expected,
    ])
  })
})

describe('mutes', () => {
  const ask = { kind: 'mutes', page: 1 } as const

  test('who, until when and why, with a button that ends it', () => {
    const mutes = [
      aMute({ subject: null, reason: '' }),
      aMute({ mode: 'healthy' }),
      aMute({ mode: 'open', untilMs: null, state: 'ended', confirmation: 'stuck' }),
    ]
    const { blocks } = renderAnswer({ kind: 'mutes', ask, list: onePage(mutes) })
    const until = mutes.map((mute) => endWords(mute, inBlocks))
    expect(wordsOf(blocks)).toEqual([
      '*Muted now*',
      `🔕 *The whole account* muted by <@U2> ${until[0]}`,
      `🔕 *web-1* muted by <@U2> ${until[1]} — deploying`,
      `🔕 *web-1* muted by <@U2> ${until[2]} — deploying · ending: may still be muted; retrying`,
      '3 mutes',
    ])
    const buttons = blocks.flatMap((block) => (block.type === 'section' ? [block.accessory] : []))
    expect(buttons.map((one) => (one !== undefined && 'value' in one ? one.value : null))).toEqual([
      null,
      expect.stringMatching(/^mute:m1:\d+:\d*\|account$/),
      expect.stringMatching(/^mute:m1:\d+:\d*\|server:web-1$/),
      null,
    ])
  })

  test('none', () => {
    expect(words({ kind: 'mutes', ask, list: onePage([]) })).toEqual(['*Nothing is muted.*'])
  })
})

describe('roles', () => {
  const ask = { kind: 'roles', about: null, page: 1 } as const

  test('every role with its servers, shortened', () => {
    const servers = Array.from({ length: 200 }, (_, n) => `web-${n}`)
    const list = onePage([
      { role: 'db', servers: [] },
      { role: 'web', servers },
    ])
    const [title, lines, total] = words({ kind: 'roles', ask, list })
    expect([title, total]).toEqual(['*Roles*', '2 roles'])
    expect(lines).toMatch(/^\*db\* · no servers\n\*web\* · web-0, web-1, .* and 1\d\d more$/)
  })

  test('the servers of one role, a page of them', () => {
    const list = { items: [{ role: 'web', servers: ['web-1', 'web-2'] }], page: 2, pages: 2, total: 82 }
    expect(words({ kind: 'roles', ask: { ...ask, about: 'web', page: 2 }, list })).toEqual([
      '*Servers with role* `web`',
      'web-1, web-2',
      'page 2 of 2 · 82 servers',
      '[Previous page]',
    ])
  })

  test('the roles of one server, and a server without any', () => {
    const about = { ...ask, about: 'web-1' }
    const list = onePage([
      { role: 'app', servers: ['lb-1', 'web-1'] },
      { role: 'web', servers: ['web-1', 'web-2'] },
    ])
    expect(words({ kind: 'roles', ask: about, list })).toEqual(['*Roles* of `web-1`', 'app, web', '2 roles'])
    expect(words({ kind: 'roles', ask: about, list: onePage([]) })[0]).toMatch(/^No roles for `web-1`\./)
  })
})

test('triggers: the metric and the condition; or that none is called so', () => {
  const ask = { kind: 'triggers', filter: 'disk', page: 1 } as const
  const list = onePage([{ condition: 'Disk used met or exceeded 90', metric: 'disk_used' }])
  expect(words({ kind: 'triggers', ask, list })).toEqual([
    '*Triggers* matching `disk`',
    '*disk_used* · Disk used met or exceeded 90',
    '1 trigger',
  ])
  expect(words({ kind: 'triggers', ask, list: onePage([]) })).toEqual(['No trigger matches `disk`.'])
})

describe('audit', () => {
  test('is counted in words', () => {
    const list = onePage([anEntry(), anEntry({ auditId: 'a2' })])
    expect(words({ kind: 'audit', ask: { kind: 'audit', server: null, page: 1 }, list }).at(-1)).toBe(
      '2 actions',
    )
  })

  const ask = { kind: 'audit', server: null, page: 1 } as const
  const line = (over: Parameters<typeof anEntry>[0]) =>
    words({ kind: 'audit', ask, list: onePage([anEntry(over)]) })[1]

  test.each([
    [{ detail: { mode: 'open', reason: 'deploying' } }, '<@U1> muted *web-1*'],
    [
      { outcome: 'refused', why: 'not_permitted', act: 'delete_server' },
      '<@U1> · delete the server *web-1* · 🚫 refused: not permitted',
    ],
    [{ outcome: 'refused', why: 'none_open', act: 'unacknowledge' }, '🚫 refused: no open alert'],
    [{ outcome: 'failed', why: 'no answer', act: 'add_roles', detail: { roles: ['web'] } }, '⚠️ failed: no'],
    [
      { outcome: 'unknown', act: 'add_marker', hostname: null },
      'drop a marker · ⚠️ not known whether it was done',
    ],
    [
      { outcome: 'nothing', why: 'acknowledged', act: 'acknowledge', alertId: '7' },
      'acknowledge #7 · already acknowledged',
    ],
    [
      { outcome: 'nothing', why: 'all_closed', act: 'acknowledge_all' },
      'acknowledge all storm alerts · already closed',
    ],
    [{ hostname: null, act: 'acknowledge_all', detail: { alerts: 6 } }, 'acknowledged 6 storm alerts'],
    [
      { hostname: null, act: 'take_over', detail: { alerts: 3, owner: 'U2' } },
      'took 3 storm alerts over from <@U2>',
    ],
    [{ outcome: 'nothing', why: 'not_muted', act: 'unmute_server' }, 'unmute *web-1* · not muted'],
    [{ act: 'end_mute', userId: null, via: 'monbot' }, 'The mute of *web-1* has ended'],
    // A mute that never began “was over”.
    [
      { act: 'end_mute', userId: null, via: 'monbot', why: 'interrupted' },
      'The monitoring API never confirmed the mute of *web-1*',
    ],
  ] as const)('%#: how it went is said', (over, expected) => {
    expect(line(over)).toContain(local(startedMs))
    expect(line(over)).toContain(expected)
  })

  test('ten entries find room, however long their words are: then in fewer words', () => {
    const names = Array.from({ length: 8 }, (_, n) => `${n}${'&'.repeat(90)}`)
    const detail = { names, reason: '&'.repeat(600), mode: 'open' } as const
    const entries = Array.from({ length: 10 }, () => anEntry({ hostname: null, detail }))
    const lines = words({ kind: 'audit', ask, list: onePage(entries) }).join('\n')
    expect(lines.match(/<@U1> · mute .* · done/g)).toHaveLength(10)
    expect(lines).not.toContain('found no room')
  })
})

test('what of roles and triggers cannot be read is said below them, and none is not said of all', () => {
  const roles = { kind: 'roles', about: null, page: 1 } as const
  expect(words({ kind: 'roles', ask: roles, list: onePage([]), unreadable: 1 })).toEqual([
    expect.stringMatching(/^There are no roles that can be read\./),
    '⚠️ 1 record cannot be read and is not listed.',
  ])
  const triggers = { kind: 'triggers', filter: 'disk', page: 1 } as const
  expect(words({ kind: 'triggers', ask: triggers, list: onePage([]), unreadable: 2 })).toEqual([
    'No trigger that can be read matches `disk`.',
    '⚠️ 2 triggers cannot be read and are not listed.',
  ])
})

test('a role of a hundred thousand servers is put into words as far as it is shown', () => {
  const servers = Array.from({ length: 100_000 }, (_, n) => `web-${n}`)
  const answer: Answer = {
    kind: 'roles',
    ask: { kind: 'roles', about: null, page: 1 },
    list: onePage([{ role: 'web', servers }]),
  }
  const cpuMs = cpuMsOf(() =>
    expect(words(answer)[1]).toMatch(/^\*web\* · web-0, web-1, .* and 999\d\d more$/),
  )
  expect(cpuMs).toBeLessThan(5_000)
})
