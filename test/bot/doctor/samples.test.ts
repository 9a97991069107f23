/** The doctor's samples: Slack's rules take each, and each limit that monbot can reach is reached. */
import { expect, test } from 'vitest'
import { everySample } from '../../../src/bot/doctor/samples/samples.ts'
import { blocksTextLength, validate } from '../../../src/workspace/blocks/check.ts'

const samples = everySample()

test('there is one of every kind, and the doctor asks about no more than a minute allows', () => {
  const names = samples.map(({ what }) => what)
  expect(new Set(names).size).toBe(names.length)
  expect(names).toEqual(
    expect.arrayContaining(['card alert (4)', 'card stale_ack', 'answer handoff', 'form add_note', 'Home']),
  )
  expect(names.length).toBeLessThanOrEqual(120)
})

test.each(samples)('$what is taken, and says something', ({ payload }) => {
  const [what, { blocks }] =
    'view' in payload ? (['view', payload.view] as const) : (['message', payload.message] as const)
  expect(validate(what, Object.values(payload)[0])).toEqual([])
  expect(blocks).not.toEqual([])
  if (what === 'message') expect(blocksTextLength(blocks)).toBeLessThanOrEqual(12_000)
})

/** The longest text, or list, at each place. */
function longestAt(value: unknown, place = '', found = new Map<string, number>()): Map<string, number> {
  if (Array.isArray(value)) {
    found.set(`${place}[]`, Math.max(found.get(`${place}[]`) ?? 0, value.length))
    for (const item of value) longestAt(item, place, found)
  } else if (typeof value === 'object' && value !== null) {
    const { type } = value as { type?: string }
    for (const [key, item] of Object.entries(value)) longestAt(item, `${type ?? ''}.${key}`, found)
  } else if (typeof value === 'string') {
    found.set(place, Math.max(found.get(place) ?? 0, [...value].length))
  }
  return found
}

/** As monbot limits itself; the texts of sections end with the last line, or name, that has room. */
test.each([
  ['mrkdwn.text', 2_900, 3_000],
  ['plain_text.text', 3_000, 3_000],
  ['plain_text_input.initial_value', 3_000, 3_000],
  ['modal.private_metadata', 3_000, 3_000],
  ['image.alt_text', 1_000, 1_000],
  ['button.accessibility_label', 75, 75],
  ['overflow.options[]', 3, 5],
  ['home.blocks[]', 90, 100],
])('the longest %s has %d characters or items at least, and at most %d', (place, least, most) => {
  const found = longestAt(samples.map(({ payload }) => payload)).get(place) ?? 0
  expect(found).toBeGreaterThanOrEqual(least)
  expect(found).toBeLessThanOrEqual(most)
})
