/** The numbers of a report. */
import type { OutageTimes } from '../outage/outage.ts'
import type { Happened } from './rule-counts.ts'

export type Report = {
  readonly fromMs: number
  readonly toMs: number
  readonly opened: number
  /** At a known time, or at an unknown one after it opened in this span. */
  readonly closed: number
  readonly stillOpen: number
  /** Open at `fromMs`: `openBefore` + `opened` = `closed` + `lost` + `stillOpen`. */
  readonly openBefore: number
  /** Not listed as open any more, with no end seen. */
  readonly lost: number
  /** What only happened, and is counted in none of these. */
  readonly oneoffs: number
  /** The noisiest. */
  readonly servers: readonly { readonly name: string; readonly count: number }[]
  /** Alerts by the day or hour in which they opened; `fromMs` of each part, all of the same length. */
  readonly parts: readonly { readonly fromMs: number; readonly opened: number }[]
  /** Median milliseconds; null if there was none. */
  readonly toAcknowledgeMs: number | null
  readonly toCloseMs: number | null
  readonly acknowledged: number
  readonly happened: Happened
  /** The part of that time that was not observed live. */
  readonly outage?: OutageTimes
}
