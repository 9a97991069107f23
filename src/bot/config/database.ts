/** DATABASE_URL: a SQLite file, or a Postgres with its TLS. What is wrong with it is said without any part of it. */
import { isIP } from 'node:net'
import { z } from 'zod'
import { Secret } from './secret.ts'

export type DatabaseUrl =
  | { readonly kind: 'sqlite'; readonly path: string }
  | { readonly kind: 'postgres'; readonly url: Secret }

const expected = 'sqlite:PATH, such as sqlite:data/monbot.db, or postgres://USER:PASSWORD@HOST/DATABASE'
const encoded = 'a user name and password percent-encoded (# as %23, / as %2F, ü as %C3%BC)'
const inMemory = 'the path of a file, such as sqlite:data/monbot.db: memory forgets every mute at a restart'
const modes = ['disable', 'require', 'verify-ca', 'verify-full']
const hostShape = /^[A-Za-z0-9_](?:[A-Za-z0-9._-]{0,252}[A-Za-z0-9_])?$/

export const databaseUrl = z.string().transform((value, context): DatabaseUrl => {
  const isPostgres = /^postgres(?:ql)?:/i.test(value)
  const problem = isPostgres ? postgresProblem(value) : sqliteProblem(value)
  if (problem !== null) {
    context.addIssue({ code: 'custom', message: problem })
    return z.NEVER
  }
  return isPostgres
    ? { kind: 'postgres', url: new Secret(value) }
    : { kind: 'sqlite', path: value.slice('sqlite:'.length) }
})

function sqliteProblem(value: string): string | null {
  if (/^sqlite:\s*(?:file:)?:memory:/i.test(value)) return inMemory
  return /^sqlite:(?!\/\/|\s|file:)[^?#\0]+$/.test(value) ? null : expected
}

function postgresProblem(value: string): string | null {
  const url = URL.parse(value)
  if (url === null || !/^[a-z]+:\/\//i.test(value)) return `${expected}; ${encoded}`
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  if (isIP(host) === 0 && !hostShape.test(host)) return `${expected}, with one host; ${encoded}`
  const parts = [url.username, url.password, url.pathname.slice(1)]
  if (url.hash !== '' || /\s/.test(value) || !parts.every(isDecodable)) return encoded
  if (url.username === '') return `${expected}, with the name of a user`
  if (!/^\/[^/]+$/.test(url.pathname)) return `${expected}, with the name of a database`
  return tlsProblem(url.searchParams)
}

function tlsProblem(given: URLSearchParams): string | null {
  const mode = given.get('sslmode')
  const root = given.get('sslrootcert')
  if ([...given.keys()].some((name) => name !== 'sslmode' && name !== 'sslrootcert'))
    return 'no parameters but sslmode and sslrootcert'
  if (new Set(given.keys()).size < given.size) return 'each parameter once'
  if (mode !== null && !modes.includes(mode)) return `sslmode as one of ${modes.join(', ')}`
  if (root === '') return 'the path of a file of certificates as sslrootcert'
  if (root !== null && (mode === null || mode === 'disable'))
    return 'sslmode=verify-full or verify-ca beside sslrootcert'
  // Whoever holds a certificate of a public authority would pass for the database.
  if (mode === 'verify-ca' && root === null) return 'sslrootcert beside sslmode=verify-ca, or verify-full'
  return null
}

/** Is it UTF-8, percent-encoded or not? */
export function isDecodable(part: string): boolean {
  try {
    decodeURIComponent(part)
    return true
  } catch {
    return false
  }
}
