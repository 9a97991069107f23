/** Reads the metric's facts from a title in the API's own form, which saves a request. */
import type { Limit } from './reading.ts'

/** What a title in the API's own form says: `CPU busy met or exceeded 90.00%, increasing to 97.20%`. */
export type TitleFacts = {
  /** `CPU busy`. */
  readonly what: string
  readonly limit: Limit
  readonly units: string
  readonly value: number | null
}

const titleCharsMax = 400
const form =
  /^(?!met )(?<what>\S.{0,199}?) (?:met or )?(?<verb>exceeded|fell below) (?<limit>-?\d{1,18}(?:\.\d{1,18})?)(?<units> ?%| [\p{L}°][\p{L}/]{0,9}|)(?:, (?:increasing|decreasing) to (?<value>-?\d{1,18}(?:\.\d{1,18})?)(?<valueUnits> ?%| [\p{L}°][\p{L}/]{0,9}|))?$/u

/** Null for any other title: it may say more than a number and its limit. */
export function factsOfTitle(title: string): TitleFacts | null {
  const found = title.length > titleCharsMax ? undefined : form.exec(title)?.groups
  if (found === undefined) return null
  const { what = '', verb, limit = '', units: named = '', value, valueUnits } = found
  if (value !== undefined && valueUnits !== named) return null
  return {
    what,
    limit: { value: Number(limit), side: verb === 'exceeded' ? 'high' : 'low' },
    units: named.trim(),
    value: value === undefined ? null : Number(value),
  }
}
