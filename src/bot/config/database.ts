/** Parses DATABASE_URL: a SQLite file, or a Postgres with its TLS. */
import { isIP } from 'node:net'
import { z } from 'zod'
import { Secret } from './secret.ts'
import { isDecodable } from './shapes.ts'

/** The memory: a file of this process alone, or a Postgres that several bots may share. Its address holds a password. */
export type Database =
  | { readonly kind: 'sqlite'; readonly path: string }
  | { readonly kind: 'postgres'; readonly url: Secret }

const expected = 'sqlite:PATH, such as sqlite:data/monbot.db, or postgres://USER:PASSWORD@HOST/DATABASE'
const inMemory =
  'the path of a file, such as sqlite:data/monbot.db: in memory every mute and card is forgotten at a restart, and the cards are posted again'
const isPostgres = /^postgres(?:ql)?:/i
const tlsModes = ['disable', 'require', 'verify-ca', 'verify-full'] as const
const hostShape = /^[A-Za-z0-9_](?:[A-Za-z0-9._-]{0,252}[A-Za-z0-9_])?$/

export const database = z.string().transform((value, context): Database => {
  const problem = isPostgres.test(value) ? postgresProblem(value) : sqliteProblem(value)
  if (problem === null) {
    return isPostgres.test(value)
      ? { kind: 'postgres', url: new Secret(value) }
      : { kind: 'sqlite', path: value.slice('sqlite:'.length) }
  }
  context.addIssue({ code: 'custom', message: problem })
  return z.NEVER
})

/** What must never be shown of it, in all its parts. */
export function secretsOf(database: Database): Secret[] {
  if (database.kind === 'sqlite') return []
  const { password } = new URL(database.url.reveal())
  const isTelling = password.length >= passwordCharsMin
  return [
    database.url,
    ...(isTelling ? [new Secret(password), new Secret(decodeURIComponent(password))] : []),
  ]
}

/** A shorter password is hidden within its address only: alone it is a word that lines hold anyway. */
const passwordCharsMin = 6

/** SQLite's names for a database without a file; spaces around them make no difference. */
function sqliteProblem(value: string): string | null {
  if (/^sqlite:\s*(?:file:)?:memory:/i.test(value)) return inMemory
  return /^sqlite:(?!\/\/|\s|file:)[^?#\0]+$/.test(value) ? null : expected
}

/** What is wrong with the address, without any part of it but the names of its parameters. */
function postgresProblem(value: string): string | null {
  const url = URL.parse(value)
  if (url === null || !/^[a-z]+:\/\//i.test(value)) return `${expected}; ${encoded}`
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  if (isIP(host) === 0 && !hostShape.test(host)) return `${expected}, with one host; ${encoded}`
  const parts = [url.username, url.password, url.pathname.slice(1)]
  if (url.hash !== '' || /\s/.test(value) || parts.some((part) => !isDecodable(part))) return encoded
  if (url.username === '') return `${expected}, with the name of a user`
  if (!/^\/[^/]+$/.test(url.pathname)) return `${expected}, with the name of a database`
  return parameterProblem(url.searchParams)
}

const encoded =
  'what is no letter or digit in its user name and password percent-encoded (# as %23, / as %2F, ü as %C3%BC)'

function parameterProblem(given: URLSearchParams): string | null {
  const mode = given.get('sslmode')
  const unknown = [...given.keys()].find((name) => name !== 'sslmode' && name !== 'sslrootcert')
  if (unknown !== undefined) return 'no parameters but sslmode and sslrootcert'
  if (new Set(given.keys()).size < given.size) return 'each parameter once'
  if (mode !== null && !tlsModes.some((one) => one === mode))
    return `sslmode as one of ${tlsModes.join(', ')}`
  const hasRoot = (given.get('sslrootcert') ?? '') !== ''
  if (given.has('sslrootcert') && !hasRoot) return 'the path of a file of certificates as sslrootcert'
  if (hasRoot && (mode === null || mode === 'disable'))
    return 'sslmode=verify-full or verify-ca beside sslrootcert'
  // Whoever holds a certificate of a public authority would pass for the database.
  if (mode === 'verify-ca' && !hasRoot) return 'sslrootcert beside sslmode=verify-ca, or sslmode=verify-full'
  return null
}
