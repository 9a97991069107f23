/**
 * Tells what a failure of Postgres means: it will be back, somebody has to mend something, or it is a bug of ours. The words for
 * people are made here, of SQLSTATEs and of Node's codes, never of an address with its password.
 * SQLSTATEs: postgresql.org/docs/current/errcodes-appendix.html
 */
import { MemoryAway, StoreFailure } from '../../domain/base/failure.ts'
import { StoreError } from '../open/store-error.ts'

/**
 * What a failure leaves behind.
 *
 * - `gone`: this connection is of no use any more; another may be
 * - `away`: no connection would do better now
 * - `crossed`: two transactions were in each other's way, and one of them was undone: it may be done again at once
 * - `said`: anything else that Postgres said about a statement: a bug of ours, or something that a person must mend
 */
export type FailureKind = 'gone' | 'away' | 'crossed' | 'said'

export const readOnly = '25006'

/** By SQLSTATE, or by its class (two characters). */
const words: Readonly<Record<string, readonly [kind: FailureKind, words: string]>> = {
  '08': ['gone', 'broke the connection'],
  // Also what a person does with pg_terminate_backend: another connection may be fine.
  '57P01': ['gone', 'ended the connection, as it does when it is stopped'],
  '57P02': ['gone', 'ended the connection after a crash'],
  '57P03': ['away', 'is starting or stopping'],
  '57P05': ['gone', 'ended the connection, which was idle'],
  '25P03': ['gone', 'ended a transaction in which nothing was said for too long'],
  '25P04': ['gone', 'ended a transaction that took too long'],
  [readOnly]: ['away', 'takes no writes now: it is read-only, as a standby server is'],
  '53': ['away', 'is short of something'],
  '53100': ['away', 'has no room left on its disk'],
  '53200': ['away', 'has no memory left'],
  '53300': ['away', 'has no connection left for monbot'],
  '55P03': ['away', 'is busy with another writer'],
  '57014': ['away', 'took too long'],
  '58': ['away', 'has trouble with its disk or system'],
  '40': ['crossed', 'undid a transaction that met another one'],
}

/** What a person must mend; met at the start. Later a server may say so for a moment, as when it fails over. */
const settings: Readonly<Record<string, string>> = {
  '28': 'refuses the user or the password of DATABASE_URL',
  '3D000': 'has no database of that name: create it, encoded as UTF8, and start monbot again',
  '3F000': 'has no schema that monbot may use: create one in the search_path of its user',
  '42P07': 'has tables of another program: create a database for monbot alone',
  '42501': 'does not let the user of DATABASE_URL do what monbot must: make it the owner of its database',
}

/** SQLSTATE, or Node's code; null if it has none. */
export function codeOf(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null
}

/** Did Postgres (or a pooler before it) say this, and not Node? */
function isSaid(error: unknown): boolean {
  return error instanceof Error && 'severity' in error && /^[0-9A-Z]{5}$/.test(codeOf(error) ?? '')
}

/** Of what a statement on a connection met. A failure that Postgres did not say is one of the connection. */
export function kindOf(error: unknown): FailureKind {
  if (error instanceof MemoryAway) return 'away'
  // A value that cannot be sent is a bug, and the connection is as it was.
  if (error instanceof TypeError || error instanceof RangeError || error instanceof StoreFailure)
    return 'said'
  if (!isSaid(error)) return isSlow(error) ? 'away' : 'gone'
  return entryOf(codeOf(error) ?? '')?.[0] ?? 'said'
}

/** Is the connection that met this of no use any more? After a wait it is not known what it would still say. */
export function isBroken(error: unknown): boolean {
  const kind = kindOf(error)
  return kind === 'gone' || (kind === 'away' && !isSaid(error))
}

/**
 * The failure as callers get it: `MemoryAway` with a sentence, a `StoreError` where a person must mend something, or the error
 * itself, a bug.
 */
export function failureOf(error: unknown, address: string): unknown {
  if (error instanceof MemoryAway || error instanceof StoreFailure) return error
  if (kindOf(error) !== 'said') return awayOf(error, address)
  return settingOf(error, address) ?? error
}

/** While connecting, everything that is not a setting's fault is `MemoryAway`; `isStart`: once it ran, a setting was right. */
export function connectFailureOf(error: unknown, address: string, isStart: boolean): unknown {
  const setting = isStart ? settingOf(error, address) : null
  return setting ?? awayOf(error, address)
}

/** `mayBeWritten`: the answer to a COMMIT was lost, and what became of it is not known. */
export function awayOf(error: unknown, address: string, mayBeWritten = false): MemoryAway {
  if (error instanceof MemoryAway && error.mayBeWritten === mayBeWritten) return error
  const code = codeOf(error)
  const entry = isSaid(error) ? entryOf(code ?? '') : undefined
  const said = entry?.[1] ?? (isSlow(error) ? 'does not answer' : 'cannot be reached')
  return new MemoryAway(`Postgres at ${address} ${said}${inBrackets(error)}`, mayBeWritten)
}

function settingOf(error: unknown, address: string): StoreError | null {
  const code = codeOf(error)
  const said = isSaid(error) ? (settings[code ?? ''] ?? settings[code?.slice(0, 2) ?? '']) : tlsWords(error)
  if (said === undefined) return null
  return new StoreError(`Postgres at ${address} ${said}${inBrackets(error)}.`, code, true)
}

/** Node and OpenSSL name what they do not like about a certificate: nodejs.org/api/tls.html#x509-certificate-error-codes */
function tlsWords(error: unknown): string | undefined {
  if (error instanceof Error && error.message === 'The server does not support SSL connections') {
    return 'speaks no TLS: turn it on there, or set sslmode=disable in DATABASE_URL'
  }
  return /CERT|ERR_TLS|UNABLE_TO/.test(codeOf(error) ?? '')
    ? 'has a certificate that is not trusted: name its authority as sslrootcert in DATABASE_URL, and the host as the certificate does'
    : undefined
}

/** The code, and what a server says when it refuses somebody: it names users and databases, and knows no password. */
function inBrackets(error: unknown): string {
  const code = codeOf(error)
  if (code === null) return ''
  const isRefusal = isSaid(error) && /^(?:08|28|3D)/.test(code)
  return isRefusal ? ` (${code}: ${(error as Error).message})` : ` (${code})`
}

function entryOf(code: string): readonly [FailureKind, string] | undefined {
  return words[code] ?? words[code.slice(0, 2)]
}

/** As `pg` says it: it has no code for its own time limits. */
function isSlow(error: unknown): boolean {
  return error instanceof Error && /^(?:Query read timeout|timeout expired)$/.test(error.message)
}
