// What Slack refuses in the long-standing blocks, whatever its size.

import { describe, expect, it } from 'vitest'
import { checkBlocks, type Surface } from '../../../src/workspace/blocks/check.ts'
import { actions, button, input, mrkdwn, option, options, plain, real, section } from './limit-table.ts'

const image = { type: 'image', alt_text: 'a', image_url: 'https://a.test/1.png' }

type Row = [name: string, blocks: unknown, faults: string[], surface?: Surface]

const refused: Row[] = [
  ['blocks that are no list', {}, ['/blocks must provide an array']],
  ['a block that is no object', ['hi'], ['/blocks/0 must provide an object']],
  ['a block without a type', [{}], ['/blocks/0 missing required field: type']],
  ['a type that no one knows', [{ type: 'constructor' }], ['/blocks/0/type unsupported type: constructor']],
  [
    'a key that no one knows',
    [{ type: 'divider', colour: 'red' }],
    ['/blocks/0 invalid additional property: colour'],
  ],
  [
    'a key with a slash',
    [{ type: 'divider', 'a/b': { c: 1 } }],
    ['/blocks/0 invalid additional property: a/b'],
  ],
  ['a header without text', [{ type: 'header' }], ['/blocks/0 missing required field: text']],
  [
    'a header in mrkdwn',
    [{ type: 'header', text: mrkdwn('h') }],
    ['/blocks/0/text/type unsupported type: mrkdwn'],
  ],
  ['a text that is a string', [{ type: 'header', text: 'h' }], ['/blocks/0/text must provide an object']],
  [
    'a text that is a number',
    [{ type: 'header', text: { type: 'plain_text', text: 5 } }],
    ['/blocks/0/text/text must provide a string'],
  ],
  [
    'emoji on mrkdwn',
    [{ type: 'section', text: { ...mrkdwn('a'), emoji: true } }],
    ['/blocks/0/text invalid additional property: emoji'],
  ],
  [
    'a section with neither text nor fields',
    [{ type: 'section', accessory: button() }],
    ['/blocks/0/type must define either `text` or `fields`'],
  ],
  [
    'an image without alt_text',
    [{ type: 'image', image_url: 'https://a.test' }],
    ['/blocks/0 missing required field: alt_text'],
  ],
  [
    'an image from nowhere',
    [{ type: 'image', alt_text: 'a' }],
    ['/blocks/0 must define either `image_url` or `slack_file`'],
  ],
  [
    'an image from two places',
    [{ ...image, slack_file: { id: 'F12345678' } }],
    ['/blocks/0 must define only one of `image_url` or `slack_file`'],
  ],
  [
    'a file by id and url',
    [{ type: 'image', alt_text: 'a', slack_file: { id: 'F12345678', url: 'https://a' } }],
    ['/blocks/0/slack_file must define only one of `id` or `url`'],
  ],
  [
    'a colour that is none',
    actions(button({ style: 'green' })),
    ['/blocks/0/elements/0/style must be a valid enum value'],
  ],
  [
    'an input element among actions',
    actions({ type: 'email_text_input' }),
    ['/blocks/0/elements/0/type unsupported type: email_text_input'],
  ],
  [
    'a date time picker beside a section',
    [{ ...section, accessory: { type: 'datetimepicker' } }],
    ['/blocks/0/accessory/type unsupported type: datetimepicker'],
  ],
  [
    'a button in an input block',
    input(button()),
    ['/blocks/0/element/type unsupported type: button'],
    'modal',
  ],
  [
    'an option without a value',
    actions({ type: 'overflow', options: [{ text: plain('a') }] }),
    ['/blocks/0/elements/0/options/0 missing required field: value'],
  ],
  [
    'an option url outside overflow',
    actions({ type: 'static_select', options: [{ ...option('a'), url: 'u' }] }),
    ['/blocks/0/elements/0/options/0 invalid additional property: url'],
  ],
  [
    'a select without options',
    actions({ type: 'static_select' }),
    ['/blocks/0/elements/0 must define either `options` or `option_groups`'],
  ],
  [
    'a select with both',
    actions({
      type: 'static_select',
      options: options(1),
      option_groups: [{ label: plain('g'), options: options(1) }],
    }),
    ['/blocks/0/elements/0 must define only one of `options` or `option_groups`'],
  ],
  [
    'a date of another form',
    actions({ type: 'datepicker', initial_date: '21.11.2026' }),
    ['/blocks/0/elements/0/initial_date input must match regex pattern: ^\\d{4}-\\d{2}-\\d{2}$'],
  ],
  [
    'a time that is none',
    actions({ type: 'timepicker', initial_time: '24:00' }),
    ['/blocks/0/elements/0/initial_time input must match regex pattern: ^([01]\\d|2[0-3]):[0-5]\\d$'],
  ],
  [
    'a filter that filters nothing',
    actions({ type: 'conversations_select', filter: {} }),
    [
      '/blocks/0/elements/0/filter/type must define either `include` or `exclude_external_shared_channels` or `exclude_bot_users`',
    ],
  ],
  [
    'dispatch on an unknown event',
    input({ type: 'plain_text_input', dispatch_action_config: { trigger_actions_on: ['on_blur'] } }),
    ['/blocks/0/element/dispatch_action_config/trigger_actions_on/0 must be a valid enum value'],
    'modal',
  ],
  [
    'a file input that dispatches',
    input({ type: 'file_input' }, { dispatch_action: true }),
    ['/blocks/0/element/type unsupported type: file_input'],
    'modal',
  ],
]

describe('What is refused by its shape', () => {
  it.each(refused)('%s', (_name, blocks, faults, surface = 'message') => {
    expect(real(checkBlocks(blocks, surface))).toEqual(faults)
  })
})
