// What a fault tells, in full.

import { describe, expect, it } from 'vitest'
import { checkBlocks } from '../../../src/workspace/blocks/check.ts'
import { actions, mrkdwn, section } from './limit-table.ts'

describe('A fault in full', () => {
  it('tells of the union before the place, as Slack does', () => {
    expect(checkBlocks([{ type: 'section', text: mrkdwn('') }], 'message')).toEqual([
      {
        code: 'failed_constraint',
        message: 'failed to match all allowed schemas',
        field: 'text',
        pointer: '/blocks/0/text',
      },
      {
        code: 'failed_constraint',
        message: 'must be more than 0 characters',
        field: 'text',
        pointer: '/blocks/0/text/text',
        constraint: { type: 'min_length', min: 1, got: 0 },
      },
    ])
  })

  it('says which types would have been taken', () => {
    expect(checkBlocks(actions({ type: 'x' }), 'message')[0]?.constraint).toMatchObject({
      type: 'enum',
      expected: expect.arrayContaining(['button', 'overflow', 'static_select']),
      got: 'x',
    })
  })

  it('never repeats a long value in full', () => {
    expect(checkBlocks([{ type: 'y'.repeat(5000) }], 'message')[0]?.message.length).toBeLessThan(200)
  })

  it('tells every fault of every block', () => {
    const faults = checkBlocks([{ type: 'header' }, section, { type: 'nope' }], 'message')
    expect(faults.map(({ pointer }) => pointer)).toEqual(['/blocks/0', '/blocks/2/type'])
  })
})
