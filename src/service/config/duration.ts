/** Durations as people write them in the file: `15s`, `5m`, `1h30m`, `2d`. */

const unitMs: ReadonlyMap<string, number> = new Map([
  ['ms', 1],
  ['s', 1_000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
  ['w', 604_800_000],
])
const whole = /^(?:\d{1,9}(?:ms|[smhdw]))+$/

/** Whole milliseconds, may be 0; null if invalid: a unit is required. */
export function parseDuration(text: string): number | null {
  if (text.length > 40 || !whole.test(text)) return null
  const parts = text.matchAll(/(\d+)(ms|[smhdw])/g)
  return [...parts].reduce((sum, [, count, unit = '']) => sum + Number(count) * (unitMs.get(unit) ?? 0), 0)
}

/** `1h30m`, as `parseDuration` reads it. */
export function durationText(ms: number): string {
  let rest = ms
  const parts = ['d', 'h', 'm', 's', 'ms'].map((unit) => {
    const count = Math.floor(rest / (unitMs.get(unit) ?? 1))
    rest -= count * (unitMs.get(unit) ?? 1)
    return count === 0 ? '' : `${count}${unit}`
  })
  return parts.join('') || '0s'
}
