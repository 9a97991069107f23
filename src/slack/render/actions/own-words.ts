/** The words for what monbot does by itself, including how it went. */
import type { ChangeKind } from '../../../domain/request/actions.ts'
import type { Act } from '../../../domain/request/audit.ts'
import { person } from '../text/phrases.ts'
import type { EntryWords } from './action-words.ts'
import { isMany, mutesOf, own, type ToldParts } from './entry-parts.ts'

export const ownWords: Readonly<Record<Exclude<Act, ChangeKind>, EntryWords>> = {
  end_mute: {
    told: muteEnded,
    wanted: ({ server }) => `end the mute of ${server}`,
  },
  repeat_switch: {
    told: notRepeated,
    wanted: ({ server }) => `switch notifications of ${server} once more`,
  },
  hand_back: {
    told: ({ entry, detail, what, why, when }) => {
      if (detail.owner === undefined) return `⏰ The mute of ${what} ends soon`
      const end = detail.untilMs === undefined ? 'soon' : when(detail.untilMs)
      return `⏰ ${person(detail.owner)}, your ${mutesOf(entry)} ${isMany(entry) ? 'end' : 'ends'} ${end}${why}\n*Mute servers…* on the card above mutes what is still open.`
    },
    wanted: ({ server }) => `hand back the mute of ${server}`,
  },
  remind: {
    told: ({ alert }) => `⏰ Nobody has acknowledged ${alert} yet`,
    wanted: ({ alert }) => `remind of ${alert}`,
  },
}

function muteEnded({ entry }: ToldParts): string {
  const mutes = mutesOf(entry)
  const are = isMany(entry) ? 'are' : 'is'
  if (entry.why === 'unknown_server') {
    const servers = isMany(entry) ? 'these servers' : 'the server'
    return `🔔 The ${mutes} ${are} over: the monitoring API no longer knows ${servers}, so whether notifications are on is not known.`
  }
  return entry.outcome === 'done'
    ? `🔔 The ${mutes} ${isMany(entry) ? 'have' : 'has'} ended: notifications are on again`
    : `⚠️ The ${mutes} ${are} over, but the monitoring API does not switch notifications on again${answerOf(entry.detail)}. monbot goes on trying, and shows what is open there from now on.`
}

/** Shown only if it fails: an earlier request may have been carried out late. */
function notRepeated({ what, detail }: ToldParts): string {
  const doubt = detail.muteId === undefined ? 'off, though it is not muted' : 'on, though it is muted'
  return `⚠️ Notifications of ${what} may be ${doubt}: the monitoring API may have carried out an earlier request late, and does not take the repeat${answerOf(detail)}. monbot goes on trying.`
}

function answerOf({ answer }: ToldParts['detail']): string {
  return answer === undefined ? '' : ` (${own(answer)})`
}
