/**
 * The local workspace answers `blocks.validate` as Slack documents it: the cases are those of the table in
 * docs/slack.md#asking-slack-about-blocks, each with its source there.
 */
import { expect, test } from 'vitest'
import { neighbour } from '../workspace/neighbour.ts'

const plain = { type: 'plain_text', text: 'Hello world' }
const section = { type: 'section', text: plain }
const invalid = [{ type: 'section', text: { type: 'invalid', text: 'Hello' } }]
const unsupported = {
  code: 'failed_constraint',
  message: 'unsupported type: invalid',
}
const words = (text: string) => ({ type: 'section', text: { type: 'mrkdwn', text } })
const refused = (error: string, one: object) => ({ ok: false, error, errors: [one] })

type Case = [what: string, asked: Record<string, unknown>, answer: object]

const cases: Case[] = [
  ['blocks', { blocks: [section] }, { ok: true }],
  [
    'a type that there is not',
    { blocks: invalid },
    refused('invalid_blocks', { ...unsupported, pointer: '/0/text/type' }),
  ],
  [
    'a text that is one character too long',
    { blocks: [words('x'.repeat(3_001))] },
    refused('invalid_blocks', {
      message: 'must be less than 3001 characters',
      pointer: '/0/text/text',
    }),
  ],
  [
    'an empty text',
    { blocks: [words('')] },
    refused('invalid_blocks', {
      pointer: '/0/text/text',
    }),
  ],
  [
    'one block too many',
    { blocks: Array.from({ length: 51 }, () => section) },
    refused('invalid_blocks', { pointer: '' }),
  ],
  [
    'one option too many in a menu',
    {
      blocks: [
        {
          type: 'actions',
          elements: [
            {
              type: 'static_select',
              options: Array.from({ length: 101 }, (_, n) => ({ text: plain, value: String(n) })),
            },
          ],
        },
      ],
    },
    refused('invalid_blocks', {
      pointer: '/0/elements/0/options',
    }),
  ],
  [
    'a text without its type',
    { blocks: [{ type: 'section', text: { text: 'Hello' } }] },
    refused('invalid_blocks', { message: 'missing required field: type' }),
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
  expect(await call('blocks.validate', { blocks }, '')).toEqual({ ok: true })
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
