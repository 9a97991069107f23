/** The rows of `leader` and `presence`, and the statements on them: each is one message, and no clock of any machine is in it. */
import { StoreFailure } from '../../domain/base/failure.ts'
import { awayOf, kindOf } from './failures.ts'
import { timelineNow } from './fence-tables.ts'
import type { PostgresPool } from './pool.ts'

/** How long a statement may wait for its answer. Three tries fit into the time that a lease is trusted. */
export const answerMsMax = 4_000

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
  /** And it ended because it reached no Slack. */
  readonly gaveUp: boolean
  /** The history of the database up to which what may be forgotten was put right. */
  readonly timeline: string
  /** The history that it is on now: another server, and a standby server that takes over, has one of its own. */
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
  free(holder: string, gaveUp: boolean): Promise<void>
  /** What was forgotten up to this history was put right. */
  noteTimeline(holder: string, timeline: string): Promise<void>
  /** Says that `own` stands by, and who else does. */
  appear(own: Own, reachesSlack: boolean): Promise<PresenceRow[]>
  standbys(): Promise<PresenceRow[]>
  /** Removes one that stands by no more; with a `beat`, only if it said nothing since. */
  disappear(holder: string, beat?: number): Promise<void>
  close(): Promise<void>
}

export const leaderColumns = `holder, name, url, term, beat, free, gave_up as "gaveUp", timeline, ${timelineNow} as "timelineNow"`
export const presenceColumns = 'holder, name, url, beat, reaches_slack as "reachesSlack"'

/** On a pool of its own, of one connection: whatever the bot writes, a renewal waits for nothing. */
export function openLeaseRows(pool: PostgresPool): LeaseRows {
  async function ask(text: string, values: readonly unknown[] = []): Promise<Record<string, unknown>[]> {
    const link = await pool.take()
    try {
      const [answer] = await link.run(text, values, answerMsMax)
      link.release()
      return answer?.rows ?? []
    } catch (error) {
      link.release(true)
      // What was idle may have died without a word, and whatever is asked here may be asked twice.
      if (link.isUsed && kindOf(error) === 'gone') return ask(text, values)
      throw error instanceof StoreFailure ? error : awayOf(error, pool.address)
    }
  }

  async function look(): Promise<LeaderRow> {
    const [row] = await ask(`select ${leaderColumns} from leader`)
    if (row !== undefined) return row as LeaderRow
    await ask(`insert into leader (timeline) values (${timelineNow}) on conflict do nothing`)
    return look()
  }

  return {
    look,
    close: pool.close,
    // It changes a key of the row, so it waits for whoever holds it `for key share`: a claim or a commit under way.
    take: async ({ holder, name, url }, seen) => {
      const [taken] = await ask(
        `update leader set holder = $1, name = $2, url = $3, term = term + 1, beat = beat + 1, free = false, gave_up = false
          where holder = $4 and term = $5 and beat = $6 and ${timelineNow} = $7 returning term`,
        [holder, name, url, seen.holder, seen.term, seen.beat, seen.timelineNow],
      )
      return taken === undefined ? null : Number(taken.term)
    },
    renew: async (holder, term) => {
      const [renewed] = await ask(
        `update leader set beat = beat + 1 where holder = $1 and term = $2 returning ${timelineNow} as "timelineNow"`,
        [holder, term],
      )
      return renewed === undefined ? null : { timelineNow: String(renewed.timelineNow) }
    },
    free: async (holder, gaveUp) => {
      await ask('update leader set free = true, gave_up = $2 where holder = $1', [holder, gaveUp])
    },
    noteTimeline: async (holder, timeline) => {
      await ask('update leader set timeline = $2 where holder = $1', [holder, timeline])
    },
    appear: async ({ holder, name, url }, reachesSlack) => {
      const rows = await ask(
        `with own as (
          insert into presence (holder, name, url, beat, reaches_slack) values ($1, $2, $3, 0, $4)
          on conflict (holder) do update set beat = presence.beat + 1, reaches_slack = excluded.reaches_slack
        )
        select ${presenceColumns} from presence where holder <> $1 order by name, holder`,
        [holder, name, url, reachesSlack],
      )
      return rows as PresenceRow[]
    },
    standbys: async () =>
      (await ask(`select ${presenceColumns} from presence order by name, holder`)) as PresenceRow[],
    disappear: async (holder, beat) => {
      await ask('delete from presence where holder = $1 and ($2::bigint is null or beat = $2)', [
        holder,
        beat ?? null,
      ])
    },
  }
}
