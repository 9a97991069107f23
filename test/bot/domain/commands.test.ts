/** The commands: the table, what somebody may type and mean by it; an ask written as one is the same again, and nothing breaks the parser. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { commands, commandsAbout, parseCommand, usageHint } from '../../../src/bot/domain/command/commands.ts'
import { nameCharsMax } from '../../../src/bot/domain/command/words.ts'
import { actions } from '../../../src/bot/domain/request/actions.ts'
import type { Intent } from '../../../src/bot/domain/request/intent.ts'
import {
  type Ask,
  chartSpan,
  commandOf,
  handoffSpan,
  reportSpan,
} from '../../../src/bot/domain/request/queries.ts'
import { command } from '../../../src/bot/slack/vocabulary.ts'
import { cpuMsOf } from '../../support/cpu-time.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs

const intentOf = (text: string): Intent => {
  const parsed = parseCommand(text)
  if (!parsed.ok) throw new Error(`${text} was refused: ${JSON.stringify(parsed.refusal)}`)
  return parsed.intent
}

const refusalOf = (text: string) => {
  const parsed = parseCommand(text)
  return parsed.ok ? parsed.intent : parsed.refusal
}

const named = (...names: string[]) => names.map((name) => ({ by: 'name', name }))

describe('labels of alerts', () => {
  const asked = { kind: 'alerts', state: 'open', server: null, page: 1 } as const
  const pay = { name: 'namespace', value: 'pay-*' }
  const red = { name: 'team', value: 'red team' }

  test.each<[string, Partial<Extract<Ask, { kind: 'alerts' }>>]>([
    ['alerts namespace=pay-*', { labels: [pay] }],
    ['alerts namespace=pay-* team="red team"', { labels: [pay, red] }],
    ['alerts namespace=pay-*,team=“red team”', { labels: [pay, red] }],
    ['alerts namespace=pay-*, team="red team" page 2', { labels: [pay, red], page: 2 }],
    ['alerts closed web-1 namespace=pay-*', { state: 'closed', server: 'web-1', labels: [pay] }],
    [
      'alerts namespace=pay-* closed team="red team" web-1',
      { state: 'closed', server: 'web-1', labels: [pay, red] },
    ],
    ['alerts app.io/name=x', { labels: [{ name: 'app.io/name', value: 'x' }] }],
    ['alerts zone=a,b', { labels: [{ name: 'zone', value: 'a,b' }] }],
    ['alerts zone="a,b"', { labels: [{ name: 'zone', value: 'a,b' }] }],
    ['alerts open', {}],
    ['alerts "a=b"', { server: 'a=b' }],
  ])('%s', (text, over) => {
    const ask = { ...asked, ...over }
    expect(intentOf(text)).toEqual(ask)
    expect(intentOf(commandOf(ask))).toEqual(ask)
  })

  test.each(['alerts namespace=', 'alerts =pay', 'alerts namespace=~pay'])(
    '%s is no label, and not taken for one',
    (text) => {
      expect(JSON.stringify(parseCommand(text))).not.toContain('"labels"')
    },
  )

  test('whatever a value contains, a button asks for it again', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 50, unit: 'binary' }), (value) => {
        fc.pre(value.trim() !== '')
        const ask: Ask = { ...asked, labels: [{ name: 'team', value }] }
        expect(intentOf(commandOf(ask))).toEqual(ask)
      }),
    )
  })
})

describe('the table', () => {
  test.each(commands.flatMap(({ name, examples }) => examples.map((example) => [example, name])))(
    '%s is an example of %s that is understood',
    (example, name) => {
      expect(example === name || example.startsWith(`${name} `)).toBe(true)
      expect(parseCommand(example)).toMatchObject({ ok: true })
    },
  )

  test('every command has an example, a summary of one line, and a name of its own', () => {
    for (const { name, examples, summary } of commands) {
      expect(examples.length, name).toBeGreaterThan(0)
      expect(summary, name).toMatch(/^[A-Z][^\n]{10,90}[^.\n]$/)
    }
    expect(new Set(commands.map(({ name }) => name)).size).toBe(commands.length)
  })

  test('a command that changes something says the permission that it needs, and one that asks has none', () => {
    for (const { name, examples, guard } of commands) {
      const intent = intentOf(examples[0] ?? '')
      const kind = intent.kind === 'open_form' ? intent.form : intent.kind
      const guards = new Map(Object.entries(actions).map(([known, action]) => [known, action.guard]))
      expect(guard, name).toBe(guards.get(kind) ?? null)
    }
  })

  test('the help knows every command by its name, and those of two words by the first as well', () => {
    for (const { name } of commands) {
      expect(intentOf(`help ${name}`)).toEqual({ kind: 'help', topic: name })
      expect(commandsAbout(name).map((about) => about.name)).toContain(name)
      expect(commandsAbout(name.split(' ')[0] ?? '').map((about) => about.name)).toContain(name)
    }
    expect(intentOf('help /mon Mute')).toEqual({ kind: 'help', topic: 'mute' })
    expect(refusalOf('help mtue')).toMatchObject({ why: 'unknown_command', similar: ['mute'] })
  })

  test('the usage hint is as short as Slack wants it', () => {
    expect(usageHint).toContain('mute | unmute | ack')
    expect(usageHint.length).toBeLessThanOrEqual(1_000)
  })
})

test.each<[string, Intent]>([
  ['', { kind: 'help', topic: null }],
  ['  ', { kind: 'help', topic: null }],
  ['Status', { kind: 'status' }],
  ['alerts', { kind: 'alerts', state: 'open', server: null, page: 1 }],
  ['alerts closed web-1 page 3', { kind: 'alerts', state: 'closed', server: 'web-1', page: 3 }],
  ['alerts db-*', { kind: 'alerts', state: 'open', server: 'db-*', page: 1 }],
  ['alerts "closed"', { kind: 'alerts', state: 'open', server: 'closed', page: 1 }],
  ['alerts mine', { kind: 'alerts', state: 'open', isMine: true, server: null, page: 1 }],
  ['alerts MINE db-* page 2', { kind: 'alerts', state: 'open', isMine: true, server: 'db-*', page: 2 }],
  ['alerts "mine"', { kind: 'alerts', state: 'open', server: 'mine', page: 1 }],
  ['alerts page', { kind: 'alerts', state: 'open', server: 'page', page: 1 }],
  ['mutes page 2', { kind: 'mutes', page: 2 }],
  ['roles web servers', { kind: 'roles', about: 'web servers', page: 1 }],
  ['triggers disk usage page 2', { kind: 'triggers', filter: 'disk usage', page: 2 }],
  ['audit web-1', { kind: 'audit', server: 'web-1', page: 1 }],
  ['report', { kind: 'report', ms: 7 * dayMs }],
  ['report 2 days', { kind: 'report', ms: 2 * dayMs }],
  ['chart web-1 cpu_busy', { kind: 'chart', server: 'web-1', metric: 'cpu_busy', ms: 5 * hourMs }],
  ['chart web-1 “Last minute” 2d', { kind: 'chart', server: 'web-1', metric: 'Last minute', ms: 2 * dayMs }],
  ['chart web-1', { kind: 'chart', server: 'web-1', metric: null, ms: 5 * hourMs }],
  ['chart web-1 2h', { kind: 'chart', server: 'web-1', metric: null, ms: 2 * hourMs }],
  ['chart web-1 CPU busy', { kind: 'chart', server: 'web-1', metric: 'CPU busy', ms: 5 * hourMs }],
  ['chart web-1 cpu busy 2 hours', { kind: 'chart', server: 'web-1', metric: 'cpu busy', ms: 2 * hourMs }],
  [
    'chart web-1 disk / used 1h 30m',
    { kind: 'chart', server: 'web-1', metric: 'disk / used', ms: 1.5 * hourMs },
  ],
  ['chart web-1 "load 5m"', { kind: 'chart', server: 'web-1', metric: 'load 5m', ms: 5 * hourMs }],
  ['chart web-1 http 5xx 1d', { kind: 'chart', server: 'web-1', metric: 'http 5xx', ms: dayMs }],
  ['chart web-1 cpu_busy 60d', { kind: 'chart', server: 'web-1', metric: 'cpu_busy', ms: 60 * dayMs }],
  ['chart #123', { kind: 'alert_chart', alertId: '123' }],
  ['ack #123', { kind: 'acknowledge', alert: '#123' }],
  [
    'note 123 don’t touch — it is “mine”',
    { kind: 'add_note', alert: '123', text: 'don’t touch — it is “mine”' },
  ],
  ["note web-1 it's ana's, isn't it", { kind: 'add_note', alert: 'web-1', text: "it's ana's, isn't it" }],
  ['note 123 "the disk"', { kind: 'add_note', alert: '123', text: 'the disk' }],
  ['marker 5 &lt; 6 &amp;amp; so', { kind: 'add_marker', text: '5 < 6 &amp; so' }],
  [
    'role add web-1 db, primary,db',
    { kind: 'add_roles', server: { by: 'name', name: 'web-1' }, roles: ['db', 'primary'] },
  ],
  ['nodata web-1 on call', { kind: 'set_no_data', server: 'web-1', group: 'on call' }],
  ['unmute #123', { kind: 'unmute_alert', alert: '#123' }],
  ['unmute namespace=pay', { kind: 'unmute_alert', alert: null, matchers: ['namespace="pay"'] }],
  ['unmute host web-1', { kind: 'unmute_server', server: { by: 'name', name: 'web-1' } }],
  ['unmute account', { kind: 'unmute_account' }],
  ['unmute “account”', { kind: 'unmute_server', server: { by: 'name', name: 'account' } }],
  ['server delete web-1', { kind: 'open_form', form: 'delete_server', alertId: null, given: 'web-1' }],
  ['metric delete a, b,a', { kind: 'open_form', form: 'delete_metrics', alertId: null, given: 'a,b' }],
  [
    'unmute <http://web-1.example|web-1.example>',
    { kind: 'unmute_server', server: { by: 'name', name: 'web-1.example' } },
  ],
  [
    'note 123 see <https://wiki.example/disk> or <@U1|ana>',
    { kind: 'add_note', alert: '123', text: 'see https://wiki.example/disk or @ana' },
  ],
  ['unmute web—1\u200b', { kind: 'unmute_server', server: { by: 'name', name: 'web--1' } }],
  ['unmute `web-1`', { kind: 'unmute_server', server: { by: 'name', name: 'web-1' } }],
])('%s', (text, intent) => {
  expect(intentOf(text)).toEqual(intent)
})

test.each([
  ['mtue web-1', 'mute'],
  ['role web-1', 'role add'],
  ['delete web-1', 'server delete'],
  ['akc', 'ack'],
])('%s is no command, but %s is', (text, similar) => {
  expect(refusalOf(text)).toMatchObject({
    why: 'unknown_command',
    similar: expect.arrayContaining([similar]),
  })
})

test.each([
  ['unmute', '/mon unmute [host] <server>[,…] | #<alert> | <label>=<value>[,…]', '/mon unmute'],
  [
    'unmute web-1 web-2',
    '/mon unmute [host] <server>[,…] | #<alert> | <label>=<value>[,…]',
    '/mon unmute web-1 web-2',
  ],
  ['status now', '/mon status', '/mon status now'],
  ['ack', '/mon ack <alert or server>', '/mon ack'],
  ['ack 1 2', '/mon ack <alert or server>', '/mon ack 1 2'],
  ['note 123', '/mon note <alert or server> <text>', '/mon note 123'],
  ['role add web-1', '/mon role add <server> <role>[,…]', '/mon role add web-1'],
  [
    'alerts page 0',
    '/mon alerts [open | closed | all | mine] [server] [label=value …]',
    '/mon alerts page 0',
  ],
  ['chart #', '/mon chart <server> [metric] [duration] or #<alert>', '/mon chart #'],
  ['chart web-1 cpu_busy 2x', 'a duration with a unit, such as 90s, 1h30m or 30d', '2x'],
  ['chart web-1 cpu 2', 'a duration with a unit, such as 90s, 1h30m or 30d', '2'],
  [
    `metric delete ${Array.from({ length: 21 }, (_, i) => `m${i}`)}`,
    'at most 20 metrics at once',
    '21 metrics',
  ],
  ['x'.repeat(3_001), 'at most 3000 characters', '3001 characters'],
  [`ack ${'x'.repeat(nameCharsMax + 1)}`, '/mon ack <alert or server>', `/mon ack ${'x'.repeat(191)}…`],
  ['ack ""', '/mon ack <alert or server>', '/mon ack ""'],
])('%s is told what was expected', (text, expected, came) => {
  expect(refusalOf(text)).toMatchObject({ why: 'invalid', expected, came })
})

test('a report and a chart have their limits', () => {
  for (const tooLong of ['31d', '90d', '400d', '60 weeks', '99999d', '999999999w']) {
    expect(refusalOf(`report ${tooLong}`)).toEqual({ why: 'too_long', maxMs: 30 * dayMs, topic: 'report' })
  }
  // As far back as the API's longest duration reaches.
  for (const tooLong of ['366d', '400d']) {
    const refusal = { why: 'too_long', maxMs: 365 * dayMs, topic: 'chart' }
    expect(refusalOf(`chart web-1 CPU busy ${tooLong}`)).toEqual(refusal)
  }
  expect(refusalOf('report 5m')).toEqual({ why: 'too_short', minMs: hourMs, topic: 'report' })
  const tooShort = { why: 'too_short', minMs: chartSpan.minMs, topic: 'chart' }
  expect(refusalOf('chart web-1 cpu 1m')).toEqual(tooShort)
})

test('usage and refusals write the command that Slack has', () => {
  expect(refusalOf('ack')).toMatchObject({ expected: expect.stringMatching(new RegExp(`^${command} `)) })
})

test('a name in quotes is never a keyword', () => {
  expect(intentOf('mute "account" 2h')).toMatchObject({ kind: 'mute_server', servers: named('account') })
  expect(intentOf('mute host account 2h')).toMatchObject({ kind: 'mute_server', servers: named('account') })
})

const anyName = fc
  .oneof(
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc.string({
      unit: fc.constantFrom(...`ab '"“”‘’—–&;<>|\\u{}#@,.*?\`\n\t\u200b\u00a0\u202e`),
      maxLength: 30,
    }),
    fc.constantFrom(
      'open',
      'page',
      'page 2',
      'account',
      '#1',
      '&amp;',
      '<http://a|b>',
      '"',
      '\\u{22}',
      '__proto__',
    ),
  )
  .filter((text) => text.trim() !== '')
const nameOrNot = fc.option(anyName)
const page = fc.integer({ min: 1, max: 99_999 })
const spanOf = ({ minMs, maxMs }: { minMs: number; maxMs: number }) => fc.integer({ min: minMs, max: maxMs })

const spanned = <Kind extends 'handoff' | 'report'>(kind: Kind, span: typeof reportSpan) =>
  fc.oneof(
    fc.record({ kind: fc.constant(kind), ms: spanOf(span) }),
    fc.record({ kind: fc.constant(kind), ms: spanOf(span), isFile: fc.constant(true as const) }),
  )

const ask: fc.Arbitrary<Ask> = fc.oneof(
  fc.record({
    kind: fc.constant('help' as const),
    topic: fc.constantFrom(null, ...commands.map((row) => row.name)),
  }),
  fc.record({ kind: fc.constant('status' as const) }),
  spanned('handoff', handoffSpan),
  spanned('report', reportSpan),
  fc.record({
    kind: fc.constant('alerts' as const),
    state: fc.constantFrom('open' as const, 'closed' as const, 'all' as const),
    server: nameOrNot,
    page,
  }),
  fc.record({ kind: fc.constant('mutes' as const), page }),
  fc.record({ kind: fc.constant('roles' as const), about: nameOrNot, page }),
  fc.record({ kind: fc.constant('triggers' as const), filter: nameOrNot, page }),
  fc.record({ kind: fc.constant('audit' as const), server: nameOrNot, page }),
  fc.record({
    kind: fc.constant('chart' as const),
    server: anyName,
    metric: fc.option(anyName),
    ms: spanOf(chartSpan),
  }),
  fc.record({ kind: fc.constant('alert_chart' as const), alertId: anyName }),
)

test('whatever is asked can be written as a command that asks the same, whoever escapes it on the way', () => {
  fc.assert(
    fc.property(ask, (asked) => {
      const text = commandOf(asked)
      const escaped = text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')
      expect(parseCommand(text)).toEqual({ ok: true, intent: asked })
      expect(parseCommand(escaped)).toEqual({ ok: true, intent: asked })
    }),
    { numRuns: 2_000 },
  )
})

test('whatever is typed is read or refused, and quickly', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      ...commands.map((row) => row.name),
      'for',
      'until',
      'page',
      '2h',
      '"',
      "'",
      ',',
      '<',
      '|',
      '15:00',
    ),
    fc.string({ unit: 'binary', maxLength: 20 }),
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      expect(typeof parseCommand(pieces.join(' ')).ok).toBe('boolean')
    }),
    { numRuns: 1_000 },
  )
  const hostile = ['mute ', '"', ',', 'a,', '1h ', '\u200b', '<http:', ' page 1'].map((part) =>
    part.repeat(3_000 / part.length),
  )
  const tookMs = cpuMsOf(() => {
    for (const text of hostile) parseCommand(text)
    for (const text of hostile) parseCommand(`mute ${text}`.slice(0, 3_000))
  })
  expect(tookMs).toBeLessThan(2_000)
})
