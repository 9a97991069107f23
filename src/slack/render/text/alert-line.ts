/** One alert in a list: what and where, then what commands know it by, since when, who has it, and whether it is muted. */
import type { Alert } from '../../../domain/alert/alert.ts'
import { type Mute, muteOf } from '../../../domain/mute/mute.ts'
import { hostWords, idOf, lostWords } from '../cards/alert-card.ts'
import { headline } from './headline.ts'
import { endWords, inBlocks, person } from './phrases.ts'

/** Less room than this cannot hold what must stand in a line. */
export const alertCharsMin = 480

/**
 * The fullest that fits in `charsMax` (at least `alertCharsMin`): with the alert's link, without it, or with the names
 * cut and without the host's. On two lines, or on one where `isCompact`.
 */
export function alertLine(
  alert: Alert,
  { mutes, charsMax, isCompact }: { mutes: readonly Mute[]; charsMax: number; isCompact: boolean },
): string {
  const short = factsOf(alert, mutes)
  const joined = (facts: readonly string[], lineMax?: number) =>
    [headline(alert, inBlocks, lineMax), facts.join(' · ')].join(isCompact ? ' · ' : '\n')
  const whole = joined([...short, ...hostWords(alert)])
  return whole.length <= charsMax ? whole : joined(short, charsMax - short.join(' · ').length - ' · '.length)
}

/** What its headline does not say. */
function factsOf(alert: Alert, mutes: readonly Mute[]): string[] {
  const { state, ackedBy, closedMs, startedMs } = alert
  const isOver = state === 'closed' || state === 'unreported'
  const time = closedMs === null ? `since ${inBlocks(startedMs)}` : `closed ${inBlocks(closedMs)}`
  return [
    idOf(alert),
    ...(isOver ? [time] : []),
    ...lostWords(alert, inBlocks),
    ...(isOver && ackedBy !== null ? [`👀 acknowledged by ${person(ackedBy)}`] : []),
    ...(state === 'open' ? mutedWords(muteOf(alert.hostname, mutes)) : []),
  ]
}

function mutedWords(mute: Mute | null): string[] {
  if (mute === null) return []
  return [`🔕 ${mute.hostname === null ? 'account muted' : 'muted'} ${endWords(mute, inBlocks)}`]
}
