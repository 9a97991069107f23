/** The small phrases that cards and answers share: people, names, when a mute ends, and why it is. */
import type { Alert } from '../../../domain/alert/alert.ts'
import { minuteMs } from '../../../domain/base/duration.ts'
import type { MuteTerms, Silenced } from '../../../domain/mute/mute.ts'
import { escapedInCode, escapedWithin, localTime, utcTime } from '../../mrkdwn.ts'

/** How a time is written: `localTime` in blocks, `utcTime` in the text beside them. */
export type When = (ms: number) => string

// Lengths once the text is escaped.
const nameLengthMax = 100
const reasonLengthMax = 600
const earlierReasonLengthMax = 200

export const inBlocks: When = localTime

export const inText: When = utcTime

/** A mention of a person; `null` is monbot itself. What is not Slack's own id mentions nobody. */
export function person(userId: string | null): string {
  if (userId === null) return 'monbot'
  return /^[UW][A-Z0-9]{1,30}$/.test(userId) ? `<@${userId}>` : name(userId)
}

/** A name from outside, escaped and short. */
export function name(text: string): string {
  return escapedWithin(text, nameLengthMax)
}

/** Something that was typed or is to be typed, with its own asterisks: nothing is formatted in code, so copied text works. */
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

/** `Load Average on *web-1*`. */
export function subjectWords(plugin: string, server: string): string {
  return `${name(plugin)} on ${serverName(server)}`
}

/** `a, b and 3 more`: at most `shown` of them. */
export function listed(items: readonly string[], shown: number): string {
  const rest = items.length - shown
  return rest > 0 ? `${items.slice(0, shown).join(', ')} and ${rest} more` : items.join(', ')
}

/** Names from outside: `a, b and 3 more`. */
export function namesOf(names: readonly string[], shown = 8): string {
  return listed(names.map(name), shown)
}

/** `1 alert`, `14 alerts`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** What a mute hides: `Silences 1 open alert; would have silenced 3 in the last 7 days.` */
export function hiddenNumbers(open: number, lastWeek: number): string {
  const now = open === 0 ? 'no open alert' : counted(open, 'open alert')
  return `Silences ${now}; would have silenced ${lastWeek === 0 ? 'none' : lastWeek} in the last 7 days.`
}

export function endWords(terms: Pick<MuteTerms, 'mode' | 'untilMs'>, when: When): string {
  switch (terms.mode) {
    case 'timed':
      return terms.untilMs === null ? openEnd : `until ${when(terms.untilMs)}`
    case 'healthy':
      return `until healthy for 15 min${terms.untilMs === null ? '' : `, at the latest ${when(terms.untilMs)}`}`
    case 'open':
      return openEnd
  }
}

const openEnd = 'until somebody unmutes it'

/** What holds once a server's own mute is over, or those of several (`they`). */
export function onAgain({ accountMuted }: Silenced, when: When, who: 'it' | 'they' = 'it'): string {
  if (accountMuted === undefined) return 'notifications are on again'
  const { untilMs } = accountMuted
  const until = untilMs === null ? '' : ` until ${when(untilMs)}`
  return `${who} ${who === 'it' ? 'stays' : 'stay'} silent, as the whole account is muted${until}`
}

/** ` — deploying`, or nothing. */
export function reasonWords(reason: string | undefined): string {
  const shown = escapedWithin(reason ?? '', reasonLengthMax)
  return shown === '' ? '' : ` — ${shown}`
}

/** What a mute was before it was replaced: `until 15:00 by <@U1> — deploying`. */
export function termsWords(terms: MuteTerms, when: When): string {
  const why = escapedWithin(terms.reason, earlierReasonLengthMax)
  return `${endWords(terms, when)} by ${person(terms.userId)}${why === '' ? '' : ` — ${why}`}`
}

export function capital(words: string): string {
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`
}

/** The sentence with a capital letter and a full stop. */
export function sentence(words: string): string {
  return `${capital(words)}${/[.!?…]$/.test(words) ? '' : '.'}`
}

/** `02:48 – 02:49`; one time where both are in the same minute, which is all that a time shows. */
export function fromTo(fromMs: number, toMs: number, when: When): string {
  const isSame = Math.floor(fromMs / minuteMs) === Math.floor(toMs / minuteMs)
  return isSame ? when(fromMs) : `${when(fromMs)} – ${when(toMs)}`
}
