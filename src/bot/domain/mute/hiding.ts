/**
 * Says why an open alert is hidden: by a mute of monbot's, by a silence that somebody made elsewhere, or by another alert that
 * inhibits it. What is hidden gets no card, and reminds nobody.
 */
import type { Alert } from '../alert/alert.ts'
import type { MutedBy } from '../alert/details.ts'
import { type Hideable, isHidden as isMuted, type Mute, muteOf } from './mute.ts'

/** What hides an alert; at least one of the two. */
export type Hiding = {
  /** The mute of monbot's that is shown for it; null: it has none. */
  readonly mute: Mute | null
  /** What else hides it, the last to end first; empty: nothing does. */
  readonly elsewhere: readonly MutedBy[]
}

/** Null: it is not hidden. With a mute that ended and may still be in force at the API. */
export function hidingOf(alert: Hideable, mutes: readonly Mute[]): Hiding | null {
  const mute = muteOf(alert, mutes)
  const elsewhere = elsewhereOf(alert, mute)
  return mute === null && elsewhere.length === 0 ? null : { mute, elsewhere }
}

/**
 * Does one of these mutes hide it, or something elsewhere? `ended`: mutes that are just being ended; what the service made for them
 * ends as well.
 */
export function isHidden(alert: Hideable, mutes: readonly Mute[], ended: readonly Mute[] = []): boolean {
  if (isMuted(alert, mutes)) return true
  if (alert.mutedBy === undefined) return false
  return elsewhereOf(alert, muteOf(alert, mutes) ?? muteOf(alert, ended)).length > 0
}

/** Did somebody decide that it is to be silent, by a mute or a silence? That another alert inhibits it, nobody decided. */
export function isMutedByPeople(alert: Hideable, mutes: readonly Mute[]): boolean {
  return isMuted(alert, mutes) || (alert.mutedBy ?? []).some(({ kind }) => kind === 'silence')
}

/**
 * What hides it besides this mute of monbot's, the last to end first. What the service made for its clients is left out where
 * there is a mute: that says enough.
 */
export function elsewhereOf({ mutedBy = [] }: Pick<Alert, 'mutedBy'>, mute: Mute | null): readonly MutedBy[] {
  const others = mute === null ? mutedBy : mutedBy.filter(({ isOurs }) => !isOurs)
  return others.length < 2 ? others : others.toSorted((a, b) => lastMs(b) - lastMs(a))
}

/** When it ends, for its place in the order: without an end it lasts, if its end is only unknown it comes last, as does an inhibition. */
function lastMs({ kind, untilMs, isOurs }: MutedBy): number {
  if (kind === 'inhibition') return -1
  return untilMs ?? (isOurs ? Number.POSITIVE_INFINITY : 0)
}

/** What waits for somebody comes before what is hidden elsewhere: an alert that inhibits sixty others would stand behind them. */
export function hiddenLast(alerts: readonly Alert[]): readonly Alert[] {
  const isHere = ({ mutedBy }: Alert) => mutedBy === undefined
  return [...alerts.filter(isHere), ...alerts.filter((alert) => !isHere(alert))]
}

/** A silence that somebody made elsewhere, and how many open alerts it hides. */
export type Silence = MutedBy & {
  readonly alerts: number
  /** The service can end it. */
  readonly canEnd: boolean
  /** It is over by the last reading, and believed to be when that has held for a while. */
  readonly isEnding: boolean
}

/** A silence as the service lists it: everything that it hides, and what it matches. */
export type ListedSilence = Omit<MutedBy, 'kind' | 'id'> & {
  readonly id: string
  /** In the Alertmanager's notation: `namespace="pay"`. */
  readonly matchers: readonly string[]
  /** How many open alerts it hides now. */
  readonly hides: number
}

/** What hides open alerts elsewhere. */
export type MutedElsewhere = {
  /** The first to end first; those without an end last. */
  readonly silences: readonly Silence[]
  /** Alerts that a silence hides, and no mute of monbot's. */
  readonly silenced: number
  /** Alerts that are only inhibited. */
  readonly inhibited: number
  /** Which alerts inhibit them, the one that hides most first; without those that are unknown. */
  readonly inhibitors: readonly string[]
}

export function mutedElsewhere(open: readonly Alert[], mutes: readonly Mute[]): MutedElsewhere {
  const silences = new Map<string, Silence>()
  const inhibitors = new Map<string, number>()
  let [silenced, inhibited] = [0, 0]
  for (const alert of open) {
    if (alert.mutedBy === undefined) continue
    const hiding = hidingOf(alert, mutes)
    const by = hiding?.elsewhere ?? []
    const own = by.filter(({ kind }) => kind === 'silence')
    for (const [key, one] of new Map(own.map((entry) => [keyOf(entry), entry])))
      silences.set(key, counted(one, alert, silences.get(key)))
    if (hiding?.mute !== null || by.length === 0) continue
    if (own.length > 0) silenced += 1
    else {
      inhibited += 1
      for (const name of new Set(by.flatMap((one) => one.by ?? [])))
        inhibitors.set(name, (inhibitors.get(name) ?? 0) + 1)
    }
  }
  return {
    silences: [...silences.values()].sort((a, b) => endMs(a) - endMs(b)),
    silenced,
    inhibited,
    inhibitors: [...inhibitors].sort(([, a], [, b]) => b - a).map(([name]) => name),
  }
}

function counted(entry: MutedBy, { details, unmutedMs }: Alert, before: Silence | undefined): Silence {
  const canEnd = entry.id !== null && (details?.canMute === true || before?.canEnd === true)
  // The newest record says best how long it lasts: it may have been extended.
  const latest = before === undefined || endMs(entry) >= endMs(before) ? entry : before
  const isEnding = unmutedMs !== null && before?.isEnding !== false
  return { ...latest, alerts: (before?.alerts ?? 0) + 1, canEnd, isEnding }
}

function endMs({ untilMs }: MutedBy): number {
  return untilMs ?? Number.POSITIVE_INFINITY
}

/** Without an id it is known by what is said of it. */
function keyOf({ id, by, untilMs, why, isOurs }: MutedBy): string {
  return id === null ? JSON.stringify([by, untilMs, why, isOurs]) : `id ${id}`
}
