/** The parts of an audit row, in words. */
import type { AuditDetail, AuditEntry } from '../../../domain/request/audit.ts'
import { escapedWithin } from '../../mrkdwn.ts'
import {
  alertThing,
  counted,
  endWords,
  idWords,
  namesOf,
  onAgain,
  person,
  reasonWords,
  replacedWords,
  serverName,
  termsWords,
  type When,
} from '../text/phrases.ts'

const namesListed = 2
const beforeShown = 3
/** After escaping; with everything else a line stays below a section's 3,000 characters. */
const ownWordsLengthMax = 1_500

export type ToldParts = {
  readonly entry: AuditEntry
  readonly detail: AuditDetail
  readonly when: When
  readonly who: string
  /** One server, several that were changed at once, or the account. */
  readonly what: string
  /** Is it said below the card of the one alert that it is about, and may call it `it`? */
  readonly isAlone: boolean
  /** How many alerts: `30 alerts` below their card, `30 storm alerts` elsewhere; empty for one. */
  readonly many: string
  readonly alert: string
  /** Who had it before, if it was one person. */
  readonly owner: string | null
  readonly names: string
  readonly roles: string
  /** Until when a mute lasts; empty if it has no end. */
  readonly until: string
  /** Whether notifications are on once a mute is over. */
  readonly onAgain: string
  /** Why, after a dash; or nothing. */
  readonly why: string
  /** Did it begin as planned, and over what; and what was left as it was, on a line of its own. Or empty. */
  readonly planned: string
  readonly left: string
  /** Which mutes it replaced, on a line of its own; or empty. */
  readonly before: string
}

/** Where it is announced: below a card of one alert, below another card or in the channel, or in the audit's list. */
export type ToldWhere = 'alone' | 'thread' | 'audit'

export function toldParts(entry: AuditEntry, when: When, where: ToldWhere): ToldParts {
  const isAlone = where === 'alone'
  const { detail, hostname } = entry
  const on = hostname === null ? '' : ` on ${serverName(hostname)}`
  return {
    entry,
    detail,
    when,
    who: entry.userId === null && detail.plannedId !== undefined ? 'The policy' : person(entry.userId),
    what: whatOf(entry),
    owner: detail.owner === undefined ? null : person(detail.owner),
    isAlone,
    many:
      detail.alerts === undefined ? '' : counted(detail.alerts, where === 'audit' ? 'storm alert' : 'alert'),
    alert: isAlone ? 'it' : entry.alertId === null ? `an alert${on}` : `${idWords(entry.alertId)}${on}`,
    names: namesOf(detail.names ?? []),
    roles: namesOf(detail.roles ?? []),
    until: endWords(
      { mode: detail.mode ?? 'open', untilMs: detail.untilMs ?? null, alert: detail.alert },
      when,
    ),
    onAgain: onAgain(detail, when, detail.alert !== undefined ? 'alert' : isMany(entry) ? 'they' : 'it'),
    why: reasonWords(detail.reason),
    planned: plannedWords(detail),
    left: detail.left === undefined ? '' : `\nMuted for longer already, and left so: ${namesOf(detail.left)}`,
    before: beforeWords(entry, when),
  }
}

function plannedWords({ plannedId, alerts }: AuditDetail): string {
  if (plannedId === undefined) return ''
  return alerts === undefined ? ', as planned' : `, as planned, which hides ${counted(alerts, 'open alert')}`
}

export type ListedParts = {
  readonly detail: AuditDetail
  readonly server: string
  readonly alert: string
  readonly names: string
  readonly roles: string
}

/** The same in fewer words, for a list. */
export function listedParts({ detail, hostname, alertId }: AuditEntry): ListedParts {
  const names = namesOf(detail.names ?? [], namesListed)
  const isNone = hostname === null && detail.names?.length === 0
  const isMany = hostname === null && names !== ''
  return {
    detail,
    server:
      detail.alert !== undefined
        ? alertThing(detail.alert)
        : isNone
          ? 'the servers of a storm'
          : isMany
            ? manyWords(detail.names ?? [], names)
            : serverName(hostname),
    alert: alertId === null ? 'an alert' : idWords(alertId),
    names,
    roles: namesOf(detail.roles ?? [], namesListed),
  }
}

function manyWords(all: readonly string[], names: string): string {
  return all.length > namesListed ? `*${all.length} servers* (${names})` : names
}

/** One server or alert, several servers that were changed at once, or the account. */
function whatOf({ hostname, detail: { names = [], alert } }: AuditEntry): string {
  if (alert !== undefined) return alertThing(alert)
  if (hostname !== null || names.length === 0) return serverName(hostname)
  const [only = null] = names
  return names.length === 1 ? serverName(only) : `*${names.length} servers* (${namesOf(names)})`
}

/** Is it about more than one? */
export function isMany({ hostname, detail }: AuditEntry): boolean {
  return hostname === null && (detail.names?.length ?? 0) > 1
}

export function mutesOf(entry: AuditEntry): string {
  return `${isMany(entry) ? 'mutes' : 'mute'} of ${whatOf(entry)}`
}

/** What somebody wrote, or the monitoring service answered. */
export function own(text: string | undefined): string {
  return escapedWithin(text ?? '', ownWordsLengthMax)
}

/** Whose mute it replaced, so that its reason stays known. */
function beforeWords({ hostname, detail, act }: AuditEntry, when: When): string {
  const before = detail.before ?? []
  if (before.length === 0) return ''
  const isOne = hostname !== null || act === 'mute_account' || detail.alert !== undefined
  const isUndone = act === 'undo_mute'
  const parts = before.slice(0, beforeShown).map((terms) => {
    const what = isOne ? '' : serverName(terms.hostname)
    return isUndone
      ? [what, termsWords(terms, when)].filter(Boolean).join(' ')
      : replacedWords(terms, what, when)
  })
  const rest = before.length - parts.length
  return `\n${isUndone ? 'Muted again:' : 'Replaces'} ${parts.join('; ')}${rest > 0 ? `; and ${rest} more` : ''}`
}
