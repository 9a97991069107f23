/** Slack's limits on the blocks that the bot sends: each is tried at the limit and one beyond it (docs/slack.md#limits-of-messages). */
import { describe, expect, test } from 'vitest'
import { textLength } from '../../src/workspace/blocks/check.ts'
import {
  actions,
  button,
  check,
  element,
  home,
  image,
  modal,
  mrkdwn,
  option,
  options,
  plain,
  raw,
  section,
  select,
  table,
  times,
  typing,
  withInput,
  x,
} from './block-parts.ts'

const grouped = (groups: number, each: number, label = 'Server') =>
  actions({
    type: 'static_select',
    option_groups: times(groups, () => ({ label: plain(label), options: options(each) })),
  })
const asking = (over: object) => {
  const whole = { title: plain('Sure?'), text: plain('It goes.'), confirm: plain('Yes'), deny: plain('No') }
  return actions(button({ confirm: { ...whole, ...over } }))
}

const longest: [what: string, build: (size: number) => unknown, max: number, pointer: string][] = [
  ['block_id', (n) => [{ ...section, block_id: x(n) }], 255, '/blocks/0/block_id'],
  ['section text', (n) => [{ type: 'section', text: mrkdwn(x(n)) }], 3000, '/blocks/0/text/text'],
  [
    'emoji count once',
    (n) => [{ type: 'section', text: mrkdwn('🔴'.repeat(n)) }],
    3000,
    '/blocks/0/text/text',
  ],
  ['context text', (n) => [{ type: 'context', elements: [mrkdwn(x(n))] }], 3000, `${element}/text`],
  ['alt_text', (n) => [{ ...image, alt_text: x(n) }], 2000, '/blocks/0/alt_text'],
  ['action_id', (n) => actions(button({ action_id: x(n) })), 255, `${element}/action_id`],
  ['button text', (n) => actions(button({ text: plain(x(n)) })), 75, `${element}/text/text`],
  ['button value', (n) => actions(button({ value: x(n) })), 2000, `${element}/value`],
  [
    'option text',
    (n) => select({ options: [{ ...option('a'), text: plain(x(n)) }] }),
    75,
    `${element}/options/0/text/text`,
  ],
  [
    'option value',
    (n) => select({ options: [{ ...option('a'), value: x(n) }] }),
    150,
    `${element}/options/0/value`,
  ],
  ['label of a group', (n) => grouped(1, 1, x(n)), 75, `${element}/option_groups/0/label/text`],
  ['title of a question', (n) => asking({ title: plain(x(n)) }), 100, `${element}/confirm/title/text`],
  ['text of a question', (n) => asking({ text: mrkdwn(x(n)) }), 300, `${element}/confirm/text/text`],
  ['yes of a question', (n) => asking({ confirm: plain(x(n)) }), 30, `${element}/confirm/confirm/text`],
  ['no of a question', (n) => asking({ deny: plain(x(n)) }), 30, `${element}/confirm/deny/text`],
  ['placeholder', (n) => select({ placeholder: plain(x(n)) }), 150, `${element}/placeholder/text`],
  ['input label', (n) => withInput(typing(), { label: plain(x(n)) }), 2000, '/blocks/0/label/text'],
  ['input hint', (n) => withInput(typing(), { hint: plain(x(n)) }), 2000, '/blocks/0/hint/text'],
  ['title', (n) => modal({ title: plain(x(n)) }), 24, '/title/text'],
  ['submit', (n) => modal({ submit: plain(x(n)) }), 24, '/submit/text'],
  ['close', (n) => modal({ close: plain(x(n)) }), 24, '/close/text'],
  ['private_metadata', (n) => modal({ private_metadata: x(n) }), 3000, '/private_metadata'],
  ['private_metadata of Home', (n) => home({ private_metadata: x(n) }), 3000, '/private_metadata'],
  ['callback_id', (n) => modal({ callback_id: x(n) }), 255, '/callback_id'],
]

test.each(longest)('%s: the longest is taken, one character more is not', (_what, build, max, pointer) => {
  expect(check(build(max))).toEqual([])
  expect(check(build(max + 1))).toEqual([`${pointer} must be less than ${max + 1} characters`])
})

const most: [what: string, build: (size: number) => unknown, max: number, pointer: string][] = [
  ['blocks of a message', (n) => times(n, () => section), 50, '/blocks'],
  ['blocks of a modal', (n) => modal({ blocks: times(n, () => section) }), 100, '/blocks'],
  ['blocks of the Home tab', (n) => home({ blocks: times(n, () => section) }), 100, '/blocks'],
  [
    'context elements',
    (n) => [{ type: 'context', elements: times(n, () => mrkdwn('c')) }],
    10,
    '/blocks/0/elements',
  ],
  ['actions', (n) => actions(...times(n, () => button())), 25, '/blocks/0/elements'],
  ['options of a select', (n) => select({ options: options(n) }), 100, `${element}/options`],
  ['groups of a select', (n) => grouped(n, 1), 100, `${element}/option_groups`],
  ['rows of a table', (n) => table(times(n, () => [raw()])), 100, '/blocks/0/rows'],
  ['cells of a row', (n) => table([times(n, () => raw())]), 20, '/blocks/0/rows/0'],
  [
    'settings of columns',
    (n) => table([[raw()]], { column_settings: times(n, () => ({})) }),
    20,
    '/blocks/0/column_settings',
  ],
  ['options of a group', (n) => grouped(1, n), 100, `${element}/option_groups/0/options`],
]

test.each(most)('%s: the most are taken, one more is not', (_what, build, max, pointer) => {
  expect(check(build(max))).toEqual([])
  expect(check(build(max + 1))).toEqual([`${pointer} no more than ${max} items allowed`])
})

test('a table has 10,000 characters in all cells', () => {
  const rows = times(10, () => [raw(x(500)), raw('🔴'.repeat(500))])
  expect(check(table(rows))).toEqual([])
  expect(check(table([...rows, [raw()]]))).toEqual([
    '/blocks/0/rows must be less than 10001 characters in all cells',
  ])
})

describe('the text of all blocks together', () => {
  test('is what people read, options among it, and nothing else', () => {
    const blocks = [
      { type: 'section', text: mrkdwn('🔴🔴'), block_id: 'not text' },
      { ...image, alt_text: '1234' },
      ...actions(button({ text: plain('12'), value: 'not text', action_id: 'not_text' })),
      ...actions({ type: 'static_select', options: [option('a'), option('b')] }),
    ]
    expect(textLength(blocks)).toBe(2 + 4 + 2 + 16)
  })
})
