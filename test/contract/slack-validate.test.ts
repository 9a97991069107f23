/**
 * The local workspace answers `blocks.validate` as Slack documents it: the cases are those of the table in
 * docs/slack.md#asking-slack-about-blocks, each with its source there.
 */
import { expect, test } from 'vitest'
import { neighbour } from '../workspace/neighbour.ts'

const plain = { type: 'plain_text', text: 'Hello world' }
const section = { type: 'section', text: plain }
const invalid = [{ type: 'section', text: { type: 'invalid', text: 'Hello' } }]
const modal = { type: 'modal', title: { type: 'plain_text', text: 'My Modal' } }
const expected = ['plain_text', 'mrkdwn']
const unsupported = {
  code: 'failed_constraint',
  message: 'unsupported type: invalid',
  constraint: { type: 'enum', expected },
}
const onlyOne = {
  ok: false,
  error: 'invalid_arguments',
  response_metadata: { messages: ['must provide exactly one of `blocks`, `view`, or `message`'] },
}
const words = (text: string) => ({ type: 'section', text: { type: 'mrkdwn', text } })
const refused = (error: string, one: object) => ({ ok: false, error, errors: [one] })

type Case = [what: string, asked: Record<string, unknown>, answer: object]

const cases: Case[] = [
  ['blocks', { blocks: [section] }, { ok: true }],
  ['a message', { message: { blocks: [section] } }, { ok: true }],
  ['a modal', { view: { ...modal, blocks: [section] } }, { ok: true }],
  [
    'a type that there is not',
    { blocks: invalid },
    refused('invalid_blocks', { ...unsupported, pointer: '/0/text/type' }),
  ],
  [
    'the same in a message',
    { message: { blocks: invalid } },
    refused('invalid_message', { ...unsupported, pointer: '/blocks/0/text/type' }),
  ],
  [
    'the same in a view',
    { view: { ...modal, blocks: invalid } },
    refused('invalid_view', { ...unsupported, pointer: '/blocks/0/text/type' }),
  ],
  ['nothing', {}, onlyOne],
  ['two of the three', { blocks: [section], view: { ...modal, blocks: [section] } }, onlyOne],
  [
    'a message with its text',
    { message: { text: 'Hello', blocks: [section] } },
    refused('invalid_message', { message: 'invalid additional property: text' }),
  ],
  [
    'a text that is one character too long',
    { message: { blocks: [words('x'.repeat(3_001))] } },
    refused('invalid_message', {
      message: 'must be less than 3001 characters',
      pointer: '/blocks/0/text/text',
      constraint: { type: 'max_length', expected: 3_000 },
    }),
  ],
  [
    'an empty text',
    { message: { blocks: [words('')] } },
    refused('invalid_message', {
      pointer: '/blocks/0/text/text',
      constraint: { type: 'min_length', expected: 1 },
    }),
  ],
  [
    'one block too many',
    { message: { blocks: Array.from({ length: 51 }, () => section) } },
    refused('invalid_message', { pointer: '/blocks', constraint: { type: 'max_items', expected: 50 } }),
  ],
  [
    'one option too many in a menu behind dots',
    {
      message: {
        blocks: [
          {
            type: 'actions',
            elements: [
              {
                type: 'overflow',
                options: Array.from({ length: 6 }, (_, n) => ({ text: plain, value: String(n) })),
              },
            ],
          },
        ],
      },
    },
    refused('invalid_message', {
      pointer: '/blocks/0/elements/0/options',
      constraint: { type: 'max_items', expected: 5 },
    }),
  ],
  [
    'a text without its type',
    { message: { blocks: [{ type: 'section', text: { text: 'Hello' } }] } },
    refused('invalid_message', { message: 'missing required field: type' }),
  ],
  [
    'a title of a modal that is one character too long',
    { view: { ...modal, title: { type: 'plain_text', text: 'x'.repeat(25) }, blocks: [section] } },
    refused('invalid_view', { pointer: '/title/text', constraint: { type: 'max_length', expected: 24 } }),
  ],
]

test.each(cases)('%s', async (_, asked, answer) => {
  const { call } = await neighbour()
  const said = await call('blocks.validate', asked, '')
  expect(said).toMatchObject(answer)
  expect(Object.keys(said).sort()).toEqual(Object.keys(answer).sort())
})

test('what is at a limit is taken, and nobody sees anything', async () => {
  const { call, workspace } = await neighbour()
  const blocks = Array.from({ length: 50 }, (_, n) => words('x'.repeat(n === 0 ? 3_000 : 1)))
  expect(await call('blocks.validate', { message: { blocks } }, '')).toEqual({ ok: true })
  for (const { id } of workspace.channels) expect(workspace.messages(id)).toEqual([])
})

test('who asks too often is told when to ask again', async () => {
  const { raw } = await neighbour({ limits: { special: 1 } })
  const ask = () => raw('blocks.validate', { blocks: [section] }, '')
  expect((await ask()).status).toBe(200)
  const again = await ask()
  expect(again.status).toBe(429)
  expect(again.headers.get('retry-after')).toMatch(/^\d+$/)
})
