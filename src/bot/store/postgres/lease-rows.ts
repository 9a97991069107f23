/** The rows of `leader` and `presence`, and the statements on them: each is one message, and no clock of any machine is in it. */
import type { ClientConfig } from 'pg'
import type { Clock } from '../../flow/ports/ports.ts'
import { openLoneConnection } from './lone-connection.ts'

/** Who leads, as the database says. */
export type LeaderRow = {
  /** Random, of one process; empty before the first ever led. */
  readonly holder: string
  readonly name: string
  /** Where its HTTP server is reached by other replicas; empty if it has none. */
  readonly url: string
  readonly term: number
  /** Grows with each renewal. */
  readonly beat: number
  /** Its process ended cleanly: nobody need wait. */
  readonly free: boolean
  /** The history of the database that what was forgotten in a failover was last put right for; empty before the first ever led. */
  readonly timeline: string
  /** The history that the database is on now: a standby server that takes over begins a new one. */
  readonly timelineNow: string
}

/** Who stands by, as it says itself. */
export type PresenceRow = {
  readonly holder: string
  readonly name: string
  readonly url: string
  readonly beat: number
  readonly reachesSlack: boolean
}

export type Own = { readonly holder: string; readonly name: string; readonly url: string }

/** Each throws a `MemoryAway` if there is no answer: then it may have been done, or be done later. */
export type LeaseRows = {
  look(): Promise<LeaderRow>
  /**
   * Takes the lease if it is as it was `seen`, after whoever holds it `for key share` at the moment; resolves to the new term, or
   * null if it is not.
   */
  take(own: Own, seen: LeaderRow): Promise<number | null>
  /** Raises the beat; null: somebody else holds the lease. */
  renew(holder: string, term: number): Promise<{ readonly timelineNow: string } | null>
  /** Whoever comes next need not wait. */
  free(holder: string): Promise<void>
  /** What was forgotten up to this history was put right. */
  noteTimeline(holder: string, timeline: string): Promise<void>
  /** Says that `own` stands by, and who else does. */
  appear(own: Own, reachesSlack: boolean): Promise<PresenceRow[]>
  standbys(): Promise<PresenceRow[]>
  /** Removes one that stands by no more; with a `beat`, only if it said nothing since. */
  disappear(holder: string, beat?: number): Promise<void>
  close(): void
}

/**
 * The first eight digits of the name of a WAL file are its timeline (https://www.postgresql.org/docs/current/functions-admin.html).
 * A server in recovery, which cannot be written, answers with an error.
 */
const timelineNow = 'substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)'
const leaderColumns = `holder, name, url, term::float8, beat::float8, free, timeline, ${timelineNow} as "timelineNow"`
const presenceColumns = 'holder, name, url, beat::float8, reaches_slack as "reachesSlack"'

/** On a connection of its own, which is made with the first statement. */
export function openLeaseRows(database: ClientConfig, clock: Clock): LeaseRows {
  const { ask, close } = openLoneConnection(database, clock)

  async function look(): Promise<LeaderRow> {
    const [row] = await ask<LeaderRow>(`select ${leaderColumns} from leader`)
    if (row !== undefined) return row
    await ask(
      `insert into leader (one, holder, name, url, term, beat, free, timeline)
        values (true, '', '', '', 0, 0, true, '') on conflict do nothing`,
    )
    return look()
  }

  return {
    look,
    close,
    take: async ({ holder, name, url }, seen) => {
      // A renewal locks the row too weakly to meet `for key share`; taking has to wait for a claim or a commit under way.
      const [taken] = await ask<{ term: number }>(
        `with held as (
          select 1 from leader where holder = $4 and term = $5 and beat = $6 and ${timelineNow} = $7 for update
        )
        update leader set holder = $1, name = $2, url = $3, term = term + 1, beat = beat + 1, free = false,
          timeline = case when timeline = '' then $7 else timeline end
        where exists (select 1 from held) and holder = $4 and term = $5 and beat = $6
        returning term::float8`,
        [holder, name, url, seen.holder, seen.term, seen.beat, seen.timelineNow],
      )
      return taken?.term ?? null
    },
    renew: async (holder, term) => {
      const [renewed] = await ask<{ timelineNow: string }>(
        `update leader set beat = beat + 1 where holder = $1 and term = $2 returning ${timelineNow} as "timelineNow"`,
        [holder, term],
      )
      return renewed ?? null
    },
    free: async (holder) => {
      await ask('update leader set free = true where holder = $1', [holder])
    },
    noteTimeline: async (holder, timeline) => {
      await ask('update leader set timeline = $2 where holder = $1', [holder, timeline])
    },
    appear: ({ holder, name, url }, reachesSlack) =>
      ask<PresenceRow>(
        `with own as (
          insert into presence (holder, name, url, beat, reaches_slack) values ($1, $2, $3, 0, $4)
          on conflict (holder) do update set beat = presence.beat + 1, reaches_slack = excluded.reaches_slack
        )
        select ${presenceColumns} from presence where holder <> $1 order by name, holder`,
        [holder, name, url, reachesSlack],
      ),
    standbys: () => ask<PresenceRow>(`select ${presenceColumns} from presence order by name, holder`),
    disappear: async (holder, beat) => {
      await ask('delete from presence where holder = $1 and ($2::bigint is null or beat = $2)', [
        holder,
        beat ?? null,
      ])
    },
  }
}
