// Every limit of the newer blocks.

import {
  atLeast,
  atLeastOneItem,
  button,
  characters,
  holdLimits,
  items,
  type Limit,
  mrkdwn,
  notEmpty,
  plain,
  section,
  times,
  x,
} from './limit-table.ts'

const card = (extra: object) => ({ type: 'card', title: mrkdwn('t'), ...extra })
const container = (extra: object) => [
  { type: 'container', title: plain('t'), child_blocks: [section], ...extra },
]
const icon = () => ({ type: 'icon_button', icon: 'trash', text: plain('Delete') })
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
const feedback = (text: string) => ({
  type: 'feedback_buttons',
  positive_button: { text: plain('+'), value: 'yes' },
  negative_button: { text: plain(text), value: 'no' },
})

const newer: Limit[] = [
  {
    what: 'markdown text',
    build: (n) => [{ type: 'markdown', text: x(n) }],
    ...characters(12_000),
    pointer: '/blocks/0/text',
  },
  {
    what: 'markdown texts together',
    build: (n) => [
      { type: 'markdown', text: x(11_999) },
      { type: 'markdown', text: x(n - 11_999) },
    ],
    ...characters(12_000),
    pointer: '/blocks/1/text',
  },
  {
    what: 'context_actions elements',
    build: (n) => [{ type: 'context_actions', elements: times(n, icon) }],
    ...items(5),
    pointer: '/blocks/0/elements',
  },
  {
    what: 'alert text',
    build: (n) => [{ type: 'alert', text: mrkdwn(x(n)) }],
    ...characters(200),
    pointer: '/blocks/0/text/text',
    surface: 'modal',
  },
  {
    what: 'card title',
    build: (n) => [card({ title: mrkdwn(x(n)) })],
    ...characters(150),
    pointer: '/blocks/0/title/text',
  },
  {
    what: 'card subtitle',
    build: (n) => [card({ subtitle: mrkdwn(x(n)) })],
    ...characters(150),
    pointer: '/blocks/0/subtitle/text',
  },
  {
    what: 'card body',
    build: (n) => [card({ body: mrkdwn(x(n)) })],
    ...characters(200),
    pointer: '/blocks/0/body/text',
  },
  {
    what: 'card buttons',
    build: (n) => [card({ actions: times(n, () => button()) })],
    ...items(3),
    pointer: '/blocks/0/actions',
  },
  {
    what: 'carousel cards',
    build: (n) => [{ type: 'carousel', elements: times(n, () => card({})) }],
    ...items(10),
    pointer: '/blocks/0/elements',
  },
  {
    what: 'no carousel cards',
    build: (n) => [{ type: 'carousel', elements: times(n, () => card({})) }],
    ...atLeastOneItem,
    pointer: '/blocks/0/elements',
  },
  {
    what: 'container title',
    build: (n) => container({ title: plain(x(n)) }),
    ...characters(150),
    pointer: '/blocks/0/title/text',
  },
  {
    what: 'container subtitle',
    build: (n) => container({ subtitle: mrkdwn(x(n)) }),
    ...characters(150),
    pointer: '/blocks/0/subtitle/text',
  },
  {
    what: 'container children',
    build: (n) => container({ child_blocks: times(n, () => section) }),
    ...items(10),
    pointer: '/blocks/0/child_blocks',
  },
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

  {
    what: 'no context_actions elements',
    build: (n) => [{ type: 'context_actions', elements: times(n, icon) }],
    ...atLeastOneItem,
    pointer: '/blocks/0/elements',
  },
  {
    what: 'icon_button text',
    build: (n) => [{ type: 'context_actions', elements: [{ ...icon(), text: plain(x(n)) }] }],
    ...characters(75),
    pointer: '/blocks/0/elements/0/text/text',
  },
  {
    what: 'feedback text',
    build: (n) => [{ type: 'context_actions', elements: [feedback(x(n))] }],
    ...characters(75),
    pointer: '/blocks/0/elements/0/negative_button/text/text',
  },
  {
    what: 'card subtext',
    build: (n) => [card({ subtext: mrkdwn(x(n)) })],
    ...characters(200),
    pointer: '/blocks/0/subtext/text',
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
holdLimits('Limits of the newer blocks', newer)
