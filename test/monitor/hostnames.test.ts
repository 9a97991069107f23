/** Whatever a server is called: it is refused before a request, or the request reaches that server and no other path. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { OutsideFailure } from '../../src/domain/base/failure.ts'
import { canaryKey, connect, openApi, sendJson } from './local-api.ts'

const awkward = fc.constantFrom(
  '',
  '.',
  '..',
  '...',
  '/',
  '\\',
  '%2e%2e',
  '%',
  '?',
  '#',
  ';',
  '@',
  ':',
  '\0',
  '\n',
  ' ',
  '\ud800',
)
const hostname = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc
    .array(fc.oneof(awkward, fc.string({ unit: 'binary', maxLength: 3 })), { maxLength: 6 })
    .map((parts) => parts.join('')),
)

test('a hostname is refused, or arrives as exactly one segment', async () => {
  const api = await openApi((_request, response) => sendJson(response, 200, { message: 'done' }))
  const monitor = connect(api.url)
  const tally = { sent: 0, refused: 0 }
  await fc.assert(
    fc.asyncProperty(hostname, async (name) => {
      const before = api.received.length
      const outcome = await monitor.deleteServer(name).catch((error: unknown) => error)
      if (api.received.length === before) {
        tally.refused += 1
        expect(outcome).toBeInstanceOf(OutsideFailure)
        expect(outcome).toMatchObject({ kind: 'rejected' })
        expect(name === '' || name === '.' || name === '..' || !name.isWellFormed()).toBe(true)
        return
      }
      tally.sent += 1
      expect(outcome).toBe('done')
      expect(api.received).toHaveLength(before + 1)
      const segments = api.received[before]?.target.split('/') ?? []
      expect(segments.map(decodeURIComponent)).toEqual(['', 'api', 'v2', canaryKey, 'servers', name])
    }),
    { seed: 4, numRuns: 400 },
  )
  expect(tally.sent).toBeGreaterThan(200)
  expect(tally.refused).toBeGreaterThan(5)
})
