// What the parts of a message must have in common: choices made beforehand, and ids that do not repeat.

import { describe, expect, it } from 'vitest'
import { checkBlocks } from '../../../src/workspace/blocks/check.ts'
import { actions, button, mrkdwn, option, options, plain, real, section } from './limit-table.ts'

type Row = [name: string, blocks: unknown, faults: string[]]

const card = { type: 'card', title: mrkdwn('t') }

describe('Choices made beforehand', () => {
  const offered = { options: options(3) }
  const groups = { option_groups: [{ label: plain('g'), options: options(3) }] }
  const unoffered = 'must match one of the provided options exactly'
  const rows: Row[] = [
    ['an offered option', actions({ type: 'static_select', ...offered, initial_option: option('2') }), []],
    ['an option of a group', actions({ type: 'static_select', ...groups, initial_option: option('2') }), []],
    [
      'an option with another text',
      actions({ type: 'static_select', ...offered, initial_option: { ...option('2'), text: plain('Two') } }),
      [`/blocks/0/elements/0/initial_option ${unoffered}`],
    ],
    [
      'an option of no group',
      actions({ type: 'static_select', ...groups, initial_option: option('9') }),
      [`/blocks/0/elements/0/initial_option ${unoffered}`],
    ],
    [
      'the second of two',
      actions({ type: 'checkboxes', ...offered, initial_options: [option('0'), option('7')] }),
      [`/blocks/0/elements/0/initial_options/1 ${unoffered}`],
    ],
    [
      'a radio button',
      actions({ type: 'radio_buttons', ...offered, initial_option: option('7') }),
      [`/blocks/0/elements/0/initial_option ${unoffered}`],
    ],
    [
      'any option of an external source',
      actions({ type: 'external_select', initial_option: option('7') }),
      [],
    ],
  ]
  it.each(rows)('%s', (_name, blocks, faults) => {
    expect(real(checkBlocks(blocks, 'message'))).toEqual(faults)
  })
})

describe('Ids', () => {
  const pressed = (id: string, block: string) => ({
    ...actions(button({ action_id: id }))[0],
    block_id: block,
  })
  const twice = actions(button({ action_id: 'go' }), button({ action_id: 'go' }))
  const nested = { type: 'container', title: plain('t'), child_blocks: [{ ...section, block_id: 'a' }] }
  const rows: Row[] = [
    [
      'an action_id twice in a block',
      twice,
      ['/blocks/0/elements/1/action_id `action_id` "go" already exists'],
    ],
    ['an action_id in two blocks', [pressed('go', 'a'), pressed('go', 'b')], []],
    [
      'a block_id twice',
      [pressed('go', 'a'), pressed('stop', 'a')],
      ['/blocks/1/block_id `block_id` "a" already exists'],
    ],
    [
      'a block_id outside and inside',
      [pressed('go', 'a'), nested],
      ['/blocks/1/child_blocks/0/block_id `block_id` "a" already exists'],
    ],
    [
      'an action_id in two cards',
      [
        {
          type: 'carousel',
          elements: [1, 2].map(() => ({ ...card, actions: [button({ action_id: 'go' })] })),
        },
      ],
      [],
    ],
    ['blocks without ids', [section, section], []],
  ]
  it.each(rows)('%s', (_name, blocks, faults) => {
    expect(real(checkBlocks(blocks, 'message'))).toEqual(faults)
  })
})
