/** Which mutes are confirmed before they are made: those that hide more than somebody may have meant. Pure. */

import { isGlob } from '../../../shared/glob.ts'
import { dayMs, hourMs } from '../base/duration.ts'
import type { Change } from '../request/actions.ts'
import type { Via } from '../request/intent.ts'
import type { Refusal } from '../request/reply.ts'
import type { Mute, MuteTerms } from './mute.ts'
import type { Subject } from './subject.ts'

const longMs = dayMs
/** Alerts muted by themselves at once: more of them are a server, a label or a rule. */
export const alertMutesMax = 500
/** Names that one request may hold. */
export const mutedServersMax = 50
/** What a card or patterns mean at once: nobody types those names, and the receipt says how many they are. */
export const serversAtOnceMax = 2_000

type End = Pick<MuteTerms, 'mode' | 'untilMs'>

/** The mutes of other people on these servers or this trouble, and on the account as a whole; null: on that alone. */
export function othersMutes(
  userId: string,
  subjects: readonly string[] | null,
  mutes: readonly Mute[],
): readonly Mute[] {
  const named = new Set<Subject>([null, ...(subjects ?? [])])
  return mutes.filter((mute) => mute.state === 'active' && mute.userId !== userId && named.has(mute.subject))
}

/** Would this mute end sooner by that one? A server's does not touch the account's. */
export function isShortened(
  live: Mute,
  terms: End & { readonly servers: readonly string[]; readonly alert?: { readonly subject: string } },
): boolean {
  if ((live.subject === null) !== (terms.servers.length === 0 && terms.alert === undefined)) return false
  // Healthy may be any moment, whatever its latest time.
  if (terms.mode === 'healthy' && live.mode !== 'healthy') return true
  return (terms.untilMs ?? Number.POSITIVE_INFINITY) < (live.untilMs ?? Number.POSITIVE_INFINITY)
}

/** Too many names are refused before anything is looked up. Null if allowed. */
export function tooManyNames(change: Change): Refusal | null {
  const count = change.kind === 'mute_server' ? change.servers.length : 0
  return count > mutedServersMax ? { why: 'too_many_servers', to: 'mute', count, max: mutedServersMax } : null
}

/**
 * A glob, labels, more than one server, more than a day (until a clock time 23 hours), or no end. Until healthy may be long as well:
 * people who choose it on a card see the alert that it waits for, people who type it do not.
 */
export function isWide(
  change: Extract<Change, { kind: 'mute_server' | 'mute_alert' }>,
  terms: Pick<MuteTerms, 'mode' | 'untilMs'>,
  { via, nowMs }: { readonly via: Via; readonly nowMs: number },
): boolean {
  if (change.kind === 'mute_server') {
    if (change.servers.length > 1) return true
    if (change.servers.some((ref) => ref.by === 'name' && isGlob(ref.name))) return true
  } else if (change.matchers !== undefined) return true
  if (terms.mode === 'healthy') return via === 'command'
  // A clock time that has just passed is tomorrow's, and may have been meant otherwise.
  const askedMs = change.end.kind === 'at' ? longMs - hourMs : longMs
  return terms.untilMs === null || terms.untilMs - nowMs > askedMs
}
