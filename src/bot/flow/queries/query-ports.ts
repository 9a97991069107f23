/** What all queries share: their ports, which only read, and the servers that a name or a glob means. */

import { isGlob } from '../../../shared/glob.ts'
import type { Answer, Health } from '../../domain/request/answer.ts'
import { matching } from '../../domain/request/nearest.ts'
import type { Refusal, Reply } from '../../domain/request/reply.ts'
import type { Charts } from '../chart.ts'
import type { Clock, Directory, Draw, Logger, Monitor } from '../ports/ports.ts'
import type { Store } from '../ports/store.ts'
import type { Servers } from '../servers.ts'

export type AskPorts = {
  readonly monitor: Pick<Monitor, 'roles' | 'triggers'>
  readonly store: Pick<
    Store,
    | 'audit'
    | 'outagesSince'
    | 'planned'
    | 'countCards'
    | 'countIgnored'
    | 'countUnshown'
    | 'findAlerts'
    | 'hostnames'
    | 'mutes'
    | 'openAlerts'
    | 'lostAlerts'
    | 'recallByNumbers'
    | 'recallByEnding'
    | 'report'
    | 'happened'
    | 'openedAlerts'
    | 'unrest'
  >
  readonly clock: Pick<Clock, 'nowMs' | 'wait'>
  readonly logger: Logger
  readonly directory: Pick<Directory, 'zoneOf'>
  readonly servers: Pick<Servers, 'names' | 'book' | 'unread' | 'similar'>
  readonly charts: Charts
  readonly draw: Pick<Draw, 'bars'>
  readonly health: () => Health
}

export function answered(answer: Answer): Reply {
  return { kind: 'answer', answer }
}

export function refused(refusal: Refusal): Reply {
  return { kind: 'refused', refusal }
}

/** A glob in a query may match this many servers. */
const serversMax = 1_000

type Meant =
  | { readonly ok: true; readonly hostnames: readonly [string, ...string[]] }
  | { readonly ok: false; readonly refusal: Refusal }

/**
 * The servers that a name or glob matches; case is ignored, unless two names differ only in case, and a display name means
 * its server. The store is read first, so that old alerts can be read while the API is down. May throw an `OutsideFailure`.
 */
export async function serversMeant(
  pattern: string,
  { store, servers }: Pick<AskPorts, 'store' | 'servers'>,
): Promise<Meant> {
  const remembered = meantOf(pattern, await store.hostnames())
  if (remembered !== null) return remembered
  const book = await servers.book()
  const unread = servers.unread()
  const found = meantOf(pattern, book.names)
  if (found !== null) return found
  if (isGlob(pattern)) return { ok: false, refusal: { why: 'no_match', pattern, unread } }
  const hostname = book.meant(pattern)
  if (book.has(hostname)) return { ok: true, hostnames: [hostname] }
  const [similar = []] = await servers.similar([pattern])
  return { ok: false, refusal: { why: 'unknown_server', server: pattern, similar, unread } }
}

function meantOf(pattern: string, known: readonly string[]): Meant | null {
  const found = matching(pattern, known)
  const [first, ...rest] = found.includes(pattern) ? [pattern] : found
  if (first === undefined) return null
  const count = rest.length + 1
  return count > serversMax
    ? { ok: false, refusal: { why: 'too_many_servers', to: 'ask_about', count, max: serversMax } }
    : { ok: true, hostnames: [first, ...rest] }
}
