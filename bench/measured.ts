/** What all measurements have in common: a figure that was not measured ends the run, and `--short` takes little of everything. */

/**
 * `--short`: a few seconds of each measurement, so that a test sees that it still measures. Its figures say nothing, no goal is
 * judged, and nothing is written into the project.
 */
export const isShort = process.argv.includes('--short')

/** This much of it; less in a short run. */
export const sized = <T>(whole: T, short: T): T => (isShort ? short : whole)

/**
 * The value itself. Throws where nothing was measured: what did not happen leaves NaN, Infinity or 0 behind, and a table of
 * those looks like a result.
 */
export function measured(what: string, value: number | undefined): number {
  if (value !== undefined && Number.isFinite(value) && value > 0) return value
  throw new Error(`expected a measurement of "${what}"; came ${value}`)
}

/** As `measured`, but nothing at all is a result here, for instance messages that were lost. */
export function counted(what: string, value: number | undefined): number {
  return value === 0 ? 0 : measured(what, value)
}
