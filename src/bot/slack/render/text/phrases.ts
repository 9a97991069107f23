/** Small phrases that cards and answers share: people, names, when a mute ends, and why. */
import type { Alert } from '../../../domain/alert/alert.ts'
import { isLongNumber, numberOf } from '../../../domain/alert/episode.ts'
import { minuteMs } from '../../../domain/base/duration.ts'
import type { CardPage } from '../../../domain/card/kinds.ts'
import {
  alertWords,
  isByMonbot,
  isInForce,
  isOfAccount,
  type Mute,
  type MuteTerms,
  type Silenced,
} from '../../../domain/mute/mute.ts'
import { escapedInCode, escapedWithin, localTime, utcTime } from '../../mrkdwn.ts'

/** How a time is written: `localTime` in blocks, `utcTime` in the text beside them. */
export type When = (ms: number) => string

// Lengths once the text is escaped.
const nameLengthMax = 100
const alertWordsLengthMax = 300
const reasonLengthMax = 600
const earlierReasonLengthMax = 200

export const inBlocks: When = localTime

export const inText: When = utcTime

/** A mention of a person; `null` is monbot itself. What is not Slack's own id mentions nobody. */
export function person(userId: string | null): string {
  if (userId === null) return 'monbot'
  return isMember(userId) ? `<@${userId}>` : name(userId)
}

/** Is it Slack's own id of a person? */
export function isMember(userId: string): boolean {
  return /^[UW][A-Z0-9]{1,30}$/.test(userId)
}

/** Whether somebody was called: `📟 paged 03:12`, `📟 paging fails`; nothing where nobody is. */
export function pageWords(page: CardPage | undefined, when: When): string[] {
  if (page === undefined) return []
  const paged = page.toldMs === null ? [] : [`paged ${when(page.toldMs)}`]
  const words = page.isFailing ? [...paged, '*paging fails*'] : paged
  return words.length === 0 ? [] : [`📟 ${words.join(', ')}`]
}

/** An alert of which only the id is known; a long one is shortened to enough digits to be unique in practice. */
export function idWords(alertId: string): string {
  const number = numberOf(alertId)
  return isLongNumber(number) ? `#…${number.slice(-endingDigits)}` : `#${name(number)}`
}

const endingDigits = 6

/** A name from outside, escaped and short. */
export function name(text: string): string {
  return escapedWithin(text, nameLengthMax)
}

/** Text that was typed or is to be typed, as code: its asterisks stay, so that copied text works. */
export function code(text: string, charsMax = 80): string {
  const shown = escapedInCode(text, charsMax)
  return shown === '' ? 'nothing' : `\`${shown}\``
}

/** The name people know the server of an alert by; not escaped. */
export function serverOf(alert: Alert): string {
  return alert.serverName === '' ? alert.hostname : alert.serverName
}

export function serverName(hostname: string | null): string {
  return hostname === null ? 'the whole account' : `*${name(hostname)}*`
}

/** What a mute is about, in bold: the account, a server, or an alert. */
export function mutedThing({ subject, alert }: Pick<Mute, 'subject' | 'alert'>): string {
  return alert === null ? serverName(subject) : alertThing(alertWords(alert))
}

/** The same for labels and screen readers: not escaped. */
export function plainThing({ subject, alert }: Pick<Mute, 'subject' | 'alert'>): string {
  return alert === null ? (subject ?? 'the whole account') : alertWords(alert)
}

/** Of an alert that is muted by itself, as `alertWords` says it. */
export function alertThing(words: string): string {
  return `*${escapedWithin(words, alertWordsLengthMax)}*`
}

/** monbot alone hides it. */
export const slackOnlyWords = 'Slack only: the monitoring still notifies others'

/** Where only Slack is silent; nothing for what the service mutes. */
export function slackOnly(mute: Pick<Mute, 'alert'>): string[] {
  return isByMonbot(mute) ? [slackOnlyWords] : []
}

/** `Load Average on *web-1*`. */
export function subjectWords(plugin: string, server: string): string {
  return `${name(plugin)} on ${serverName(server)}`
}

/** `a, b and 3 more`: at most `shown` of them. */
export function listed(items: readonly string[], shown: number): string {
  const rest = items.length - shown
  return rest > 0 ? `${items.slice(0, shown).join(', ')} and ${rest} more` : items.join(', ')
}

/** `a, b or c`. */
export function eitherOf(items: readonly string[]): string {
  const last = items.at(-1) ?? ''
  return items.length < 2 ? last : `${items.slice(0, -1).join(', ')} or ${last}`
}

/** Names from outside: `a, b and 3 more`. */
export function namesOf(names: readonly string[], shown = 8): string {
  return listed(names.map(name), shown)
}

/** `1 alert`, `14 alerts`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** What a mute hides, and would have hidden before: `Hides 1 open alert (3 last week).` */
export function hiddenNumbers(open: number, lastWeek: number | null): string {
  const now = open === 0 ? 'no open alerts' : counted(open, 'open alert')
  if (lastWeek === null) return `Hides ${now}, and new ones that match.`
  return `Hides ${now} (${lastWeek === 0 ? 'none' : lastWeek} last week).`
}

/** `alert`: whatever says that it is of an alert, which is well sooner than a server. */
export function endWords(
  terms: Pick<MuteTerms, 'mode' | 'untilMs'> & { readonly alert?: unknown },
  when: When,
): string {
  switch (terms.mode) {
    case 'timed':
      return terms.untilMs === null ? openEnd : `until ${when(terms.untilMs)}`
    case 'healthy':
      return `until healthy for ${terms.alert == null ? 15 : 10} min${terms.untilMs === null ? '' : ` (max ${when(terms.untilMs)})`}`
    case 'open':
      return openEnd
  }
}

/** Of a mute that was decided, and that hides in Slack. */
export const unconfirmedWords = 'not confirmed by the monitoring API yet'

const openEnd = 'until somebody unmutes it'

/** What is muted, for a first line: `account muted`, which hides everything, then how many servers. */
export function mutedParts(mutes: readonly Mute[]): string[] {
  const now = mutes.filter(isInForce)
  const others = now.filter((mute) => !isOfAccount(mute)).length
  return [...(others < now.length ? ['account muted'] : []), ...(others === 0 ? [] : [`${others} muted`])]
}

/**
 * Whether notifications are on once a server's own mute is over, or those of several (`they`); for an alert's (`alert`) whether it
 * is shown again.
 */
export function onAgain(
  { accountMuted, serverMuted, alertsMuted = 0 }: Silenced,
  when: When,
  who: 'it' | 'they' | 'alert' = 'it',
): string {
  const silence = accountMuted ?? serverMuted
  if (silence === undefined) {
    const rest =
      alertsMuted === 0
        ? ''
        : `; ${counted(alertsMuted, 'alert')} there ${alertsMuted === 1 ? 'stays' : 'stay'} muted`
    return who === 'alert' ? 'it notifies again' : `notifications are on again${rest}`
  }
  const until = silence.untilMs === null ? '' : ` until ${when(silence.untilMs)}`
  const what = accountMuted === undefined ? 'its server' : 'the whole account'
  return `${who === 'they' ? 'they stay' : 'it stays'} silent, as ${what} is muted${until}`
}

/** ` — deploying`, or nothing. */
export function reasonWords(reason: string | undefined): string {
  const shown = escapedWithin(reason ?? '', reasonLengthMax)
  return shown === '' ? '' : ` — ${shown}`
}

/** What a mute is or was, in few words: `until 15:00 by <@U1> — deploying`. */
export function termsWords(terms: MuteTerms, when: When): string {
  return `${endWords(terms, when)} by ${person(terms.userId)}${earlierReason(terms)}`
}

/** The mute that another one replaces, so that its reason stays known: `<@U1>'s mute until 15:00 — deploying`. */
export function replacedWords(terms: MuteTerms, what: string, when: When): string {
  return `${person(terms.userId)}'s mute${what === '' ? '' : ` of ${what}`} ${endWords(terms, when)}${earlierReason(terms)}`
}

function earlierReason({ reason }: MuteTerms): string {
  const why = escapedWithin(reason, earlierReasonLengthMax)
  return why === '' ? '' : ` — ${why}`
}

export function capital(words: string): string {
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`
}

/** The sentence with a capital letter and a full stop. */
export function sentence(words: string): string {
  return `${capital(words)}${/[.!?…]$/.test(words) ? '' : '.'}`
}

/** `02:48 – 02:49`; one time where both are in the same minute, which is all that a time shows. */
/** `between 14:00 and 14:05`. */
export function betweenWords(fromMs: number, toMs: number, when: When): string {
  return `between ${when(fromMs)} and ${when(toMs)}`
}

export function fromTo(fromMs: number, toMs: number, when: When): string {
  const isSame = Math.floor(fromMs / minuteMs) === Math.floor(toMs / minuteMs)
  return isSame ? when(fromMs) : `${when(fromMs)} – ${when(toMs)}`
}
