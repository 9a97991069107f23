// Every limit of the blocks that show data.

import {
  atLeast,
  atLeastOneItem,
  characters,
  holdLimits,
  items,
  type Limit,
  notEmpty,
  times,
  x,
} from './limit-table.ts'

const cell = { type: 'raw_text', text: 'c' }
const table = (rows: number, cells: number, extra: object = {}) => [
  { type: 'table', rows: times(rows, () => times(cells, () => cell)), ...extra },
]
const dataTable = (rows: number, extra: object = {}) => [
  { type: 'data_table', caption: 'c', rows: times(rows, () => [cell]), ...extra },
]
const chart = (inner: object, extra: object = {}) => [
  { type: 'data_visualization', title: 't', chart: inner, ...extra },
]
const line = (series: number, categories: number, label: string) =>
  chart({
    type: 'line',
    series: times(series, (index) => ({ name: `s${index}`, data: [{ label, value: 1 }] })),
    axis_config: { categories: times(categories, (index) => `c${index}`) },
  })

const series = (points: number, axis: object = {}) =>
  chart({
    type: 'bar',
    series: [{ name: 's', data: times(points, () => ({ label: 'c', value: -1 })) }],
    axis_config: { categories: ['c'], ...axis },
  })
const pie = (segments: number) =>
  chart({ type: 'pie', segments: times(segments, (index) => ({ label: `l${index}`, value: 1 })) })

const data: Limit[] = [
  { what: 'table rows', build: (n) => table(n, 1), ...items(100), pointer: '/blocks/0/rows' },
  { what: 'table cells', build: (n) => table(1, n), ...items(20), pointer: '/blocks/0/rows/0' },
  {
    what: 'table column settings',
    build: (n) => table(1, 1, { column_settings: times(n, () => ({ align: 'right' })) }),
    ...items(20),
    pointer: '/blocks/0/column_settings',
  },
  {
    what: 'tables of a message',
    build: (n) => times(n, () => table(1, 1)[0]),
    good: 1,
    bad: 2,
    message: 'only_one_table_allowed',
    pointer: '/blocks/1',
  },
  { what: 'data_table rows', build: (n) => dataTable(n), ...items(201), pointer: '/blocks/0/rows' },
  {
    what: 'data_table rows with the header',
    build: (n) => dataTable(n),
    good: 2,
    bad: 1,
    message: 'must provide at least 2 items',
    pointer: '/blocks/0/rows',
  },
  {
    what: 'data_table page_size',
    build: (n) => dataTable(2, { page_size: n }),
    good: 100,
    bad: 101,
    message: 'must be at most 100',
    pointer: '/blocks/0/page_size',
  },
  {
    what: 'the least data_table page_size',
    build: (n) => dataTable(2, { page_size: n }),
    good: 1,
    bad: 0,
    message: 'must be at least 1',
    pointer: '/blocks/0/page_size',
  },
  {
    what: 'chart title',
    build: (n) => [{ ...line(1, 1, 'c0')[0], title: x(n) }],
    ...characters(50),
    pointer: '/blocks/0/title',
  },
  {
    what: 'charts of a message',
    build: (n) => times(n, () => line(1, 1, 'c0')[0]),
    good: 2,
    bad: 3,
    message: 'too many data_visualization blocks',
    pointer: '/blocks/2',
  },
  { what: 'chart series', build: (n) => line(n, 1, 'c0'), ...items(12), pointer: '/blocks/0/chart/series' },
  {
    what: 'chart categories',
    build: (n) => line(1, n, 'c0'),
    ...items(20),
    pointer: '/blocks/0/chart/axis_config/categories',
  },
  {
    what: 'chart labels',
    build: (n) => line(1, 1, x(n)),
    ...characters(20),
    pointer: '/blocks/0/chart/series/0/data/0/label',
  },
  {
    what: 'pie segments',
    build: pie,
    ...items(12),
    pointer: '/blocks/0/chart/segments',
  },
  {
    what: 'a slice of a pie',
    build: (n) => chart({ type: 'pie', segments: [{ label: 'l', value: n }] }),
    good: 0.5,
    bad: 0,
    message: 'must be more than 0',
    pointer: '/blocks/0/chart/segments/0/value',
  },
  { what: 'no table rows', build: (n) => table(n, 1), ...atLeastOneItem, pointer: '/blocks/0/rows' },
  { what: 'no table cells', build: (n) => table(1, n), ...atLeastOneItem, pointer: '/blocks/0/rows/0' },
  {
    what: 'a table cell that is empty',
    build: (n) => [{ type: 'table', rows: [[{ type: 'raw_text', text: x(n) }]] }],
    ...notEmpty,
    pointer: '/blocks/0/rows/0/0/text',
  },
  {
    what: 'the header column of a data_table',
    build: (n) => dataTable(2, { row_header_column_index: n }),
    ...atLeast(0),
    pointer: '/blocks/0/row_header_column_index',
  },
  {
    what: 'no chart series',
    build: (n) => line(n, 1, 'c0'),
    ...atLeastOneItem,
    pointer: '/blocks/0/chart/series',
  },
  {
    what: 'no chart data',
    build: (n) => series(n),
    ...atLeastOneItem,
    pointer: '/blocks/0/chart/series/0/data',
  },
  { what: 'chart data', build: (n) => series(n), ...items(20), pointer: '/blocks/0/chart/series/0/data' },
  {
    what: 'axis label',
    build: (n) => series(1, { y_label: x(n) }),
    ...characters(50),
    pointer: '/blocks/0/chart/axis_config/y_label',
  },
  { what: 'no pie segments', build: (n) => pie(n), ...atLeastOneItem, pointer: '/blocks/0/chart/segments' },
]
holdLimits('Limits of tables and charts', data)
