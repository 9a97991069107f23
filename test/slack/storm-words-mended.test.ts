/** Mended: words on the card of many alerts that hid some of them. */
import { expect, test } from 'vitest'
import { render } from '../../src/slack/render/render.ts'
import { anAlert } from '../support/delivery-world.ts'
import { minuteMs, startedMs, words } from './card-views.ts'

test('one-offs that came with alerts that have closed were told by no word of the card', () => {
  const closed = anAlert('1', { state: 'closed', closedMs: startedMs + minuteMs, closedBy: 'record' })
  const oneoffs = ['2', '3', '4'].map((alertId) => anAlert(alertId, { state: 'oneoff' }))
  const stamp = { cardId: 'storm:1:C1', version: 1 }
  const alerts = [closed, ...oneoffs]
  const card = { kind: 'storm', stamp, alerts, mention: null, mutes: [] } as const
  expect(words(card)).toEqual([
    '🟢 *The alert that came has closed* after 1 min · 3 one-off alerts came as well',
  ])
  expect(render(card).text).toContain('3 one-off alerts came as well')
})
