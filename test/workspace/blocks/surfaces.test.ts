// Which block may stand on which surface.

import { describe, expect, it } from 'vitest'
import { checkBlocks, type Surface } from '../../../src/workspace/blocks/check.ts'
import { actions, button, input, mrkdwn, plain, real, section } from './limit-table.ts'

const cell = { type: 'raw_text', text: 'c' }
const richCell = {
  type: 'rich_text',
  elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text: 'r' }] }],
}
const card = { type: 'card', title: mrkdwn('t') }
const image = { type: 'image', alt_text: 'a', image_url: 'https://a.test/1.png' }
const task = { type: 'task_card', task_id: 't1', title: 'Look', status: 'in_progress' }
const chart = {
  type: 'data_visualization',
  title: 't',
  chart: { type: 'pie', segments: [{ label: 'l', value: 1 }] },
}

const all: Surface[] = ['message', 'modal', 'home']
const standing: [object, Surface[]][] = [
  [section, all],
  [{ type: 'header', text: plain('h') }, all],
  [{ type: 'context', elements: [mrkdwn('c'), image] }, all],
  [actions(button())[0] ?? {}, all],
  [{ type: 'divider' }, all],
  [image, all],
  [richCell, all],
  [
    {
      type: 'video',
      title: plain('t'),
      alt_text: 'a',
      video_url: 'https://v.test',
      thumbnail_url: 'https://v.test/t',
    },
    all,
  ],
  [card, all],
  [input({ type: 'plain_text_input' })[0] ?? {}, ['modal', 'home']],
  [{ type: 'alert', text: plain('a'), level: 'error' }, ['modal']],
  [{ type: 'markdown', text: '# m' }, ['message']],
  [{ type: 'table', rows: [[cell, richCell]] }, ['message', 'home']],
  [{ type: 'data_table', caption: 'c', rows: [[cell], [richCell]] }, ['message', 'home']],
  [chart, ['message']],
  [{ type: 'carousel', elements: [card] }, ['message', 'home']],
  [{ type: 'container', title: plain('t'), child_blocks: [section] }, ['message', 'home']],
  [
    { type: 'context_actions', elements: [{ type: 'icon_button', icon: 'trash', text: plain('Delete') }] },
    ['message'],
  ],
  [task, ['message']],
  [{ type: 'plan', title: 'p', tasks: [task] }, ['message']],
  [{ type: 'file', source: 'remote', external_id: 'x' }, []],
]

describe('Where a block may stand', () => {
  for (const [block, surfaces] of standing) {
    const type = 'type' in block ? String(block.type) : ''
    for (const surface of all) {
      const stands = surfaces.includes(surface)
      it(`${type} ${stands ? 'may' : 'may not'} stand on a ${surface}`, () => {
        const expected = stands ? [] : [`/blocks/0/type unsupported type: ${type}`]
        expect(real(checkBlocks([block], surface))).toEqual(expected)
      })
    }
  }
})
