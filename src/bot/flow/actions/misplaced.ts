/**
 * Detects a mute without an end whose reason contains an end, or names another server: a mistake that would mute for the wrong
 * time.
 */
import { isGlob } from '../../../shared/glob.ts'
import { endBefore, endInReason } from '../../domain/command/mute-text.ts'
import { durationExpected } from '../../domain/command/time-text.ts'
import { invalid, openWords, typedName } from '../../domain/command/words.ts'
import { mutedServersMax } from '../../domain/mute/wide.ts'
import type { Change } from '../../domain/request/actions.ts'
import type { NameBook } from '../../domain/request/name-book.ts'
import { matching } from '../../domain/request/nearest.ts'
import type { Refusal } from '../../domain/request/reply.ts'
import type { Servers } from '../servers.ts'

type MuteServer = Extract<Change, { kind: 'mute_server' }>

/** A longer command would be cut when it is shown. */
const commandCharsMax = 300
const slash = '/mon mute'

/** Null if the reason really is one. */
export async function misplacedIn(
  change: MuteServer,
  servers: Pick<Servers, 'book'>,
): Promise<Refusal | null> {
  const { end, reason, shown } = change
  if (shown !== null || end.kind !== 'default' || reason === '') return null
  const own = change.servers.flatMap((ref) => (ref.by === 'name' ? [ref.name] : []))
  const { named, rest } = serversAtFront(reason, await servers.book())
  if (named.length > 0) {
    const command = written([...new Set([...own, ...named])].map(typedName).join(','), rest)
    if (command !== null) return { why: 'misplaced', what: 'server', came: named.join(', '), command }
    return invalid('servers separated by commas, then a duration', reason)
  }
  return endMisplaced(change, own.map(typedName).join(','))
}

/** The same for what is no server: of its reason only an end is looked for. `what`: as it is typed; null where it cannot be. */
export function endMisplaced(
  { end, reason, shown }: Pick<MuteServer, 'end' | 'reason' | 'shown'>,
  what: string | null,
): Refusal | null {
  const found = shown !== null || end.kind !== 'default' ? null : endInReason(reason)
  if (found === null) return null
  const first = found.end === null ? null : endBefore(found.end, found.reason)
  const command = first === null || what === null ? null : written(what, first)
  return command === null
    ? invalid(`the time before the reason: ${durationExpected}, until 15:00 or from 22:00 for 2h`, reason)
    : { why: 'misplaced', what: 'end', came: found.end ?? '', command }
}

/** `web-2, web-3 and db-* 2h`: the known servers, and what follows them. */
function serversAtFront(reason: string, book: NameBook) {
  const isKnown = (name: string) =>
    isGlob(name) ? matching(name, book.names).length > 0 : book.has(book.meant(name))
  const words = openWords(reason)
  const named: string[] = []
  let rest = reason
  for (;;) {
    words.keyword('and', '&', '+')
    const names = words.names()
    const isFew = names.length > 0 && names.length + named.length <= mutedServersMax
    if (!isFew || !names.every(isKnown)) return { named, rest }
    named.push(...names)
    rest = words.left()
  }
}

/** Null if it is too long to be shown whole. */
function written(what: string, after: string): string | null {
  const command = `${slash} ${what} ${after}`.trim()
  return command.length > commandCharsMax ? null : command
}
