/** Keeps track of the channels that take no cards, by Slack's last answers: one row per channel and kind of call. Pure. */
import type { Outcome } from './delivery.ts'

/** The outcomes after which a card still waits. */
export type TroubleKind = Extract<
  Outcome['kind'],
  'channel_unavailable' | 'no_token' | 'later' | 'unknown' | 'unlisted'
>

export const troubleKinds = keysOf({
  channel_unavailable: true,
  no_token: true,
  unlisted: true,
  unknown: true,
  later: true,
})

/** `why` is Slack's own word or a code; `sinceMs` is when the first call of the row failed like this, epoch milliseconds. */
export type ChannelTrouble = {
  readonly channel: string
  readonly kind: TroubleKind
  readonly why: string
  readonly sinceMs: number
}

/** `find`: a look into the channel's history; `probe`: a question instead of a post, while there is none. */
export type ChatCall = 'post' | 'update' | 'find' | 'probe'

/** The problems, by channel and kind of call. */
export type ChannelTroubles = ReadonlyMap<string, ChannelTrouble & { readonly call: ChatCall }>

/** The problems after a call. `trouble` null: the call succeeded, or was refused for its content alone. */
export function afterCall(
  known: ChannelTroubles,
  { channel, call }: { readonly channel: string; readonly call: ChatCall },
  trouble: { readonly kind: TroubleKind; readonly why: string } | null,
  nowMs: number,
): ChannelTroubles {
  const key = `${channel} ${call}`
  const before = known.get(key)
  const left = [...known].filter(([other, one]) => other !== key && !isOver(one, { channel, call }, trouble))
  if (trouble === null) return new Map(left)
  const sinceMs = before?.kind === trouble.kind ? before.sinceMs : nowMs
  return new Map([...left, [key, { channel, call, kind: trouble.kind, why: trouble.why, sinceMs }]])
}

/** What one call proves of the others. */
function isOver(
  known: ChannelTrouble & { readonly call: ChatCall },
  { channel, call }: { readonly channel: string; readonly call: ChatCall },
  trouble: { readonly kind: TroubleKind } | null,
): boolean {
  // What a post met, only another one disproves.
  if (call === 'probe' && known.call !== 'probe') return false
  // A refused token is the workspace's: whatever else Slack says, it took the token.
  if (known.kind === 'no_token') return trouble === null || trouble.kind === 'channel_unavailable'
  if (known.channel !== channel || trouble !== null) return false
  // An archived channel shows its history all the same, and what is not in it yet may still come.
  if (call === 'find') return false
  // Where posting is restricted, updates work all the same; one may even have been under way as the post was refused.
  if (known.kind === 'channel_unavailable')
    return call === 'post' || known.call !== 'post' || goneCodes.has(known.why)
  return known.call === 'find' || known.call === 'probe'
}

/** The problems after a post whose outcome was unknown was found. */
export function afterFound(known: ChannelTroubles, channel: string): ChannelTroubles {
  return new Map([...known].filter(([, one]) => one.channel !== channel || one.kind !== 'unknown'))
}

/**
 * The problems after somebody opened the channel. Only the next call shows whether that was enough, and there may be none for
 * days.
 */
export function afterReopened(known: ChannelTroubles, channel: string): ChannelTroubles {
  return new Map(
    [...known].filter(([, one]) => one.channel !== channel || one.kind !== 'channel_unavailable'),
  )
}

/** The worst problem of each channel, by the channel's id. */
export function channelTroublesOf(known: ChannelTroubles): readonly ChannelTrouble[] {
  const worst = new Map<string, ChannelTrouble>()
  for (const { channel, kind, why, sinceMs } of known.values()) {
    const other = worst.get(channel)
    if (other === undefined || rank(kind) < rank(other.kind))
      worst.set(channel, { channel, kind, why, sinceMs })
  }
  return [...worst.values()].sort((a, b) => (a.channel < b.channel ? -1 : 1))
}

/** The problems of these channels. One in a channel that no setting names does not matter; a refused token always does. */
export function troublesIn<Of extends { readonly channel: string; readonly kind?: TroubleKind }>(
  channels: readonly string[],
  troubles: readonly Of[],
): Of[] {
  return troubles.filter(({ channel, kind }) => kind === 'no_token' || channels.includes(channel))
}

/** Slack's words for a channel that is archived, deleted, or no longer the bot's: only a person changes that, if ever. */
const goneCodes = new Set(['is_archived', 'is_inactive', 'channel_not_found', 'not_in_channel'])

/**
 * Channels in which nothing can be posted until somebody brings them back. One that is slow or restricted is none of them: it is
 * where people look, and what waits for it follows. Of those that no setting names any more (`wanted`) each that takes nothing is.
 */
export function goneChannels(
  troubles: readonly ChannelTrouble[],
  wanted: readonly string[],
): ReadonlySet<string> {
  const gone = troubles.filter(
    ({ kind, why, channel }) =>
      kind === 'channel_unavailable' && (goneCodes.has(why) || !wanted.includes(channel)),
  )
  return new Set(gone.map(({ channel }) => channel))
}

/** How long it may pass by itself, or be fixed by somebody who is working on it. */
const stoppedAfterMs = 2 * 60_000

/** Since when, and why, no channel takes cards. */
export type Stopped = { readonly sinceMs: number; readonly why: string }

/** That no channel has taken a card for two minutes; null while one may. */
export function stoppedIn(
  known: ChannelTroubles,
  channels: readonly string[],
  nowMs: number,
): Stopped | null {
  const refusals = [...known.values()].filter(isOfPosting).sort((a, b) => a.sinceMs - b.sinceMs)
  const token = refusals.find(({ kind }) => kind === 'no_token')
  const worst = channels.flatMap((channel) => {
    const first = refusals.find((one) => one.channel === channel)
    return first === undefined ? [] : [first]
  })
  // All of them are stopped since the last of them is.
  const last = worst.length < channels.length ? undefined : worst.toSorted((a, b) => b.sinceMs - a.sinceMs)[0]
  const found = token ?? last
  return found === undefined ? null : stoppedSince(found.sinceMs, found.why, nowMs)
}

export function stoppedSince(sinceMs: number, why: string, nowMs: number): Stopped | null {
  return nowMs - sinceMs >= stoppedAfterMs ? { sinceMs, why } : null
}

/** An update that is limited says nothing of posts; a history that may not be read neither. */
function isOfPosting({ call, kind }: ChannelTrouble & { readonly call: ChatCall }): boolean {
  if (call === 'post' || call === 'probe') return true
  return call === 'update' && (kind === 'channel_unavailable' || kind === 'no_token')
}

function rank(kind: TroubleKind): number {
  return troubleKinds.indexOf(kind)
}

/** In the order of the record: the worst first. */
function keysOf<Key extends string>(record: Readonly<Record<Key, true>>): readonly Key[] {
  return Object.keys(record) as Key[]
}
