/** The store as those see it who read the metrics of open alerts. */
import type { Alert } from '../../domain/alert/alert.ts'
import type { Reading } from '../../domain/alert/reading.ts'

/** Part of the store; see `Store` for what a write promises. */
export type ReadingStore = {
  /** The alert whose metric was to be read first, of those with a card in Slack; null until `nextMs`. */
  nextReading(nowMs: number): Promise<{ readonly alert: Alert | null; readonly nextMs: number | null }>
  /**
   * Writes what came (null: nothing did), and when to read next. Its cards are due for an update if people see a difference, with
   * a picture drawn anew if asked for. Answers whether they are; does nothing if its state has changed meanwhile.
   */
  settleReading(
    alert: Alert,
    settled: {
      readonly reading: Reading | null
      readonly nextMs: number | null
      readonly withPicture: boolean
      readonly nowMs: number
    },
  ): Promise<boolean>
}
