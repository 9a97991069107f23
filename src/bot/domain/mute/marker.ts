/** The markers that monbot drops by itself, and what they say on a chart. Plain text: charts know no Slack. */
import type { Alert } from '../alert/alert.ts'
import { countsOf } from '../base/counts.ts'
import { alertWords, isOfAccount, type Mute, type MuteTerms } from './mute.ts'

/** For a mute or a change of roles, once the message that tells of it can be linked to. */
export type NewMarker = {
  readonly markerId: string
  /** Without the link, which is appended when there is one. */
  readonly text: string
  /** The card whose permalink goes with it; null: none. */
  readonly cardId: string | null
}

/** No marker waits longer for its next try. */
export const markerWaitMaxMs = 60 * 60_000

/** `sending` found at start-up, and no clear answer, are `unknown`: the API lists no markers, so it is not repeated. */
export type MarkerState = 'wanted' | 'sending' | 'dropped' | 'unknown' | 'failed'

const namesShownMax = 10
/** Of many alerts at once, where three lists share a text. */
const countsShownMax = 5

/** `muted web-1 until 2026-11-21 15:00 UTC by U1 — deploying`; `hostnames` null is the account. */
export function muteMarker(hostnames: readonly string[] | null, terms: MuteTerms): string {
  const what = hostnames === null ? 'the account' : namesText(hostnames)
  const reason = terms.reason === '' ? '' : ` — ${terms.reason}`
  return `muted ${what} ${untilText(terms)} by ${terms.userId}${reason}`
}

/** `unmuted web-1 (its time was over) — deploying`. */
export function unmuteMarker(mute: Mute): string {
  const { endedBy, endedByUserId, reason } = mute
  const why = {
    deadline: 'its time was over',
    healthy: 'nothing was open any more',
    person: `by ${endedByUserId ?? 'hand'}`,
    undo: 'the mute was taken back',
    interrupted: 'the mute failed',
    gone: 'the monitoring does not know it any more',
    elsewhere: 'somebody ended it at the Alertmanager',
  }[endedBy ?? 'interrupted']
  return `unmuted ${isOfAccount(mute) ? 'the account' : wordsOf(mute)} (${why})${reason === '' ? '' : ` — ${reason}`}`
}

/** The server or the alert, in plain words. */
export function wordsOf({ subject, alert }: Pick<Mute, 'subject' | 'alert'>): string {
  return alert === null ? (subject ?? '') : alertWords(alert)
}

/** Mutes of several servers that one person ended at once. */
export function unmutesMarker(hostnames: readonly string[], userId: string): string {
  return `unmuted ${namesText(hostnames)} (by ${userId})`
}

/** Mutes of several servers that one person took back at once. */
export function undoneMarker(hostnames: readonly string[], userId: string): string {
  return `unmuted ${namesText(hostnames)} (the mute was taken back by ${userId})`
}

export function rolesMarker(hostname: string, roles: readonly string[], userId: string): string {
  return `added ${hostname} to ${roles.length === 1 ? 'role' : 'roles'} ${namesText(roles)} by ${userId}`
}

/** `30 alerts at once since 2026-11-21 14:02 UTC: Load Average ×20, Disk ×10; most on web-1 ×3, web-2 ×2 and 12 more`. */
export function manyMarker(alerts: readonly Alert[]): string {
  if (alerts.length === 0) return ''
  const firstMs = alerts.reduce(
    (first, { startedMs }) => Math.min(first, startedMs),
    Number.POSITIVE_INFINITY,
  )
  const what = countsText(alerts.map(({ plugin }) => plugin))
  const where = countsText(alerts.map(({ hostname }) => hostname))
  return `${alerts.length} alerts at once since ${timeText(firstMs)}: ${what}; most on ${where}`
}

function countsText(names: readonly string[]): string {
  const { most, names: all } = countsOf(names, countsShownMax)
  const more = all - countsShownMax
  const shown = most.map(({ name, count }) => `${name} ×${count}`)
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

function timeText(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`
}

function untilText({ mode, untilMs }: MuteTerms): string {
  const time = untilMs === null ? '' : timeText(untilMs)
  switch (mode) {
    case 'timed':
      return `until ${time}`
    case 'healthy':
      return `until healthy (max ${time})`
    case 'open':
      return 'until unmuted'
  }
}

function namesText(names: readonly string[]): string {
  const more = names.length - namesShownMax
  return `${names.slice(0, namesShownMax).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}
