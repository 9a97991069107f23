/** The words for mutes: who began, changed or ended which. */
import { formatDuration, minuteMs } from '../../../domain/base/duration.ts'
import type { AuditEntry } from '../../../domain/request/audit.ts'
import type { MuteChange } from '../../../domain/request/mute-actions.ts'
import { doubts, type WordsOf } from './action-words.ts'
import type { ToldParts } from './entry-parts.ts'

export const muteWords: WordsOf<MuteChange> = {
  mute_server: {
    may: 'mute servers',
    attempt: 'mute the server',
    thing: 'the mute of',
    doubt: doubts.mute,
    told: ({ who, what, until, why, before, planned, left }) =>
      `🔕 ${who} muted ${what} ${until}${planned}${why}${left}${before}`,
    wanted: ({ server }) => `mute ${server}`,
    timeline: (entry) => `muted${lengthOf(entry)}`,
  },
  mute_alert: {
    may: 'mute alerts',
    attempt: 'mute the alert',
    doubt: doubts.mute,
    told: ({ who, what, until, why, before, planned }) =>
      `🔕 ${who} muted ${what} ${until}${planned}${why}${before}`,
    wanted: ({ server }) => `mute ${server}`,
    timeline: (entry) => `this alert muted${lengthOf(entry)}`,
  },
  unmute_alert: {
    may: 'unmute alerts',
    attempt: 'unmute the alert',
    doubt: doubts.unmute,
    told: ({ who, what, onAgain }) => `🔔 ${who} unmuted ${what}: ${onAgain}`,
    wanted: ({ server }) => `unmute ${server}`,
    timeline: () => 'this alert unmuted',
  },
  unmute_server: {
    may: 'unmute servers',
    attempt: 'unmute the server',
    thing: 'the unmute of',
    doubt: doubts.unmute,
    told: ({ who, what, onAgain }) => `🔔 ${who} unmuted ${what}: ${onAgain}`,
    wanted: ({ server }) => `unmute ${server}`,
    timeline: () => 'unmuted',
  },
  mute_account: {
    may: 'mute the whole account',
    attempt: 'mute the whole account',
    thing: 'the mute of',
    doubt: doubts.mute,
    told: ({ who, until, why, before, planned }) =>
      `🔕 ${who} muted the whole account: notifications of all servers are off ${until}${planned}${why}${before}`,
    wanted: () => 'mute the whole account',
    timeline: (entry) => `whole account muted${lengthOf(entry)}`,
  },
  unmute_account: {
    may: 'unmute the whole account',
    attempt: 'unmute the whole account',
    thing: 'the unmute of',
    doubt: doubts.unmute,
    told: ({ who }) => `🔔 ${who} unmuted the whole account: notifications are on again`,
    wanted: () => 'unmute the whole account',
    timeline: () => 'account unmuted',
  },
  extend_mute: {
    may: 'extend mutes',
    attempt: 'extend the mute',
    doubt: doubts.again,
    told: ({ who, what, until, why }) => `🔕 ${who} extended the mute of ${what}: muted ${until}${why}`,
    wanted: ({ server }) => `extend the mute of ${server}`,
    timeline: () => 'mute extended',
  },
  undo_mute: {
    may: 'undo mutes',
    attempt: 'undo the mute',
    thing: 'the unmute of',
    doubt: doubts.unmute,
    told: undone,
    wanted: ({ server }) => `take back the mute of ${server}`,
    timeline: () => 'mute undone',
  },
}

function undone({ who, what, until, why, before, onAgain, detail }: ToldParts): string {
  if (detail.names !== undefined) {
    const now = detail.before === undefined ? onAgain : 'what was before holds again'
    return `🔔 ${who} undid the mutes of ${what}: ${now}${before}`
  }
  return detail.mode === undefined
    ? `🔔 ${who} undid the mute of ${what}: ${onAgain}`
    : `🔕 ${who} undid the last change of the mute of ${what}: muted ${until}${why}`
}

function lengthOf({ detail: { mode, untilMs }, atMs }: AuditEntry): string {
  if (mode === 'healthy') return ' until healthy'
  if (untilMs === undefined) return ''
  const ms = untilMs - atMs
  // The API took a moment to confirm the mute: one hour must not be shown as 59 minutes.
  return ` ${formatDuration(ms < minuteMs ? ms : Math.round(ms / minuteMs) * minuteMs)}`
}
