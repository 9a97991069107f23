// Every limit of the newer blocks that hold words or other blocks.

import {
  atLeastOneItem,
  button,
  characters,
  holdLimits,
  items,
  type Limit,
  mrkdwn,
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
]
holdLimits('Limits of the newer blocks', newer)
