/** The data of a chart; `charts/` draws it. Times are epoch milliseconds. */
import type { Limit } from '../alert/reading.ts'

export type ChartSpan = {
  readonly fromMs: number
  readonly toMs: number
  /** `open`: the time of the alert; `mute`: somebody had muted the server. */
  readonly kind: 'open' | 'mute'
  readonly label: string
}

export type SeriesChart = {
  readonly title: string
  readonly units: string
  readonly fromMs: number
  readonly toMs: number
  readonly timesMs: readonly number[]
  /** `[min, average, max]`, one per time; null if there is none: the line breaks there. */
  readonly points: readonly (readonly [number, number, number] | null)[]
  /**
   * Which of the three numbers is the line: for an alert the one that met its limit, so that a spike reaches its peak; the
   * average if nothing says which side matters.
   */
  readonly line: 'lowest' | 'average' | 'highest'
  /** One too far from the points to scale the axis by is named at the edge. */
  readonly limits: readonly Limit[]
  readonly spans: readonly ChartSpan[]
  /** Markers, a line each. */
  readonly marks: readonly { readonly atMs: number; readonly label: string }[]
  /** IANA; the axis is labelled in it and names it. */
  readonly zone: string
}

export type BarChart = {
  readonly title: string
  readonly bars: readonly { readonly label: string; readonly value: number }[]
}
