/** How a service closes alerts, and its closing records. */
import type { AlertRecord } from './alert.ts'

/** The record of an alert turns into its end (`flip`), or a second record comes (`pair`). */
export type CloseStyle = 'flip' | 'pair'

/** A closing record, kept after it was seen. */
export type End = {
  readonly record: AlertRecord
  /** False while it is not yet known which form the service uses. */
  readonly decided: boolean
  /** First seen while catching up: whatever it closed is not announced. */
  readonly isHistory: boolean
}
