/** Which alerts a mute is about, in SQL: as the domain decides it in `hides`. */
import { type RawBuilder, sql } from 'kysely'
import { isTroubleSubject } from '../../domain/mute/subject.ts'
import type { Words } from '../sql/words.ts'

/**
 * Is the row of `alerts` under a mute of which this holds? By index: never each mute against each alert. As in the domain, what has
 * become critical is not under the mute of an alert that was not.
 */
export function isUnderMute(words: Words, which: RawBuilder<boolean>): RawBuilder<boolean> {
  return sql`(
    exists (
      select 1 from mutes where mutes.subject in (alerts.hostname, alerts.trouble, '') and ${which}
        and (mutes.alert is null or alerts.severity <> 'critical' or ${words.isTrue('mutes.alert', 'isCritical')})
    )
    or (alerts.muted_by is not null and exists (
      select 1 from mutes
      where mutes.mute_id in ${words.idsIn('alerts.muted_by')}
        and mutes.alert is not null and ${words.field('mutes.alert', 'matchers')} is not null and ${which}
    ))
  )`
}

/** Does the service say that this mute of ours, by its matchers, mutes the row of `alerts`? */
export function isMutedBy(words: Words, muteId: string): RawBuilder<boolean> {
  return sql<boolean>`(alerts.muted_by is not null and ${muteId} in ${words.idsIn('alerts.muted_by')})`
}

/** Is the row of `alerts` on one of these servers, or of one of these troubles? */
export function isOfSubject(subjects: readonly string[]): RawBuilder<boolean> {
  if (subjects.length === 0) return sql.lit(false)
  const some = sql.join(subjects)
  return subjects.some(isTroubleSubject)
    ? sql<boolean>`(alerts.hostname in (${some}) or alerts.trouble in (${some}))`
    : sql<boolean>`alerts.hostname in (${some})`
}
