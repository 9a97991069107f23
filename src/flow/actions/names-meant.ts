/** The servers that typed names and globs mean: all of them are looked up before anything is done to one. */
import { setImmediate as breath } from 'node:timers/promises'
import { isGlob } from '../../domain/base/glob.ts'
import { matching } from '../../domain/request/nearest.ts'
import type { Servers } from '../servers.ts'
import type { Found } from './context.ts'

/**
 * A single name may be of a server that only the API knows, and the API then says so. `shown`: those known when the question
 * was shown.
 */
export async function namesMeant(
  typed: readonly string[],
  shown: readonly string[],
  servers: Pick<Servers, 'book' | 'similar' | 'unread'>,
): Promise<Found<readonly string[]>> {
  const [only, ...others] = typed
  if (only === undefined || (others.length === 0 && !isGlob(only))) return { ok: true, found: typed }
  const book = await servers.book()
  const unread = servers.unread()
  const confirmed = new Set(shown)
  // A list that cannot be read does not prove that a server is gone.
  const known = unread === null ? book.names : [...new Set([...book.names, ...shown])]
  const found = new Set<string>()
  const unknown: string[] = []
  for (const name of typed) {
    const names = isGlob(name) ? matching(name, known) : book.has(name) || confirmed.has(name) ? [name] : []
    if (names.length === 0) unknown.push(name)
    for (const one of names) found.add(one)
    // Many globs among thousands of names take time, and somebody else may be waiting for an answer.
    if (isGlob(name)) await breath()
  }
  if (unknown.length === 0) return { ok: true, found: [...found] }
  if (others.length === 0) return { ok: false, refusal: { why: 'no_match', pattern: only, unread } }
  const similar = await servers.similar(unknown)
  const refused = unknown.map((server, at) => ({ server, similar: similar[at] ?? [] }))
  return { ok: false, refusal: { why: 'unknown_servers', servers: refused, unread } }
}
