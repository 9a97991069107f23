/** The words for mutes that are planned: who planned, skipped or cancelled which, and what became of a window. */
import { isUnderWay } from '../../../domain/mute/planned.ts'
import type { AuditEntry } from '../../../domain/request/audit.ts'
import type { PlannedChange } from '../../../domain/request/planned-actions.ts'
import { alertThing, counted, person, reasonWords, serverName, type When } from '../text/phrases.ts'
import { plannedNames, plannedRuleOf, plannedThing, ruleWords, windowWords } from '../text/planned-lines.ts'
import { doubts, type WordsOf } from './action-words.ts'
import type { ToldParts } from './entry-parts.ts'

export const plannedWords: WordsOf<PlannedChange> = {
  plan_mute: {
    may: 'plan mutes',
    attempt: 'plan the mute',
    doubt: doubts.again,
    told: ({ who, entry, when, why }) =>
      entry.detail.fromMs === undefined
        ? `🗓️ ${who} planned a mute of ${thingOf(entry)}${why}`
        : `🗓️ ${who} planned a mute of ${thingOf(entry)} ${windowOf(entry, when)}${plannedRuleOf(entry.detail)}${why}`,
    wanted: ({ server }) => `plan a mute of ${server}`,
    done: ({ planned, window, isAlready }, when) => {
      const { what, rule, zone, reason } = planned
      const often = ruleWords(rule, zone)
      const verb = isUnderWay(planned, window) ? 'is muted at once, in its window' : 'will be muted'
      return [
        `🗓️ ${isAlready === true ? 'Planned already' : 'Planned'}: ${plannedThing(what)} ${verb} ${windowWords(window, when)}${reasonWords(reason)}`,
        ...(often === '' ? [] : [`It comes again ${often}, until it is cancelled.`]),
      ]
    },
    isOnCard: () => false,
  },
  skip_planned: {
    may: 'skip planned mutes',
    attempt: 'skip the planned mute',
    doubt: doubts.again,
    told: ({ who, entry, when }) =>
      `⏭️ ${who} skipped the planned mute of ${thingOf(entry)} ${windowOf(entry, when)}: nothing is muted then`,
    wanted: ({ server }) => `skip a planned mute of ${server}`,
    done: ({ planned, skipped, window }, when) => [
      `⏭️ Skipped: ${plannedThing(planned.what)} is not muted ${windowWords(skipped, when)}.`,
      ...(window === null ? [] : [`The next one is ${windowWords(window, when)}.`]),
    ],
    isOnCard: () => false,
  },
  cancel_planned: {
    may: 'cancel planned mutes',
    attempt: 'cancel the planned mute',
    doubt: doubts.again,
    told: ({ who, entry }) =>
      entry.userId === null
        ? `🗓️ The policy plans no mute of ${thingOf(entry)} any more${plannedRuleOf(entry.detail)}`
        : `🗓️ ${who} cancelled the planned mute of ${thingOf(entry)}${plannedRuleOf(entry.detail)}`,
    wanted: ({ server }) => `cancel a planned mute of ${server}`,
    done: ({ planned }) => [
      `🗓️ Cancelled: ${plannedThing(planned.what)} is no longer to be muted. A mute that has begun goes on to its end.`,
    ],
    isOnCard: () => false,
  },
}

/** To its owner, before it begins. Once that has its answer, it says so. */
export function plannedSoon({ entry, detail, when, why }: ToldParts): string {
  const { owner, alerts = 0 } = detail
  const what = thingOf(entry)
  const whose =
    owner === undefined
      ? `The mute of ${what} that the policy plans`
      : `${person(owner)}, the mute of ${what} that you planned`
  if (entry.outcome !== 'done') return `⏰ ${whose}: ${windowOf(entry, when)}${why}`
  const hides =
    alerts === 0
      ? 'Nothing is open there now.'
      : `It would hide ${counted(alerts, 'alert')} that ${alerts === 1 ? 'is' : 'are'} open now.`
  return `⏰ ${whose} begins soon: ${windowOf(entry, when)}${why}\n${hides}`
}

export function plannedMissed({ entry, when }: ToldParts): string {
  const what = `The planned mute of ${thingOf(entry)} ${windowOf(entry, when)}`
  if (entry.why === 'longer') return `🔕 ${what} changes nothing: muted for longer already.`
  if (entry.why === 'added_late')
    return `⚠️ ${what} does not happen: added to the policy after its window began or was skipped.`
  const why = entry.why === 'no_match' ? 'no server is called so' : 'monbot was not running'
  return `⚠️ ${what} did not happen: ${why}.`
}

function windowOf({ detail: { fromMs = 0, untilMs = 0 } }: AuditEntry, when: When): string {
  return windowWords({ startMs: fromMs, endMs: untilMs }, when)
}

function thingOf({ hostname, detail: { alert, names = [] } }: AuditEntry): string {
  if (alert !== undefined) return alertThing(alert)
  return hostname === null && names.length > 0 ? plannedNames(names) : serverName(hostname)
}
