/** Reminders: whom they call while nobody has the alert, and what they say once they are out of date. */
import { describe, expect, test } from 'vitest'
import type { CardView } from '../../src/domain/card/kinds.ts'
import { render } from '../../src/slack/render/render.ts'
import { anAlert } from '../support/delivery-world.ts'
import { local, minuteMs, startedMs, words } from './card-views.ts'

describe('a reminder', () => {
  const reminder = (over: Parameters<typeof anAlert>[1], mention: string | null = null): CardView => ({
    kind: 'reminder',
    alert: anAlert('1', { startedMs, ...over }),
    rest: [],
    mention,
  })

  test('calls who is on duty, and says how to make it stop', () => {
    const card = reminder({}, '<!subteam^S123>')
    expect(words(card)).toEqual([
      `⏰ *Nobody has acknowledged this alert yet.* Open since ${local(startedMs)} · <!subteam^S123>`,
      'Press *Acknowledge* on the card: then everyone sees that you are on it.',
    ])
    expect(render(card).text).toContain('🔴 web-1 Load Average: last minute 3.5 (limit 3)')
  })

  test.each<[Parameters<typeof anAlert>[1], string]>([
    [{ ackedBy: 'U1', ackedMs: startedMs + 18 * minuteMs }, '👀 <@U1> acknowledged this alert after 18 min'],
    [
      { state: 'closed', closedMs: startedMs + 20 * minuteMs },
      '🟢 *<https://monitor.example/a/1|web-1>* Load Average: last minute closed after 20 min · reached 3.5 (limit 3)',
    ],
  ])('that is out of date says what happened, and calls nobody', (over, line) => {
    expect(words(reminder(over, '<!subteam^S123>'))).toEqual([line])
  })
})
