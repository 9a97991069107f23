/** Every failure of Postgres means one of few things, and is told in a sentence without an address's secrets. */
import { expect, test } from 'vitest'
import { Deposed, MemoryAway } from '../../../../src/bot/domain/base/failure.ts'
import { StoreError } from '../../../../src/bot/store/open/store-error.ts'
import { connectFailureOf, failureOf, isBroken, kindOf } from '../../../../src/bot/store/postgres/failures.ts'

const address = 'db.example:5432/monbot'
const said = (code: string) => Object.assign(new Error('in its own words'), { code, severity: 'ERROR' })
const met = (message: string, code?: string) =>
  Object.assign(new Error(message), code === undefined ? {} : { code })

test.each([
  // SQLSTATE, what it leaves behind, whether the connection is destroyed
  ['08006', 'gone', true],
  ['57P01', 'gone', true],
  ['57P02', 'gone', true],
  ['57P05', 'gone', true],
  ['25P03', 'gone', true],
  ['57P03', 'away', false],
  ['53300', 'away', false],
  ['53100', 'away', false],
  ['53400', 'away', false],
  ['25006', 'away', false],
  ['55P03', 'away', false],
  ['57014', 'away', false],
  ['58030', 'away', false],
  ['40001', 'crossed', false],
  ['40P01', 'crossed', false],
  ['23505', 'said', false],
  ['42601', 'said', false],
  ['25P02', 'said', false],
  ['22021', 'said', false],
  ['XX000', 'said', false],
])('Postgres says %s: %s', (code, kind, broken) => {
  expect([kindOf(said(code)), isBroken(said(code))]).toEqual([kind, broken])
  const failure = failureOf(said(code), address)
  if (kind === 'said') expect(failure).toMatchObject({ message: 'in its own words', code })
  else expect(failure).toBeInstanceOf(MemoryAway)
})

test.each([
  ['ECONNRESET', met('read ECONNRESET', 'ECONNRESET'), 'gone', 'cannot be reached (ECONNRESET)'],
  ['EPIPE', met('write EPIPE', 'EPIPE'), 'gone', 'cannot be reached (EPIPE)'],
  ['an end', met('Connection terminated unexpectedly'), 'gone', 'cannot be reached'],
  ['a limit', met('Query read timeout'), 'away', 'does not answer'],
  ['a limit of connecting', met('timeout expired'), 'away', 'does not answer'],
])('the connection meets %s', (_, error, kind, words) => {
  expect([kindOf(error), isBroken(error)]).toEqual([kind, true])
  expect(failureOf(error, address)).toMatchObject({
    name: 'MemoryAway',
    mayBeWritten: false,
    message: `Postgres at ${address} ${words}`,
  })
})

test.each([
  ['28P01', 'refuses the user or the password of DATABASE_URL (28P01: in its own words).'],
  ['28000', 'refuses the user or the password of DATABASE_URL (28000: in its own words).'],
  [
    '3D000',
    'has no database of that name: create it, encoded as UTF8, and start monbot again (3D000: in its own words).',
  ],
  [
    '42501',
    'does not let the user of DATABASE_URL do what monbot must: make it the owner of its database (42501).',
  ],
])('%s while starting is for a person to mend; later it may be a failover', (code, words) => {
  const atStart = connectFailureOf(said(code), address, true)
  expect(atStart).toBeInstanceOf(StoreError)
  expect(atStart).toMatchObject({ message: `Postgres at ${address} ${words}`, isSetting: true })
  expect(connectFailureOf(said(code), address, false)).toBeInstanceOf(MemoryAway)
})

test.each(['DEPTH_ZERO_SELF_SIGNED_CERT', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'CERT_HAS_EXPIRED'])(
  'a certificate with %s is for a person to mend while starting',
  (code) => {
    expect(connectFailureOf(met('x', code), address, true)).toMatchObject({ isSetting: true })
    expect(connectFailureOf(met('x', code), address, false)).toBeInstanceOf(MemoryAway)
  },
)

test('what was told already is told as it was', () => {
  for (const failure of [new MemoryAway('x', true), new Deposed('x'), new StoreError('x')]) {
    expect(failureOf(failure, address)).toBe(failure)
    expect(isBroken(failure)).toBe(failure instanceof MemoryAway)
  }
})
