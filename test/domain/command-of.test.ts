/** An ask written as a command is the same ask again, and nothing that is typed breaks the parser. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { commands, parseCommand } from '../../src/domain/command/commands.ts'
import { type Ask, chartSpan, commandOf, reportSpan } from '../../src/domain/request/queries.ts'
import { cpuMsOf } from '../support/cpu-time.ts'

const name = fc
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
const nameOrNot = fc.option(name)
const page = fc.integer({ min: 1, max: 99_999 })
const spanOf = ({ minMs, maxMs }: { minMs: number; maxMs: number }) => fc.integer({ min: minMs, max: maxMs })

const ask: fc.Arbitrary<Ask> = fc.oneof(
  fc.record({
    kind: fc.constant('help' as const),
    topic: fc.constantFrom(null, ...commands.map((row) => row.name)),
  }),
  fc.record({ kind: fc.constantFrom('status' as const, 'handoff' as const) }),
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
  fc.record({ kind: fc.constant('report' as const), ms: spanOf(reportSpan) }),
  fc.record({
    kind: fc.constant('chart' as const),
    server: name,
    metric: fc.option(name),
    ms: spanOf(chartSpan),
  }),
  fc.record({ kind: fc.constant('alert_chart' as const), alertId: name }),
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
