/** A row of what `npm run bench` prints: what was measured, beside the least that it could be, in the same run. */
import { counted, measured } from './measured.ts'

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

/** Throws where there is no figure, or where one of them was not measured. */
export function tableOf(figures: readonly Figure[]): string {
  if (figures.length === 0) throw new Error('expected at least one figure; came none')
  for (const { figure, size, measured: value, floor } of figures) {
    measured(`${figure}, ${size}`, value)
    // What takes less than the clock can tell is a floor of 0.
    counted(`${figure}, ${size}, beside it`, floor)
  }
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
        figure.floor === 0 ? '' : ratioOf(figure).toFixed(2),
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

/** The value below which this share of them lies. Throws where there is none: nothing was measured. */
export function quantile(values: readonly number[], share: number): number {
  const value = values.toSorted((a, b) => a - b)[Math.ceil(share * values.length) - 1]
  if (value === undefined || Number.isNaN(value)) throw new Error('expected something measured; came nothing')
  return value
}

export const median = (values: readonly number[]): number => quantile(values, 0.5)

/** Of a number of alerts or the like, as people write it. */
export const many = (count: number): string => count.toLocaleString('en')
