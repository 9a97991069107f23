// Every limit of the elements that are clicked, and of what they are made of.

import {
  actions,
  atLeast,
  atLeastOneItem,
  button,
  characters,
  holdLimits,
  items,
  type Limit,
  mrkdwn,
  notEmpty,
  option,
  options,
  plain,
  times,
  x,
} from './limit-table.ts'

const inButton = '/blocks/0/elements/0'
const select = (extra: object) => actions({ type: 'static_select', options: options(2), ...extra })
const grouped = (groups: unknown[]) => actions({ type: 'static_select', option_groups: groups })
const group = (label: string, count: number) => ({ label: plain(label), options: options(count) })
const confirm = (extra: object) => actions(button({ confirm: { text: mrkdwn('Sure?'), ...extra } }))
const boxes = (type: string, count: number) => actions({ type, options: options(count) })

const clicked: Limit[] = [
  {
    what: 'action_id',
    build: (n) => actions(button({ action_id: x(n) })),
    ...characters(255),
    pointer: `${inButton}/action_id`,
  },
  {
    what: 'button text',
    build: (n) => actions(button({ text: plain(x(n)) })),
    ...characters(75),
    pointer: `${inButton}/text/text`,
  },
  {
    what: 'button text that is empty',
    build: (n) => actions(button({ text: plain(x(n)) })),
    ...notEmpty,
    pointer: `${inButton}/text/text`,
  },
  {
    what: 'button value',
    build: (n) => actions(button({ value: x(n) })),
    ...characters(2000),
    pointer: `${inButton}/value`,
  },
  {
    what: 'button url',
    build: (n) => actions(button({ url: x(n) })),
    ...characters(3000),
    pointer: `${inButton}/url`,
  },
  {
    what: 'button accessibility_label',
    build: (n) => actions(button({ accessibility_label: x(n) })),
    ...characters(75),
    pointer: `${inButton}/accessibility_label`,
  },
  {
    what: 'confirm title',
    build: (n) => confirm({ title: plain(x(n)) }),
    ...characters(100),
    pointer: `${inButton}/confirm/title/text`,
  },
  {
    what: 'confirm text',
    build: (n) => confirm({ text: mrkdwn(x(n)) }),
    ...characters(300),
    pointer: `${inButton}/confirm/text/text`,
  },
  {
    what: 'confirm yes',
    build: (n) => confirm({ confirm: plain(x(n)) }),
    ...characters(30),
    pointer: `${inButton}/confirm/confirm/text`,
  },
  {
    what: 'confirm no',
    build: (n) => confirm({ deny: plain(x(n)) }),
    ...characters(30),
    pointer: `${inButton}/confirm/deny/text`,
  },
  {
    what: 'option text',
    build: (n) => select({ options: [{ text: plain(x(n)), value: 'v' }] }),
    ...characters(75),
    pointer: `${inButton}/options/0/text/text`,
  },
  {
    what: 'option value',
    build: (n) => select({ options: [option('a'), { ...option('b'), value: x(n) }] }),
    ...characters(150),
    pointer: `${inButton}/options/1/value`,
  },
  {
    what: 'option description',
    build: (n) => select({ options: [{ ...option('a'), description: plain(x(n)) }] }),
    ...characters(75),
    pointer: `${inButton}/options/0/description/text`,
  },
  {
    what: 'static_select options',
    build: (n) => select({ options: options(n) }),
    ...items(100),
    pointer: `${inButton}/options`,
  },
  {
    what: 'no static_select options',
    build: (n) => select({ options: options(n) }),
    ...atLeastOneItem,
    pointer: `${inButton}/options`,
  },
  {
    what: 'option groups',
    build: (n) => grouped(times(n, () => group('g', 1))),
    ...items(100),
    pointer: `${inButton}/option_groups`,
  },
  {
    what: 'options of a group',
    build: (n) => grouped([group('g', n)]),
    ...items(100),
    pointer: `${inButton}/option_groups/0/options`,
  },
  {
    what: 'group label',
    build: (n) => grouped([group(x(n), 1)]),
    ...characters(75),
    pointer: `${inButton}/option_groups/0/label/text`,
  },
  {
    what: 'select placeholder',
    build: (n) => select({ placeholder: plain(x(n)) }),
    ...characters(150),
    pointer: `${inButton}/placeholder/text`,
  },
  {
    what: 'multi select options',
    build: (n) => actions({ type: 'multi_static_select', options: options(n) }),
    ...items(100),
    pointer: `${inButton}/options`,
  },
  {
    what: 'max_selected_items',
    build: (n) => actions({ type: 'multi_users_select', max_selected_items: n }),
    good: 1,
    bad: 0,
    message: 'must be at least 1',
    pointer: `${inButton}/max_selected_items`,
  },
  {
    what: 'overflow options',
    build: (n) => boxes('overflow', n),
    ...items(5),
    pointer: `${inButton}/options`,
  },
  {
    what: 'overflow url',
    build: (n) => actions({ type: 'overflow', options: [{ ...option('a'), url: x(n) }] }),
    ...characters(3000),
    pointer: `${inButton}/options/0/url`,
  },
  { what: 'checkboxes', build: (n) => boxes('checkboxes', n), ...items(10), pointer: `${inButton}/options` },
  {
    what: 'radio buttons',
    build: (n) => boxes('radio_buttons', n),
    ...items(10),
    pointer: `${inButton}/options`,
  },

  {
    what: 'workflow_button text',
    build: (n) =>
      actions({
        type: 'workflow_button',
        text: plain(x(n)),
        workflow: { trigger: { url: 'https://w.test' } },
      }),
    ...characters(75),
    pointer: `${inButton}/text/text`,
  },
  {
    what: 'overflow option text',
    build: (n) => actions({ type: 'overflow', options: [{ text: plain(x(n)), value: 'v' }] }),
    ...characters(75),
    pointer: `${inButton}/options/0/text/text`,
  },
  {
    what: 'checkbox text',
    build: (n) => actions({ type: 'checkboxes', options: [{ text: mrkdwn(x(n)), value: 'v' }] }),
    ...characters(75),
    pointer: `${inButton}/options/0/text/text`,
  },
  {
    what: 'no overflow options',
    build: (n) => boxes('overflow', n),
    ...atLeastOneItem,
    pointer: `${inButton}/options`,
  },
  {
    what: 'no radio buttons',
    build: (n) => boxes('radio_buttons', n),
    ...atLeastOneItem,
    pointer: `${inButton}/options`,
  },
  {
    what: 'no option groups',
    build: (n) => grouped(times(n, () => group('g', 1))),
    ...atLeastOneItem,
    pointer: `${inButton}/option_groups`,
  },
  {
    what: 'no options of a group',
    build: (n) => grouped([group('g', n)]),
    ...atLeastOneItem,
    pointer: `${inButton}/option_groups/0/options`,
  },
  {
    what: 'min_query_length',
    build: (n) => actions({ type: 'external_select', min_query_length: n }),
    ...atLeast(0),
    pointer: `${inButton}/min_query_length`,
  },
  {
    what: 'conversation kinds',
    build: (n) => actions({ type: 'conversations_select', filter: { include: times(n, () => 'public') } }),
    ...atLeastOneItem,
    pointer: `${inButton}/filter/include`,
  },
]
holdLimits('Limits of what is clicked', clicked)
