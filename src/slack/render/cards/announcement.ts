/** A change that somebody made, told to everyone in one line: who, what, until when, why. */

import { numberOf } from '../../../domain/alert/episode.ts'
import type { AuditEntry, AuditOutcome } from '../../../domain/request/audit.ts'
import { escapedWithin } from '../../mrkdwn.ts'
import { type Rendered, section, textOf } from '../text/message-parts.ts'
import {
  counted,
  endWords,
  inBlocks,
  inText,
  listed,
  name,
  person,
  reasonWords,
  serverName,
  termsWords,
  type When,
} from '../text/phrases.ts'

const namesShown = 8
const beforeShown = 3
/** Once it is escaped; with all else a line stays below a section's 3,000 characters. */
const ownWordsLengthMax = 1_500

export function renderTold(entry: AuditEntry): Rendered {
  return {
    text: textOf([toldLine(entry, inText)], ''),
    blocks: [section(toldLine(entry, inBlocks))],
  }
}

/** `🔕 <@U1> muted *web-1* until 15:00 — deploying`. */
export function toldLine(entry: AuditEntry, when: When): string {
  if (entry.act === 'end_mute' && entry.why === 'unknown_server') return goneLine(entry)
  if (entry.act === 'end_mute' && entry.outcome !== 'done') return stuckLine(entry)
  if (entry.act === 'repeat_switch') return notRepeatedLine(entry)
  return `${actLine(entry, when)}${doubts[entry.outcome]}`
}

/** Its time is over, and notifications stay off. */
function stuckLine(entry: AuditEntry): string {
  const why = entry.detail.answer === undefined ? '' : ` (${own(entry.detail.answer)})`
  return `⚠️ The ${mutesOf(entry)} ${isMany(entry) ? 'are' : 'is'} over, but the monitoring API does not switch notifications on again${why}. monbot goes on trying, and shows what is open there from now on.`
}

/** Nobody can say whether notifications are on. */
function goneLine(entry: AuditEntry): string {
  return `🔔 The ${mutesOf(entry)} ${isMany(entry) ? 'are' : 'is'} over: the monitoring API does not know ${isMany(entry) ? 'these servers' : 'the server'} any more, so whether notifications are on is not known.`
}

/** Told only where it fails: a request from before may have been carried out late. */
function notRepeatedLine(entry: AuditEntry): string {
  const isMuted = entry.detail.muteId !== undefined
  const why = entry.detail.answer === undefined ? '' : ` (${own(entry.detail.answer)})`
  return `⚠️ Notifications of ${subjectOf(entry)} may be ${isMuted ? 'on, though it is muted' : 'off, though it is not muted'}: the monitoring API may have carried out an earlier request late, and does not take the repeat${why}. monbot goes on trying.`
}

const doubts: Record<AuditOutcome, string> = {
  done: '',
  nothing: ' (it was so already)',
  refused: ' (refused: nothing changed)',
  failed: ' (failed: nothing changed)',
  unknown: ' (the monitoring API gave no clear answer: whether it was done is not known)',
}

function actLine(entry: AuditEntry, when: When): string {
  const { act, detail } = entry
  const who = person(entry.userId)
  const what = subjectOf(entry)
  const until = endWords({ mode: detail.mode ?? 'open', untilMs: detail.untilMs ?? null }, when)
  const why = reasonWords(detail.reason)
  switch (act) {
    case 'mute_server':
      return `🔕 ${who} muted ${what} ${until}${why}${beforeWords(entry, when)}`
    case 'unmute_server':
      return `🔔 ${who} unmuted ${what}: notifications are on again`
    case 'mute_account':
      return `🔕 ${who} muted the whole account: notifications of all servers are off ${until}${why}${beforeWords(entry, when)}`
    case 'unmute_account':
      return `🔔 ${who} unmuted the whole account: notifications are on again`
    case 'extend_mute':
      return `🔕 ${who} extended the mute of ${what}: muted ${until}${why}`
    case 'undo_mute':
      if (detail.names !== undefined) {
        const now = detail.before === undefined ? 'notifications are on again' : 'what was before holds again'
        return `🔔 ${who} undid the mutes of ${what}: ${now}${beforeWords(entry, when)}`
      }
      return detail.mode === undefined
        ? `🔔 ${who} undid the mute of ${what}: notifications are on again`
        : `🔕 ${who} undid the last change of the mute of ${what}: muted ${until}${why}`
    case 'add_roles':
      return `🏷️ ${who} added ${what} to the role${detail.roles?.length === 1 ? '' : 's'} ${rolesOf(entry)}`
    case 'add_marker':
      return `📍 ${who} dropped a marker: ${own(detail.text)}`
    case 'acknowledge':
      return `👀 ${who} acknowledged ${alertOf(entry)}`
    case 'acknowledge_all':
      return `👀 ${who} acknowledged ${detail.alerts === undefined ? 'all alerts' : counted(detail.alerts, 'alert')} of this list`
    case 'add_note':
      return `📝 ${who} wrote about ${alertOf(entry)}: ${own(detail.text)}`
    case 'set_no_data':
      return `📨 ${who} changed who is notified if ${what} sends no data: ${own(detail.group)}`
    case 'delete_server':
      return `🗑️ ${who} deleted the server ${what}`
    case 'delete_metrics':
      return `🗑️ ${who} deleted ${counted(detail.names?.length ?? 0, 'custom metric')}: ${namesOf(entry)}`
    case 'end_mute':
      return `🔔 The ${mutesOf(entry)} ${isMany(entry) ? 'have' : 'has'} ended: notifications are on again`
    case 'repeat_switch':
      return `🔔 Notifications of ${what} were set once more`
    case 'hand_back':
      if (detail.owner === undefined) return `⏰ The mute of ${what} ends soon`
      return `⏰ ${person(detail.owner)}, your ${mutesOf(entry)} ${isMany(entry) ? 'end' : 'ends'} ${endWhen(detail.untilMs, when)}${why}\n*Mute servers…* on the card above mutes what is still open there.`
    case 'remind':
      return `⏰ Nobody has acknowledged ${alertOf(entry)} yet`
  }
}

/** One server, several that were changed at once, or the account. */
function subjectOf(entry: AuditEntry): string {
  const { names } = entry.detail
  if (entry.hostname !== null) return serverName(entry.hostname)
  if (names === undefined || names.length === 0) return serverName(null)
  return names.length === 1 ? serverName(names[0] ?? null) : `*${names.length} servers* (${namesOf(entry)})`
}

/** More than one is told of at once. */
function isMany({ hostname, detail }: AuditEntry): boolean {
  return hostname === null && (detail.names?.length ?? 0) > 1
}

function mutesOf(entry: AuditEntry): string {
  return `${isMany(entry) ? 'mutes' : 'mute'} of ${subjectOf(entry)}`
}

function endWhen(untilMs: number | undefined, when: When): string {
  return untilMs === undefined ? 'soon' : when(untilMs)
}

/** Whose mute it took the place of, so that nobody's words go without a trace. */
function beforeWords({ hostname, detail, act }: AuditEntry, when: When): string {
  const before = detail.before ?? []
  if (before.length === 0) return ''
  const isOne = hostname !== null || act === 'mute_account'
  const parts = before
    .slice(0, beforeShown)
    .map((terms) => `${isOne ? '' : `${serverName(terms.hostname)} `}${termsWords(terms, when)}`)
  const rest = before.length - parts.length
  return `\n${act === 'undo_mute' ? 'Muted again' : 'Before'}: ${parts.join('; ')}${rest > 0 ? `; and ${rest} more` : ''}`
}

function namesOf({ detail }: AuditEntry): string {
  return listed((detail.names ?? []).map(name), namesShown)
}

function rolesOf({ detail }: AuditEntry): string {
  return listed((detail.roles ?? []).map(name), namesShown)
}

function alertOf({ alertId, hostname }: AuditEntry): string {
  const on = hostname === null ? '' : ` on ${serverName(hostname)}`
  return alertId === null ? `an alert${on}` : `#${name(numberOf(alertId))}${on}`
}

function own(text: string | undefined): string {
  return escapedWithin(text ?? '', ownWordsLengthMax)
}
