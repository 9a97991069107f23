/** A mute: notifications switched off for one server or for the account, by somebody, until something. */

/** `timed`: until `untilMs`; `healthy`: until the server was well for a while, at `untilMs` at the latest; `open`: until unmuted. */
export type MuteMode = 'timed' | 'healthy' | 'open'

/**
 * - `asked`: on disk, and the API is being asked; found at start-up it becomes `ending`
 * - `active`: the API said yes
 * - `ending`: notifications are to be switched on again, and the API has not confirmed it yet
 * - `ended`: history
 */
export type MuteState = 'asked' | 'active' | 'ending' | 'ended'

/**
 * Why it ended: its time came, the server was well, somebody ended or undid it, it never became one, or the API does not know
 * the server any more (`gone`: whether notifications are on nobody can say).
 */
export type MuteEndedBy = 'deadline' | 'healthy' | 'person' | 'undo' | 'interrupted' | 'gone'

/** What a repeated mute replaced, for the undo. */
export type MuteTerms = {
  readonly mode: MuteMode
  readonly untilMs: number | null
  readonly userId: string
  readonly reason: string
}

/** Times are epoch milliseconds. One row that is not `ended` a subject at most. */
export type Mute = MuteTerms & {
  readonly muteId: string
  /** Null: the account. */
  readonly hostname: string | null
  readonly state: MuteState
  /** When the first of its terms began: it has hidden alerts since then. */
  readonly startedMs: number
  /** When the present terms were given; an undo is possible for a minute after. */
  readonly termsMs: number
  readonly previous: MuteTerms | null
  /** Where changes of it are announced: the channel, and the card whose thread it is. */
  readonly channel: string
  readonly cardId: string | null
  /** When the hand-back was planned, null before. */
  readonly handbackMs: number | null
  readonly endedMs: number | null
  readonly endedBy: MuteEndedBy | null
  /** The person who ended it; null when nobody did. */
  readonly endedByUserId: string | null
  /** Failed attempts in a row to end it at the API, and when the next one is due. */
  readonly attempts: number
  readonly notBeforeMs: number
  /** Since when the API says, whenever it says anything, that it does not know the server; null while it does not. */
  readonly goneMs: number | null
  /** Grows with every change; a plan made on an older version is stale. */
  readonly version: number
}

/** Some servers' mutes; null: all. Those of the account come with them, as they keep these servers quiet too. */
export type Over = string | readonly (string | null)[] | null

/**
 * So many failed attempts in a row to end a mute make it one that hides nothing any more: its time is over, and nobody
 * knows when the API will take its end.
 */
export const hidesForAttempts = 3

/** Is the server quiet because of one of these: its own mute, or the account's? One that has just begun to end still hides. */
export function isHidden(hostname: string, mutes: readonly Mute[]): boolean {
  return byServer(mutes, 'hiding').has(hostname) || byServer(mutes, 'hiding').has(null)
}

/** A server counts as muted only once the API has confirmed it. */
export function isInForce({ state, endedBy }: Mute): boolean {
  return state === 'active' || (state === 'ending' && endedBy !== 'interrupted')
}

/** The mute that silences a server: its own before the account's; null when it is not muted. */
export function muteOf(hostname: string, mutes: readonly Mute[]): Mute | null {
  const live = byServer(mutes, 'live')
  return live.get(hostname) ?? live.get(null) ?? null
}

/** The whole account is muted, until then where its end is known; null: it has none, or is being unmuted. */
type Silence = { readonly untilMs: number | null }

/** Present where the account's mute keeps a server silent, whatever becomes of the server's own mute. */
export type Silenced = { readonly accountMuted?: Silence }

export function silencedBy(mutes: readonly Mute[]): Silenced {
  const account = byServer(mutes, 'live').get(null)
  if (account === undefined) return {}
  return { accountMuted: { untilMs: account.state === 'active' ? account.untilMs : null } }
}

type ByServer = ReadonlyMap<string | null, Mute>

/** Each list is indexed once, as thousands of servers may be looked up among thousands of mutes. */
const read = new WeakMap<readonly Mute[], Readonly<Record<'live' | 'hiding', ByServer>>>()

function byServer(mutes: readonly Mute[], which: 'live' | 'hiding'): ByServer {
  const known = read.get(mutes)
  if (known !== undefined) return known[which]
  const live = mutes.filter(isInForce)
  const found = { live: firstByServer(live), hiding: firstByServer(live.filter(hides)) }
  read.set(mutes, found)
  return found[which]
}

function firstByServer(mutes: readonly Mute[]): ByServer {
  return new Map(mutes.toReversed().map((mute) => [mute.hostname, mute]))
}

function hides({ state, attempts }: Mute): boolean {
  return state === 'active' || attempts < hidesForAttempts
}
