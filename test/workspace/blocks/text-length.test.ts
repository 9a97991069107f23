// The text of all blocks together.

import { describe, expect, it } from 'vitest'
import { blocksTextLength } from '../../../src/workspace/blocks/check.ts'
import { actions, button, mrkdwn, option, plain, times } from './limit-table.ts'

describe('blocksTextLength', () => {
  it('adds up what people read', () => {
    const blocks = [
      { type: 'header', text: plain('12345') },
      { type: 'section', text: mrkdwn('123'), fields: [mrkdwn('12'), plain('1')], block_id: 'not text' },
      { type: 'image', alt_text: '1234', image_url: 'https://a.test/not-text.png' },
      {
        type: 'rich_text',
        elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text: '1234567' }] }],
      },
      ...actions(button({ text: plain('12'), value: 'not text', action_id: 'not_text' })),
    ]
    expect(blocksTextLength(blocks)).toBe(5 + 3 + 2 + 1 + 4 + 7 + 2)
  })

  it('counts the options of a menu', () => {
    expect(blocksTextLength(actions({ type: 'static_select', options: [option('a'), option('b')] }))).toBe(16)
  })

  it('counts an emoji once', () => {
    expect(blocksTextLength([{ type: 'section', text: mrkdwn('🔴🔴') }])).toBe(2)
  })

  it('sees the sum that Slack refuses although each part is in range', () => {
    const blocks = times(5, () => ({ type: 'section', text: mrkdwn('x'.repeat(2900)) }))
    expect(blocksTextLength(blocks)).toBe(14_500)
  })

  it('is not overrun by deep nesting', () => {
    let deep: unknown = { text: 'x' }
    for (let level = 0; level < 50_000; level += 1) deep = [deep]
    expect(blocksTextLength([deep])).toBe(1)
  })
})
