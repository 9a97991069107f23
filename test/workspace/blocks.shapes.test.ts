/** What Slack refuses in blocks and views whatever its size, with Slack's words, and what it takes (docs/slack.md#limits-of-messages). */
import { expect, test } from 'vitest'
import { checkBlocks } from '../../src/workspace/blocks/check.ts'
import {
  actions,
  button,
  check,
  element,
  home,
  image,
  input,
  modal,
  mrkdwn,
  option,
  options,
  plain,
  raw,
  real,
  section,
  table,
  typing,
  withInput,
  x,
} from './block-parts.ts'

const twoIds = (block_id: string, action_id: string) => ({ ...actions(button({ action_id }))[0], block_id })
const rich = (element: object) => ({
  type: 'rich_text',
  elements: [{ type: 'rich_text_section', elements: [element] }],
})
const offered = { type: 'static_select', options: options(3) }
const unoffered = 'must match one of the provided options exactly'

const refused: [what: string, given: unknown, ...faults: string[]][] = [
  ['a block that is no object', ['hi'], '/blocks/0 must provide an object'],
  ['a block without a type', [{}], '/blocks/0 missing required field: type'],
  ['a block whose type is a number', [{ type: 5 }], '/blocks/0/type must provide a string'],
  [
    'a key that nobody knows',
    [{ ...section, 'a/b': { c: 1 } }],
    '/blocks/0 invalid additional property: a/b',
  ],
  ['a text that is a string', [{ type: 'section', text: 'h' }], '/blocks/0/text must provide an object'],
  [
    'a section without text',
    [{ type: 'section', accessory: button() }],
    '/blocks/0 missing required field: text',
  ],
  ['an empty cell', table([[raw('')]]), '/blocks/0/rows/0/0/text must be more than 0 characters'],
  ['a cell of mrkdwn', table([[mrkdwn('a')]]), '/blocks/0/rows/0/0/type unsupported type: mrkdwn'],
  [
    'a column that is aligned nowhere',
    table([[raw()]], { column_settings: [{ align: 'top' }] }),
    '/blocks/0/column_settings/0/align must be a valid enum value',
  ],
  ['a table in a form', modal({ blocks: table([[raw()]]) }), '/blocks/0/type unsupported type: table'],
  [
    'a select without options',
    actions({ type: 'static_select' }),
    `${element} must define either \`options\` or \`option_groups\``,
  ],
  [
    'a select with options and groups of options',
    actions({ ...offered, option_groups: [{ label: plain('Server'), options: options(1) }] }),
    `${element} must define either \`options\` or \`option_groups\``,
  ],
  [
    'a group of options without a label',
    actions({ type: 'static_select', option_groups: [{ options: options(1) }] }),
    `${element}/option_groups/0 missing required field: label`,
  ],
  [
    'a first choice that no group offers',
    actions({
      type: 'static_select',
      option_groups: [{ label: plain('Server'), options: options(1) }],
      initial_option: option('1'),
    }),
    `${element}/initial_option ${unoffered}`,
  ],
  [
    'a key of Slack that the bot never sends',
    actions(button({ focus_on_load: true })),
    `${element} invalid additional property: focus_on_load`,
  ],
  [
    'a question without its buttons',
    actions(button({ confirm: { title: plain('Sure?'), text: mrkdwn('It goes.') } })),
    `${element}/confirm missing required field: confirm`,
    `${element}/confirm missing required field: deny`,
  ],
  [
    'a text that is a number',
    [{ type: 'section', text: { type: 'plain_text', text: 5 } }],
    '/blocks/0/text/text must provide a string',
  ],
  [
    'a text that is empty',
    [{ type: 'section', text: mrkdwn('') }],
    '/blocks/0/text/text must be more than 0 characters',
  ],
  [
    'a button without words',
    actions(button({ text: plain('') })),
    `${element}/text/text must be more than 0 characters`,
  ],
  [
    'emoji on mrkdwn',
    [{ type: 'section', text: { ...mrkdwn('a'), emoji: true } }],
    '/blocks/0/text invalid additional property: emoji',
  ],
  [
    'a context of nothing',
    [{ type: 'context', elements: [] }],
    '/blocks/0/elements must provide at least 1 items',
  ],
  [
    'a button in a context',
    [{ type: 'context', elements: [button()] }],
    `${element}/type unsupported type: button`,
  ],
  [
    'a picture of nothing',
    [{ type: 'image', alt_text: 'a' }],
    '/blocks/0 missing required field: slack_file',
  ],
  [
    'a kind of block that the bot never sends',
    [{ type: 'header', text: plain('a') }],
    '/blocks/0/type unsupported type: header',
  ],
  [
    'an image with an empty alt_text',
    [{ ...image, alt_text: '' }],
    '/blocks/0/alt_text must be more than 0 characters',
  ],
  [
    'a file id that is none',
    [{ type: 'image', alt_text: 'a', slack_file: { id: 'f1' } }],
    '/blocks/0/slack_file/id input must match regex pattern: ^[F][A-Z0-9]{8,}$',
  ],
  [
    'a colour that is none',
    actions(button({ style: 'green' })),
    `${element}/style must be a valid enum value`,
  ],
  ['an input element among actions', actions(typing()), `${element}/type unsupported type: plain_text_input`],
  [
    'an input element beside a section',
    [{ ...section, accessory: typing() }],
    '/blocks/0/accessory/type unsupported type: plain_text_input',
  ],
  ['a button in an input block', withInput(button()), '/blocks/0/element/type unsupported type: button'],
  ['an input block in a message', [input(typing())], '/blocks/0/type unsupported type: input'],
  [
    'an option without a value',
    actions({ ...offered, options: [{ text: plain('a') }] }),
    `${element}/options/0 missing required field: value`,
  ],
  [
    'an initial option with other words',
    actions({ ...offered, initial_option: { ...option('2'), text: plain('Two') } }),
    `${element}/initial_option ${unoffered}`,
  ],
  [
    'a text input that is too long',
    withInput(typing({ max_length: 3001 })),
    '/blocks/0/element/max_length must be at most 3000',
  ],
  [
    'an action_id twice in a block',
    actions(button({ action_id: 'go' }), button({ action_id: 'go' })),
    '/blocks/0/elements/1/action_id `action_id` "go" already exists',
  ],
  [
    'a block_id twice',
    [twoIds('a', 'go'), twoIds('a', 'stop')],
    '/blocks/1/block_id `block_id` "a" already exists',
  ],
  [
    'a block_id twice in a view',
    home({ blocks: [twoIds('a', 'go'), twoIds('a', 'go')] }),
    '/blocks/1/block_id `block_id` "a" already exists',
  ],
  [
    'every fault of every block',
    [{ type: 'context' }, section, { ...section, a: 1, b: 1 }],
    '/blocks/0 missing required field: elements',
    '/blocks/2 invalid additional property: a',
    '/blocks/2 invalid additional property: b',
  ],
  [
    'an input without submit',
    modal({ blocks: [section, input(typing())] }),
    '/blocks/1/input must define `submit` to use an `input` block in modals',
  ],
  ['a modal without a title', { type: 'modal', blocks: [] }, ' missing required field: title'],
  ['a modal with a mrkdwn title', modal({ title: mrkdwn('t') }), '/title/type unsupported type: mrkdwn'],
  ['a view without blocks', { type: 'home' }, ' missing required field: blocks'],
  ['a view without a type', { blocks: [] }, ' missing required field: type'],
  ['a view of another type', { type: 'workflow_step', blocks: [] }, '/type unsupported type: workflow_step'],
  ['a view with an unknown key', modal({ colour: 'red' }), ' invalid additional property: colour'],
  ['a view that is text', '{}', ' must provide an object'],
]

test.each(refused)('%s is refused', (_what, given, ...faults) => {
  expect(check(given)).toEqual(faults)
})

const taken: [what: string, given: unknown][] = [
  [
    'everything that a card has',
    [section, image, ...actions(button(), offered), { type: 'context', elements: [mrkdwn('c')] }],
  ],
  ['an option that is offered at first', actions({ ...offered, initial_option: option('2') })],
  ['an action_id in two blocks', [twoIds('a', 'go'), twoIds('b', 'go')]],
  ['blocks without ids', [section, section]],
  ['an input with submit', withInput({ type: 'users_select' })],
  [
    'a table',
    table(
      [
        [raw('<a>'), rich({ type: 'user', user_id: 'U1' })],
        [
          rich({ type: 'link', url: 'https://a.example', text: 'a' }),
          rich({ type: 'date', timestamp: 1, format: '{time}', fallback: '0:00' }),
        ],
      ],
      { column_settings: [{ is_wrapped: true }, { align: 'right' }] },
    ),
  ],
  ['an input on Home, which has no submit', home({ blocks: [input(typing())] })],
]

test.each(taken)('%s is taken', (_what, given) => {
  expect(check(given)).toEqual([])
})

test('blocks that are no list are refused', () => {
  expect(real(checkBlocks({}))).toEqual(['/blocks must provide an array'])
})

test('a long value is never repeated in full', () => {
  expect(checkBlocks([{ ...section, [x(5000)]: 1 }])[0]?.message.length).toBeLessThan(200)
})
