/** One alert in a list: what and where, then what commands know it by, since when, who has it, and whether it is muted. */
import type { Alert } from '../../../domain/alert/alert.ts'
import { type Mute, muteOf } from '../../../domain/mute/mute.ts'
import { escapedWithin, link } from '../../mrkdwn.ts'
import { headline, hostWords, idOf, lostWords, markOf } from '../cards/alert-card.ts'
import { endWords, inBlocks, person, serverOf } from './phrases.ts'

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
  const joinedTo = (recent: string, facts: readonly string[]) =>
    `${recent}${isCompact ? ' · ' : '\n'}${facts.join(' · ')}`
  const short = factsOf(alert, mutes)
  const withFacts = (recent: string) => joinedTo(recent, [...short, ...hostWords(alert)])
  const linked = withFacts(headline(alert, (label) => `*${link(alert.url, label)}*`))
  if (linked.length <= charsMax) return linked
  const bare = withFacts(headline(alert, (label) => `*${label}*`))
  if (bare.length <= charsMax) return bare
  const partMax = Math.floor((charsMax - joinedTo(`${markOf(alert)} ** on  — `, short).length) / 3)
  const [plugin, server, title] = [alert.plugin, serverOf(alert), alert.title].map((part) =>
    escapedWithin(part, partMax),
  )
  return joinedTo(`${markOf(alert)} *${plugin} on ${server}* — ${title}`, short)
}

function factsOf(alert: Alert, mutes: readonly Mute[]): string[] {
  return [
    idOf(alert),
    timeOf(alert),
    ...lostWords(alert, inBlocks),
    ...(alert.ackedBy === null ? [] : [`👀 acknowledged by ${person(alert.ackedBy)}`]),
    ...(alert.state === 'open' ? mutedWords(muteOf(alert.hostname, mutes)) : []),
  ]
}

function timeOf(alert: Alert): string {
  switch (alert.state) {
    case 'open':
    case 'unreported':
      return `since ${inBlocks(alert.startedMs)}`
    case 'oneoff':
      return `at ${inBlocks(alert.startedMs)}`
    case 'closed':
      return alert.closedMs === null
        ? `started ${inBlocks(alert.startedMs)}`
        : `closed ${inBlocks(alert.closedMs)}`
  }
}

function mutedWords(mute: Mute | null): string[] {
  if (mute === null) return []
  return [`🔕 ${mute.hostname === null ? 'account muted' : 'muted'} ${endWords(mute, inBlocks)}`]
}
