/** Whatever a name is, of a server or in the settings: a request reaches the path that was meant, or is not made at all. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { OutsideFailure } from '../../src/bot/domain/base/failure.ts'
import type { Monitor } from '../../src/bot/flow/ports/ports.ts'
import { addressOf } from '../../src/bot/monitor/address.ts'
import { canaryKey, connect, openApi, sendJson } from '../bot/monitor/local-api.ts'

/** What servers, proxies and parsers of addresses take for something else than a part of a name. */
const awkward = fc.constantFrom(
  ...[
    '',
    '.',
    '..',
    '...',
    '/',
    '\\',
    '//',
    '%2e',
    '%2e%2e',
    '%2F',
    '%252e',
    '%',
    '%00',
    '?',
    '#',
    ';',
    '@',
    ':',
  ],
  ...[
    '\0',
    '\t',
    '\n',
    '\r\n',
    ' ',
    '\u00a0',
    '\ud800',
    '\udc00',
    '\u202e',
    '\u200b',
    '\ufeff',
    '\u0301',
    '\u2024',
  ],
  ...[
    '．',
    '。',
    '／',
    '＼',
    '․․',
    '。。',
    '‥',
    '…',
    'İ',
    'ß',
    'ﬀ',
    'é',
    'e\u0301',
    '👩‍🚒',
    'xn--',
    'account',
    'servers',
    canaryKey,
  ],
)
const name = fc.oneof(
  awkward,
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.string({ unit: 'grapheme', maxLength: 30 }),
  fc
    .array(fc.oneof(awkward, fc.string({ unit: 'binary', maxLength: 2 })), { maxLength: 6 })
    .map((parts) => parts.join('')),
)

/** Every operation with a name in its path, and the segments that stand after the name. */
const operations: readonly (readonly [
  what: string,
  call: (monitor: Monitor, name: string) => Promise<string>,
  after: readonly string[],
])[] = [
  ['DELETE', (it, hostname) => it.deleteServer(hostname), []],
  ['POST', (it, hostname) => it.setServerNotifications(hostname, false), []],
  ['POST', (it, hostname) => it.setNoDataGroup(hostname, 'ops'), []],
  ['POST', (it, hostname) => it.addRoles(hostname, ['db']), ['roles', 'add']],
]

describe.each([1, 2, 3, 4])('seed %i', (seed) => {
  test.each(operations.map(([method, call, after], at) => [at, method, call, after] as const))(
    'operation %i, a %s of any server, reaches that server and nothing beside it',
    async (_at, method, call, after) => {
      const api = await openApi((_request, response) => sendJson(response, 200, { message: 'done' }))
      const monitor = connect(`${api.url}/prefix/`)
      await fc.assert(
        fc.asyncProperty(name, async (hostname) => {
          api.received.length = 0
          const outcome = await call(monitor, hostname).catch((error: unknown) => error)
          if (outcome instanceof OutsideFailure) {
            expect(outcome.kind).toBe('rejected')
            expect(api.received).toEqual([])
            return
          }
          expect(outcome).toBe('done')
          const [request] = api.received
          expect(api.received).toHaveLength(1)
          expect(request?.method).toBe(method)
          // As it stood on the line, and as whoever normalises it would read it.
          for (const path of [request?.target ?? '', new URL(request?.target ?? '', 'http://x').pathname]) {
            expect(path.split('/').map(decodeURIComponent)).toEqual([
              '',
              'prefix',
              'api',
              'v2',
              canaryKey,
              'servers',
              hostname,
              ...after,
            ])
          }
        }),
        { seed, numRuns: 100, examples: [['.'], ['..'], [''], ['../account'], ['..\\account'], ['%2e%2e']] },
      )
    },
  )
})

test.each(['', '.', '..', 'a\u0000b', 'a b', 'ключ', '\ud800'])(
  'a key that is %j makes no address',
  (key) => {
    expect(() => addressOf('https://monitor.example', key)).toThrow(OutsideFailure)
  },
)

test.each(['.', '..'])('no segment of a path is %j, wherever it stands', (segment) => {
  const address = addressOf('https://monitor.example/a', 'key')
  for (const path of [[segment], ['servers', segment], ['servers', segment, 'roles'], [segment, 'account']]) {
    expect(() => address.pathTo(path)).toThrow('another path than was meant')
  }
})

test('a hostname is refused, or arrives as exactly one segment', async () => {
  const api = await openApi((_request, response) => sendJson(response, 200, { message: 'done' }))
  const monitor = connect(api.url)
  const tally = { sent: 0, refused: 0 }
  await fc.assert(
    fc.asyncProperty(name, async (hostname) => {
      const before = api.received.length
      const outcome = await monitor.deleteServer(hostname).catch((error: unknown) => error)
      if (api.received.length === before) {
        tally.refused += 1
        expect(outcome).toBeInstanceOf(OutsideFailure)
        expect(outcome).toMatchObject({ kind: 'rejected' })
        expect(hostname === '' || hostname === '.' || hostname === '..' || !hostname.isWellFormed()).toBe(
          true,
        )
        return
      }
      tally.sent += 1
      expect(outcome).toBe('done')
      expect(api.received).toHaveLength(before + 1)
      const segments = api.received[before]?.target.split('/') ?? []
      expect(segments.map(decodeURIComponent)).toEqual(['', 'api', 'v2', canaryKey, 'servers', hostname])
    }),
    { seed: 4, numRuns: 400 },
  )
  expect(tally.sent).toBeGreaterThan(200)
  expect(tally.refused).toBeGreaterThan(5)
})
