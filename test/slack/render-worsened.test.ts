/** What is said of alerts that became critical, and what is left of it once they are so no more. */
import { expect, test } from 'vitest'
import type { Alert } from '../../src/domain/alert/alert.ts'
import { render } from '../../src/slack/render/render.ts'
import { anAlert } from '../support/delivery-world.ts'
import { words } from './card-views.ts'

const worsened = (overs: readonly Partial<Alert>[], mention: string | null = '<!here>') => ({
  kind: 'worsened' as const,
  stamp: { cardId: 'worsened:0:C1', version: 1 },
  alerts: overs.map((over, n) => anAlert(`${n}`, over)),
  mention,
})

const critical = { severity: 'critical' } as const

test('one that is critical now calls people and stands below with its headline', () => {
  const card = worsened([critical])
  expect(words(card)[0]).toMatch(/^\*Critical now\*: <!here>\n🚨 CRITICAL .*web-0/)
  expect(words(card)[1]).toBe('[Acknowledge] [Mute… ▾]')
  expect(words(worsened([{ ...critical, ackedBy: 'U1' }]))).toHaveLength(1)
  expect(render(card).text).toMatch(/^Critical now: <!here>\n🚨 CRITICAL web-0 /)
})

test('of many, five stand there and the rest is counted', () => {
  const [text = ''] = words(worsened(Array.from({ length: 90 }, () => critical)))
  expect(text.split('\n')).toHaveLength(7)
  expect(text).toMatch(/^\*These are critical now\* \(90\): <!here>\n/)
  expect(text).toMatch(/\nand 85 more$/)
})

test.each([
  ['closed', { ...critical, state: 'closed', closedMs: Date.UTC(2026, 10, 21, 4) }, /^🟢 /],
  ['a warning again', { severity: 'warning' }, /^🔴 /],
] as const)('one that is %s calls nobody any more', (_, over, line) => {
  expect(render(worsened([over])).text).toMatch(line)
  expect(render(worsened([over])).text).not.toContain('<!here>')
  expect(render(worsened([over, over])).text).toBe('None of the 2 alerts that became critical is so any more')
})
