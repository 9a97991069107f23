/** A row of what `npm run bench` prints: what was measured, beside the least that it could be, in the same run. */

export type Figure = {
  readonly figure: string
  /** What it was measured with, for instance `10,000 alerts listed`. */
  readonly size: string
  readonly unit: 'ms' | 'MB' | 'requests' | 'bytes'
  readonly measured: number
  /** The least possible, or what does the same and nothing else. */
  readonly floor: number
  readonly floorIs: string
  /** Null where there is none: it is measured to be known. */
  readonly goal: { readonly of: 'ratio' | 'measured'; readonly atMost: number } | null
}

export const ratioOf = ({ measured, floor }: Figure): number => measured / floor

export function isMet(figure: Figure): boolean {
  const { goal, measured } = figure
  return goal === null || (goal.of === 'ratio' ? ratioOf(figure) : measured) <= goal.atMost
}

export function tableOf(figures: readonly Figure[]): string {
  return [
    '| figure | size | measured | beside it | ratio | goal | met |',
    '|---|---|---:|---:|---:|---:|---|',
    ...figures.map((figure) => {
      const { goal, unit } = figure
      const said = (value: number) => `${numberOf(value)} ${unit}`
      const cells = [
        figure.figure,
        figure.size,
        said(figure.measured),
        `${said(figure.floor)}: ${figure.floorIs}`,
        ratioOf(figure).toFixed(2),
        goal === null ? '' : goal.of === 'ratio' ? `ratio ${goal.atMost}` : said(goal.atMost),
        goal === null ? '' : isMet(figure) ? 'yes' : '**no**',
      ]
      return `| ${cells.join(' | ')} |`
    }),
  ].join('\n')
}

/** Two digits of what is small; whole numbers of the rest. */
function numberOf(value: number): string {
  return value.toLocaleString('en', { maximumFractionDigits: value < 10 ? 2 : value < 100 ? 1 : 0 })
}

/** The value below which this share of them lies; NaN of nothing. */
export function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(share * values.length) - 1] ?? Number.NaN
}

export const median = (values: readonly number[]): number => quantile(values, 0.5)

/** Of a number of alerts or the like, as people write it. */
export const many = (count: number): string => count.toLocaleString('en')
