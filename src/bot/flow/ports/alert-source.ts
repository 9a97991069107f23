/** The source of alerts: the port that `monitor/listing` implements. */
import type { Snapshot } from '../../domain/alert/snapshot.ts'
import type { Recalled, Store } from './store.ts'

/** The stored state, which is needed to see what is new, what closed and what is missing. */
export type Known = Pick<Recalled, 'alerts' | 'ends' | 'facts'> &
  Pick<Store, 'recallByNumbers' | 'recallEnds' | 'newestStartMs'> & {
    /** When what is open was last read; null where it was not since the start. */
    readonly readMs: number | null
  }

export type AlertSource = {
  /**
   * Reads the open and the closed alerts, as far as the API allows. Throws an `OutsideFailure` if no open alert at all could be
   * read, or if both lists lost everything.
   */
  snapshot(known: Known): Promise<Snapshot>
}
