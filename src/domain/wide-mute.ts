/** Which mutes are confirmed before they are done: those that hide more than somebody may have meant. Pure. */
import type { Change, Via } from './intent.ts'
import type { Mute, MuteTerms } from './mute.ts'

const longMs = 24 * 60 * 60_000
export const mutedServersMax = 50
/** From the card of many alerts at once: nobody types those names, and the receipt says how many they are. */
export const cardServersMax = 2_000

export function isGlob(name: string): boolean {
  return /[*?]/.test(name)
}

type End = Pick<MuteTerms, 'mode' | 'untilMs'>

/** The mutes of other people that would end sooner by this one. */
export function shortenedBy(
  terms: End & Pick<MuteTerms, 'userId'>,
  hostnames: readonly string[],
  mutes: readonly Mute[],
): readonly Mute[] {
  const isOthers = (mute: Mute) =>
    mute.state === 'active' && mute.hostname !== null && mute.userId !== terms.userId
  const named = new Set<string | null>(hostnames)
  return mutes.filter((mute) => isOthers(mute) && named.has(mute.hostname) && isSooner(terms, mute))
}

function isSooner(terms: End, live: End): boolean {
  // Healthy may be any moment, whatever its latest time.
  if (terms.mode === 'healthy' && live.mode !== 'healthy') return true
  return (terms.untilMs ?? Number.POSITIVE_INFINITY) < (live.untilMs ?? Number.POSITIVE_INFINITY)
}

/**
 * A glob, more than one server, longer than a day, and without an end. Until healthy may be long as well: who chose it
 * from a card's select sees the alert it waits for, who typed it does not.
 */
export function isWide(
  change: Extract<Change, { kind: 'mute_server' }>,
  terms: Pick<MuteTerms, 'mode' | 'untilMs'>,
  { via, nowMs }: { readonly via: Via; readonly nowMs: number },
): boolean {
  if (change.servers.length > 1) return true
  if (change.servers.some((ref) => ref.by === 'name' && isGlob(ref.name))) return true
  if (terms.mode === 'healthy') return via === 'command'
  return terms.untilMs === null || terms.untilMs - nowMs > longMs
}
