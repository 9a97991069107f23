// Every limit of the elements that people type into, and of rich text.

import {
  atLeast,
  atMost,
  characters,
  holdLimits,
  input,
  type Limit,
  notEmpty,
  plain,
  x,
} from './limit-table.ts'

const element = '/blocks/0/element'
const typed = (type: string, extra: object) => input({ type, ...extra })
const typing: Limit[] = [
  {
    what: 'plain_text_input min_length',
    build: (n) => typed('plain_text_input', { min_length: n }),
    good: 3000,
    bad: 3001,
    message: 'must be at most 3000',
    pointer: `${element}/min_length`,
  },
  {
    what: 'plain_text_input max_length',
    build: (n) => typed('plain_text_input', { max_length: n }),
    good: 3000,
    bad: 3001,
    message: 'must be at most 3000',
    pointer: `${element}/max_length`,
  },
  {
    what: 'min_length below max_length',
    build: (n) => typed('plain_text_input', { min_length: n, max_length: 10 }),
    good: 10,
    bad: 11,
    message: 'must be at most 10',
    pointer: `${element}/min_length`,
  },
  {
    what: 'number_input bounds',
    build: (n) => typed('number_input', { is_decimal_allowed: true, min_value: String(n), max_value: '1.5' }),
    good: 1.5,
    bad: 1.6,
    message: 'must be at most 1.5',
    pointer: `${element}/min_value`,
  },
  {
    what: 'file_input max_files',
    build: (n) => typed('file_input', { max_files: n }),
    good: 10,
    bad: 11,
    message: 'must be at most 10',
    pointer: `${element}/max_files`,
  },
  {
    what: 'the least file_input max_files',
    build: (n) => typed('file_input', { max_files: n }),
    good: 1,
    bad: 0,
    message: 'must be at least 1',
    pointer: `${element}/max_files`,
  },
  {
    what: 'rich_text_input max_lines',
    build: (n) => typed('rich_text_input', { max_lines: n }),
    good: 100,
    bad: 101,
    message: 'must be at most 100',
    pointer: `${element}/max_lines`,
  },
  {
    what: 'a typed placeholder',
    build: (n) => typed('email_text_input', { placeholder: plain(x(n)) }),
    ...characters(150),
    pointer: `${element}/placeholder/text`,
  },
  {
    what: 'the digits of initial_date_time',
    build: (n) => typed('datetimepicker', { initial_date_time: n }),
    good: 1_700_000_000,
    bad: 170_000_000,
    message: 'must be at least 1000000000',
    pointer: `${element}/initial_date_time`,
  },

  {
    what: 'the least min_length',
    build: (n) => typed('plain_text_input', { min_length: n }),
    ...atLeast(0),
    pointer: `${element}/min_length`,
  },
  {
    what: 'the least max_length',
    build: (n) => typed('plain_text_input', { max_length: n }),
    ...atLeast(1),
    pointer: `${element}/max_length`,
  },
  {
    what: 'rich_text_input min_lines',
    build: (n) => typed('rich_text_input', { min_lines: n }),
    ...atMost(100),
    pointer: `${element}/min_lines`,
  },
  {
    what: 'the least min_lines',
    build: (n) => typed('rich_text_input', { min_lines: n }),
    ...atLeast(1),
    pointer: `${element}/min_lines`,
  },
  {
    what: 'the least max_lines',
    build: (n) => typed('rich_text_input', { max_lines: n }),
    ...atLeast(1),
    pointer: `${element}/max_lines`,
  },
  {
    what: 'the first moment of 10 digits',
    build: (n) => typed('datetimepicker', { initial_date_time: n }),
    ...atLeast(1_000_000_000),
    pointer: `${element}/initial_date_time`,
  },
  {
    what: 'the last moment of 10 digits',
    build: (n) => typed('datetimepicker', { initial_date_time: n }),
    ...atMost(9_999_999_999),
    pointer: `${element}/initial_date_time`,
  },
]
holdLimits(
  'Limits of what is typed',
  typing.map((limit) => ({ ...limit, surface: 'modal' as const })),
)

const richText = (...elements: unknown[]) => [{ type: 'rich_text', elements }]
const sectionOf = (...elements: unknown[]) => ({ type: 'rich_text_section', elements })
const rich: Limit[] = [
  {
    what: 'a rich text that is empty',
    build: (n) => richText(sectionOf({ type: 'text', text: x(n) })),
    ...notEmpty,
    pointer: '/blocks/0/elements/0/elements/0/text',
  },
  {
    what: 'the indent of a list',
    build: (n) =>
      richText({
        type: 'rich_text_list',
        style: 'bullet',
        indent: n,
        elements: [sectionOf({ type: 'text', text: 'a' })],
      }),
    good: 8,
    bad: 9,
    message: 'must be at most 8',
    pointer: '/blocks/0/elements/0/indent',
  },
  {
    what: 'a border',
    build: (n) => richText({ type: 'rich_text_quote', border: n, elements: [] }),
    good: 1,
    bad: 2,
    message: 'must be at most 1',
    pointer: '/blocks/0/elements/0/border',
  },

  {
    what: 'the least indent',
    build: (n) => richText({ type: 'rich_text_list', style: 'bullet', indent: n, elements: [] }),
    ...atLeast(0),
    pointer: '/blocks/0/elements/0/indent',
  },
  {
    what: 'the least offset',
    build: (n) => richText({ type: 'rich_text_list', style: 'ordered', offset: n, elements: [] }),
    ...atLeast(0),
    pointer: '/blocks/0/elements/0/offset',
  },
  {
    what: 'no border',
    build: (n) => richText({ type: 'rich_text_quote', border: n, elements: [] }),
    ...atLeast(0),
    pointer: '/blocks/0/elements/0/border',
  },
]
holdLimits('Limits of rich text', rich)
