// The blocks that show data: table, data_table and data_visualization.
// Limits: https://docs.slack.dev/reference/block-kit/blocks/table-block, .../data-table-block, and
// https://docs.slack.dev/changelog/2026/06/16/block-kit-data-visualization-block/

import { alreadyExists, fault, unsupportedType } from './fault.ts'
import {
  flag,
  integer,
  isObject,
  kinds,
  list,
  number,
  type ObjectRule,
  oneOf,
  type Rule,
  shape,
  text,
  typed,
} from './rule.ts'
import { block } from './schema-blocks.ts'
import { richTextBlock } from './schema-rich-text.ts'
import { into } from './spot.ts'

const word = text({ min: 1 })
const rawCells = {
  raw_text: typed({ text: word }),
  raw_number: typed({ value: number(), text: word }),
}
const cell = kinds({ ...rawCells, rich_text: richTextBlock })
const row = list(cell, { min: 1, max: 20 })

const columnSetting = shape({}, { align: oneOf('left', 'center', 'right'), is_wrapped: flag })
// null skips a column.
const columnSettingOrNull: Rule = (value, spot) => (value === null ? [] : columnSetting(value, spot))

export const tableBlock = block(
  { rows: list(row, { min: 1, max: 100 }) },
  { column_settings: list(columnSettingOrNull, { max: 20 }) },
)

/** (ours, the wording) Rows are of one length, and the header holds no rich_text. */
const straightRows: ObjectRule = ({ rows }, spot) => {
  if (!Array.isArray(rows)) return []
  const [header, ...rest]: unknown[] = rows
  if (!Array.isArray(header)) return []
  const rowsAt = into(spot, 'rows')
  const rich = header.flatMap((entry: unknown, index) =>
    isObject(entry) && entry.type === 'rich_text'
      ? [unsupportedType(into(into(into(rowsAt, 0), index), 'type'), Object.keys(rawCells), 'rich_text')]
      : [],
  )
  const uneven = rest.flatMap((cells, index) =>
    Array.isArray(cells) && cells.length !== header.length
      ? [
          fault(into(rowsAt, index + 1), `must provide ${header.length} items, as the first row does`, {
            type: 'equal_items',
            expected: header.length,
            got: cells.length,
          }),
        ]
      : [],
  )
  return [...rich, ...uneven]
}

/** At most 201 rows with the header: sources say 101 or 201, the generous one counts here. [?] */
export const dataTableBlock = block(
  { caption: text(), rows: list(row, { min: 2, max: 201 }) },
  { page_size: integer({ min: 1, max: 100 }), row_header_column_index: integer({ min: 0 }) },
  straightRows,
)

// The figures below differ between sources (6 or 12 segments, for one); the generous ones count here. [?]
const partsMax = 12
const categoriesMax = 20
const label = text({ max: 20 })
const axisLabel = text({ max: 50 })
const series = list(
  shape({
    name: label,
    data: list(shape({ label, value: number() }), { min: 1, max: categoriesMax }),
  }),
  { min: 1, max: partsMax },
)

const ownNames: ObjectRule = (chart, spot) => {
  const seen = new Set<string>()
  return (Array.isArray(chart.series) ? chart.series : []).flatMap((entry: unknown, index) => {
    const name = isObject(entry) && typeof entry.name === 'string' ? entry.name : ''
    if (!seen.has(name)) {
      seen.add(name)
      return []
    }
    return [alreadyExists(into(into(into(spot, 'series'), index), 'name'), name)]
  })
}

const axes = shape(
  { categories: list(label, { max: categoriesMax }) },
  { x_label: axisLabel, y_label: axisLabel },
)
const plotted = typed({ series, axis_config: axes }, {}, ownNames)
/** (ours, the wording) */
const positive: Rule = (value, spot) =>
  typeof value === 'number' && value <= 0
    ? [fault(spot, 'must be more than 0', { type: 'exclusive_min', min: 0, got: value })]
    : number()(value, spot)
const segment = shape({ label, value: positive })

export const dataVisualizationBlock = block({
  title: text({ max: 50 }),
  chart: kinds({
    line: plotted,
    bar: plotted,
    area: plotted,
    pie: typed({ segments: list(segment, { min: 1, max: partsMax }) }),
  }),
})
