// Every limit of the long-standing blocks.

import {
  actions,
  atLeast,
  atLeastOneItem,
  atMost,
  button,
  characters,
  holdLimits,
  input,
  items,
  type Limit,
  mrkdwn,
  notEmpty,
  plain,
  section,
  times,
  x,
} from './limit-table.ts'

const image = (extra: object) => ({
  type: 'image',
  alt_text: 'a chart',
  image_url: 'https://a.test/1.png',
  ...extra,
})
const { image_url: _url, ...bareImage } = image({})
const typing = { type: 'plain_text_input' }
const video = (extra: object) => ({
  type: 'video',
  title: plain('t'),
  alt_text: 'a',
  video_url: 'https://v.test/embed',
  thumbnail_url: 'https://v.test/t.png',
  ...extra,
})

const classic: Limit[] = [
  { what: 'blocks of a message', build: (n) => times(n, () => section), ...items(50), pointer: '/blocks' },
  {
    what: 'blocks of a modal',
    build: (n) => times(n, () => section),
    ...items(100),
    pointer: '/blocks',
    surface: 'modal',
  },
  {
    what: 'blocks of the Home tab',
    build: (n) => times(n, () => section),
    ...items(100),
    pointer: '/blocks',
    surface: 'home',
  },
  {
    what: 'block_id',
    build: (n) => [{ ...section, block_id: x(n) }],
    ...characters(255),
    pointer: '/blocks/0/block_id',
  },
  {
    what: 'section text',
    build: (n) => [{ type: 'section', text: mrkdwn(x(n)) }],
    ...characters(3000),
    pointer: '/blocks/0/text/text',
  },
  {
    what: 'section text that is empty',
    build: (n) => [{ type: 'section', text: mrkdwn(x(n)) }],
    ...notEmpty,
    pointer: '/blocks/0/text/text',
  },
  {
    what: 'characters beyond the basic plane count once',
    build: (n) => [{ type: 'section', text: mrkdwn('🔴'.repeat(n)) }],
    ...characters(3000),
    pointer: '/blocks/0/text/text',
  },
  {
    what: 'section fields',
    build: (n) => [{ type: 'section', fields: times(n, () => mrkdwn('f')) }],
    ...items(10),
    pointer: '/blocks/0/fields',
  },
  {
    what: 'no section fields',
    build: (n) => [{ type: 'section', fields: times(n, () => mrkdwn('f')) }],
    ...atLeastOneItem,
    pointer: '/blocks/0/fields',
  },
  {
    what: 'a section field',
    build: (n) => [{ type: 'section', fields: [mrkdwn('f'), mrkdwn(x(n))] }],
    ...characters(2000),
    pointer: '/blocks/0/fields/1/text',
  },
  {
    what: 'a section field that is empty',
    build: (n) => [{ type: 'section', fields: [plain(x(n))] }],
    ...notEmpty,
    pointer: '/blocks/0/fields/0/text',
  },
  {
    what: 'header text',
    build: (n) => [{ type: 'header', text: plain(x(n)) }],
    ...characters(150),
    pointer: '/blocks/0/text/text',
  },
  {
    what: 'context elements',
    build: (n) => [{ type: 'context', elements: times(n, () => mrkdwn('c')) }],
    ...items(10),
    pointer: '/blocks/0/elements',
  },
  {
    what: 'no context elements',
    build: (n) => [{ type: 'context', elements: times(n, () => mrkdwn('c')) }],
    ...atLeastOneItem,
    pointer: '/blocks/0/elements',
  },
  {
    what: 'a context text',
    build: (n) => [{ type: 'context', elements: [mrkdwn(x(n))] }],
    ...characters(3000),
    pointer: '/blocks/0/elements/0/text',
  },
  {
    what: 'actions elements',
    build: (n) => actions(...times(n, () => button())),
    ...items(25),
    pointer: '/blocks/0/elements',
  },
  {
    what: 'no actions elements',
    build: (n) => actions(...times(n, () => button())),
    ...atLeastOneItem,
    pointer: '/blocks/0/elements',
  },
  {
    what: 'image_url',
    build: (n) => [image({ image_url: `https://a.test/${x(n - 15)}` })],
    ...characters(3000),
    pointer: '/blocks/0/image_url',
  },
  {
    what: 'image alt_text',
    build: (n) => [image({ alt_text: x(n) })],
    ...characters(2000),
    pointer: '/blocks/0/alt_text',
  },
  {
    what: 'image title',
    build: (n) => [image({ title: plain(x(n)) })],
    ...characters(2000),
    pointer: '/blocks/0/title/text',
  },
  {
    what: 'the characters of a slack_file id',
    build: (n) => [{ ...bareImage, slack_file: { id: `F${'A'.repeat(n)}` } }],
    good: 8,
    bad: 7,
    message: 'input must match regex pattern: ^[F][A-Z0-9]{8,}$',
    pointer: '/blocks/0/slack_file/id',
  },
  {
    what: 'input label',
    build: (n) => input(typing, { label: plain(x(n)) }),
    ...characters(2000),
    pointer: '/blocks/0/label/text',
    surface: 'modal',
  },
  {
    what: 'input hint',
    build: (n) => input(typing, { hint: plain(x(n)) }),
    ...characters(2000),
    pointer: '/blocks/0/hint/text',
    surface: 'home',
  },
  {
    what: 'video title',
    build: (n) => [video({ title: plain(x(n)) })],
    ...characters(199),
    pointer: '/blocks/0/title/text',
  },
  {
    what: 'video author',
    build: (n) => [video({ author_name: x(n) })],
    ...characters(49),
    pointer: '/blocks/0/author_name',
  },
  {
    what: 'video description',
    build: (n) => [video({ description: plain(x(n)) })],
    ...characters(199),
    pointer: '/blocks/0/description/text',
  },

  {
    what: 'header level',
    build: (n) => [{ type: 'header', text: plain('h'), level: n }],
    ...atMost(4),
    pointer: '/blocks/0/level',
  },
  {
    what: 'the least header level',
    build: (n) => [{ type: 'header', text: plain('h'), level: n }],
    ...atLeast(1),
    pointer: '/blocks/0/level',
  },
  {
    what: 'image alt_text that is empty',
    build: (n) => [image({ alt_text: x(n) })],
    ...notEmpty,
    pointer: '/blocks/0/alt_text',
  },
]
holdLimits('Limits of the long-standing blocks', classic)
