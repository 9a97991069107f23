// Views: the limits around the blocks of a modal and of the Home tab.

import { describe, expect, it } from 'vitest'
import { checkView } from '../../../src/workspace/blocks/check.ts'
import { input, plain, real, section, times, x } from './limit-table.ts'

const modal = (extra: object = {}) => ({ type: 'modal', title: plain('Mute'), blocks: [section], ...extra })
const home = (extra: object = {}) => ({ type: 'home', blocks: [section], ...extra })
const typing = input({ type: 'plain_text_input' })

const limits: [what: string, build: (size: number) => unknown, max: number, pointer: string][] = [
  ['title', (n) => modal({ title: plain(x(n)) }), 24, '/title/text'],
  ['submit', (n) => modal({ submit: plain(x(n)) }), 24, '/submit/text'],
  ['close', (n) => modal({ close: plain(x(n)) }), 24, '/close/text'],
  ['private_metadata', (n) => modal({ private_metadata: x(n) }), 3000, '/private_metadata'],
  ['callback_id', (n) => modal({ callback_id: x(n) }), 255, '/callback_id'],
  ['external_id', (n) => modal({ external_id: x(n) }), 255, '/external_id'],
  ['private_metadata of Home', (n) => home({ private_metadata: x(n) }), 3000, '/private_metadata'],
]

describe('Limits of a view', () => {
  it.each(limits)('%s', (_what, build, max, pointer) => {
    expect(checkView(build(max))).toEqual([])
    expect(real(checkView(build(max + 1)))).toEqual([`${pointer} must be less than ${max + 1} characters`])
  })

  it.each([modal, home])('takes 100 blocks and not one more', (view) => {
    expect(checkView(view({ blocks: times(100, () => section) }))).toEqual([])
    expect(real(checkView(view({ blocks: times(101, () => section) })))).toEqual([
      '/blocks no more than 100 items allowed',
    ])
  })
})

const rows: [name: string, view: unknown, faults: string[]][] = [
  ['an input with submit', modal({ blocks: typing, submit: plain('Save') }), []],
  [
    'an input without submit',
    modal({ blocks: [section, ...typing] }),
    ['/blocks/1/input must define `submit` to use an `input` block in modals'],
  ],
  ['an input on Home, which has no submit', home({ blocks: typing }), []],
  ['no title', { type: 'modal', blocks: [] }, [' missing required field: title']],
  ['no blocks', { type: 'home' }, [' missing required field: blocks']],
  ['no type', { blocks: [] }, [' missing required field: type']],
  ['another type', { type: 'workflow_step', blocks: [] }, ['/type unsupported type: workflow_step']],
  ['no object', '{}', [' must provide an object']],
  ['an unknown key', modal({ colour: 'red' }), [' invalid additional property: colour']],
  [
    'a mrkdwn title',
    modal({ title: { type: 'mrkdwn', text: 't' } }),
    ['/title/type unsupported type: mrkdwn'],
  ],
  [
    'an alert on Home',
    home({ blocks: [{ type: 'alert', text: plain('a') }] }),
    ['/blocks/0/type unsupported type: alert'],
  ],
  ['an alert in a modal', modal({ blocks: [{ type: 'alert', text: plain('a') }] }), []],
  [
    'a block_id twice',
    modal({ blocks: times(2, () => ({ ...section, block_id: 'a' })) }),
    ['/blocks/1/block_id `block_id` "a" already exists'],
  ],
  [
    'two elements that want the focus',
    home({ blocks: times(2, () => input({ type: 'plain_text_input', focus_on_load: true })[0]) }),
    ['/blocks/1/element/focus_on_load only one element may be focused on load'],
  ],
]

describe('What a view is refused for', () => {
  it.each(rows)('%s', (_name, view, faults) => {
    expect(real(checkView(view))).toEqual(faults)
  })
})
