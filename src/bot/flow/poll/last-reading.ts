/** What is known of the open alerts, and since when it is not: across the settings of one process, between which nothing was missed. */
import { readingTrouble } from '../../domain/outage/detect.ts'
import type { Health } from '../../domain/request/answer.ts'
import type { Clock } from '../ports/ports.ts'
import type { OutageWatch } from './outage.ts'
import type { RoleBook } from './roles.ts'
import type { Schedule } from './schedule.ts'

export type LastReading = {
  /** When open alerts were last read, under these settings or under those before, epoch milliseconds; null: never. */
  everPolledMs(): number | null
  /**
   * The same; null also until the first poll has come or failed, which may bring what is newer at any moment. Where it fails, what was
   * read before it stands as it does in any other outage.
   */
  lastPollMs(): number | null
  health(): Pick<
    Health,
    'nowMs' | 'lastPollMs' | 'failing' | 'coverage' | 'unreadable' | 'leftOut' | 'doubt' | 'rolesUnread'
  >
}

export function openLastReading(
  parts: {
    readonly clock: Clock
    readonly schedule: Pick<Schedule, 'status'>
    readonly outage: Pick<OutageWatch, 'sinceMs'>
    /** Null where no rule asks for roles. */
    readonly roleBook: Pick<RoleBook, 'doubt'> | null
    /** When open alerts were last read under the settings before, in this process. */
    readonly earlierPollMs: number | null
  },
  /** The longest time between two polls. */
  gapMs: number,
): LastReading {
  const { clock, schedule, outage, roleBook, earlierPollMs } = parts
  const everPolledMs = () => schedule.status().lastOpenMs ?? earlierPollMs

  function lastPollMs(): number | null {
    const { lastOpenMs, failing } = schedule.status()
    return lastOpenMs === null && failing === null ? null : everPolledMs()
  }

  function health(): ReturnType<LastReading['health']> {
    const nowMs = clock.nowMs()
    const reading = schedule.status()
    return {
      nowMs,
      // It means that open alerts are known, whether or not ended ones could be read as well.
      lastPollMs: lastPollMs(),
      failing: readingTrouble(reading, { nowMs, gapMs, outageMs: outage.sinceMs() }),
      coverage: reading.coverage,
      unreadable: reading.unreadable,
      ...(reading.leftOut === undefined ? {} : { leftOut: reading.leftOut }),
      doubt: reading.doubt ?? null,
      rolesUnread: roleBook?.doubt() ?? null,
    }
  }

  return { everPolledMs, lastPollMs, health }
}
