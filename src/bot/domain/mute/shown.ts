/** What a receipt, a form or a button showed: only that is confirmed, so if it has changed since, the question is asked again. Pure. */
import type { Mute } from './mute.ts'

export type Shown = {
  /** Empty for the account, and where none was shown yet. */
  readonly servers: readonly string[]
  /** Open alerts that it would hide. */
  readonly open: number
  /** Mutes of other people that it listed, by their `muteFingerprint`. */
  readonly mutes: readonly string[]
}

/** What has changed since it was shown. */
export type Difference = {
  /** Shown, but no longer meant: none of their alerts is open, or the glob no longer matches. */
  readonly left: readonly string[]
  /** Meant by now, and not shown. */
  readonly joined: readonly string[]
  /** There was something to hide, and now there is nothing. */
  readonly isAllClosed: boolean
  /** There was nothing to hide, and now there is something. */
  readonly isNewlyOpen: boolean
  /** Mutes that others made or changed since. */
  readonly mutes: readonly Mute[]
}

/** Identifies the terms of a mute among those before and after them. */
export function muteFingerprint({ muteId, termsMs, untilMs }: Mute): string {
  return `${muteId}:${termsMs}:${untilMs ?? ''}`
}

/** Null if what would be done now is what was shown; one alert more or less makes no difference, unless it is the first or the last. */
export function differenceOf(
  shown: Shown,
  now: { readonly servers: readonly string[]; readonly open: number; readonly mutes: readonly Mute[] },
): Difference | null {
  const isListed = shown.servers.length > 0
  const [before, after] = [new Set(shown.servers), new Set(now.servers)]
  const told = new Set(shown.mutes)
  const difference = {
    left: shown.servers.filter((server) => !after.has(server)),
    joined: isListed ? now.servers.filter((server) => !before.has(server)) : [],
    isAllClosed: shown.open > 0 && now.open === 0,
    isNewlyOpen: shown.open === 0 && now.open > 0,
    mutes: now.mutes.filter((mute) => !told.has(muteFingerprint(mute))),
  }
  const { left, joined, isAllClosed, isNewlyOpen, mutes } = difference
  const isSame = left.length + joined.length + mutes.length === 0 && !isAllClosed && !isNewlyOpen
  return isSame ? null : difference
}
