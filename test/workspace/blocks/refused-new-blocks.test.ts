// What Slack refuses in the newer blocks and in rich text, whatever its size.

import { describe, expect, it } from 'vitest'
import { checkBlocks, type Surface } from '../../../src/workspace/blocks/check.ts'
import { input, mrkdwn, plain, real, section } from './limit-table.ts'

const cell = { type: 'raw_text', text: 'c' }
const richCell = {
  type: 'rich_text',
  elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text: 'r' }] }],
}
const card = { type: 'card', title: mrkdwn('t') }
const task = { type: 'task_card', task_id: 't1', title: 'Look', status: 'in_progress' }
const chart = {
  type: 'data_visualization',
  title: 't',
  chart: { type: 'pie', segments: [{ label: 'l', value: 1 }] },
}

type Row = [name: string, blocks: unknown, faults: string[], surface?: Surface]

const refused: Row[] = [
  [
    'a card of nothing',
    [{ type: 'card', subtitle: mrkdwn('s') }],
    ['/blocks/0/type must define either `hero_image` or `title` or `actions` or `body`'],
  ],
  [
    'a card title that is a string',
    [{ type: 'card', title: 't' }],
    ['/blocks/0/title must provide an object'],
  ],
  [
    'a plan title that is an object',
    [{ type: 'plan', title: plain('p') }],
    ['/blocks/0/title must provide a string'],
  ],
  ['a status that is none', [{ ...task, status: 'done' }], ['/blocks/0/status must be a valid enum value']],
  [
    'a container without a title',
    [{ type: 'container', child_blocks: [section] }],
    ['/blocks/0/type must define either `title` or `rich_text_title`'],
  ],
  [
    'a card in a container',
    [{ type: 'container', title: plain('t'), child_blocks: [card] }],
    ['/blocks/0/child_blocks/0/type unsupported type: card'],
  ],
  [
    'a section in a carousel',
    [{ type: 'carousel', elements: [section] }],
    ['/blocks/0/elements/0/type unsupported type: section'],
  ],
  [
    'an input in a container of a message',
    [{ type: 'container', title: plain('t'), child_blocks: input({ type: 'plain_text_input' }) }],
    ['/blocks/0/child_blocks/0/type unsupported type: input'],
  ],
  [
    'an alert level that is none',
    [{ type: 'alert', text: plain('a'), level: 'loud' }],
    ['/blocks/0/level must be a valid enum value'],
    'modal',
  ],
  [
    'a number cell without a value',
    [{ type: 'table', rows: [[{ type: 'raw_number', text: '1' }]] }],
    ['/blocks/0/rows/0/0 missing required field: value'],
  ],
  [
    'a rich header cell',
    [{ type: 'data_table', caption: 'c', rows: [[richCell], [cell]] }],
    ['/blocks/0/rows/0/0/type unsupported type: rich_text'],
  ],
  [
    'rows of two lengths',
    [{ type: 'data_table', caption: 'c', rows: [[cell], [cell, cell]] }],
    ['/blocks/0/rows/1 must provide 1 items, as the first row does'],
  ],
  [
    'a data table without a caption',
    [{ type: 'data_table', rows: [[cell], [cell]] }],
    ['/blocks/0 missing required field: caption'],
  ],
  [
    'a chart of an unknown type',
    [{ ...chart, chart: { type: 'donut' } }],
    ['/blocks/0/chart/type unsupported type: donut'],
  ],
  [
    'two series of one name',
    [
      {
        ...chart,
        chart: {
          type: 'bar',
          series: [1, 2].map((value) => ({ name: 'cpu', data: [{ label: 'a', value }] })),
          axis_config: { categories: ['a'] },
        },
      },
    ],
    ['/blocks/0/chart/series/1/name `name` "cpu" already exists'],
  ],
  [
    'a list inside a list',
    [
      {
        type: 'rich_text',
        elements: [
          {
            type: 'rich_text_list',
            style: 'bullet',
            elements: [{ type: 'rich_text_list', style: 'bullet', elements: [] }],
          },
        ],
      },
    ],
    ['/blocks/0/elements/0/elements/0/type unsupported type: rich_text_list'],
  ],
  [
    'a mention in preformatted text',
    [
      {
        type: 'rich_text',
        elements: [{ type: 'rich_text_preformatted', elements: [{ type: 'user', user_id: 'U1' }] }],
      },
    ],
    ['/blocks/0/elements/0/elements/0/type unsupported type: user'],
  ],
  [
    'a video that is not https',
    [{ type: 'video', title: plain('t'), alt_text: 'a', video_url: 'http://v', thumbnail_url: 'https://t' }],
    ['/blocks/0/video_url input must match regex pattern: ^https:\\/\\/'],
  ],
]

describe('What is refused in a newer block', () => {
  it.each(refused)('%s', (_name, blocks, faults, surface = 'message') => {
    expect(real(checkBlocks(blocks, surface))).toEqual(faults)
  })
})
