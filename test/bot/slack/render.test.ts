/** Every kind of card: that Slack takes it however long it is; what harmful text cannot do stands in test/threats. */
import { describe, expect, test } from 'vitest'
import { cardSamples } from '../../../src/bot/doctor/samples/cards.ts'
import type { CardView } from '../../../src/bot/domain/card/kinds.ts'
import { escaped, link, printable } from '../../../src/bot/slack/mrkdwn.ts'
import { render, renderPlain } from '../../../src/bot/slack/render/render.ts'
import { long, words } from './card-views.ts'

const cards = (text: string, count: number) => Object.values(cardSamples(text, count)).flat()

test('whoever is on call is mentioned wherever anybody is', () => {
  const text = (from: readonly CardView[]) => from.map((card) => JSON.stringify(render(card)))
  const here = cards('disk', 2)
  const onCall: typeof here = JSON.parse(JSON.stringify(here).replaceAll('<!here>', 'oncall:U0ANA'))
  expect(text(here).filter((card) => card.includes('<!here>')).length).toBeGreaterThan(9)
  expect(text(onCall)).toEqual(text(here).map((card) => card.replaceAll('<!here>', '<@U0ANA>')))
})

describe('text from outside', () => {
  test.each([1, 80])('however long it is, Slack takes the card: %d of each', (many) => {
    for (const card of cards(long, many)) {
      words(card)
      expect(render(card).text.length, card.kind).toBeLessThanOrEqual(4_000)
      expect(renderPlain(card).length, card.kind).toBeLessThanOrEqual(4_000)
    }
  })

  test('nothing at all is taken too', () => {
    for (const card of cards('', 0)) words(card)
  })

  test('is shortened by whole characters, never inside an entity', () => {
    expect(escaped('a&b', 3)).toBe('a&amp;b')
    expect(escaped('👩‍🚒👩‍🚒 fire', 2)).not.toMatch(/[\uD800-\uDBFF]$/)
    expect(printable('one  two\tthree', 8)).toBe('one two…')
  })

  test('links are http and https only, and cannot break out', () => {
    expect(link('javascript:alert(1)', 'x')).toBe('x')
    expect(link('not a url', 'x')).toBe('x')
    expect(link('https://a.example/?q=1|2 3>4', 'x|y')).toBe('<https://a.example/?q=1%7C2%203%3E4|x\u2223y>')
  })
})
