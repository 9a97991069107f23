/** What closed while nothing could be read closed between two times, and lasted for a time that nobody knows. */
import { describe, expect, test } from 'vitest'
import { lastedMs } from '../../../src/bot/domain/alert/alert.ts'
import { OutsideFailure } from '../../../src/bot/domain/base/failure.ts'
import type { CardView } from '../../../src/bot/domain/card/kinds.ts'
import { renderStormOver } from '../../../src/bot/slack/render/cards/storm-over.ts'
import { headline } from '../../../src/bot/slack/render/text/headline.ts'
import { inText } from '../../../src/bot/slack/render/text/phrases.ts'
import { anAlert } from '../../support/delivery-world.ts'
import { states } from '../../support/poll-world.ts'
import { withTwo } from '../../support/two-open.ts'

const minutes = 60_000

describe('what closed while nothing could be read', () => {
  /** One that is open, and then an API that cannot be read for so long while it closes. */
  async function unreadFor(ms: number, how: 'flips' | 'goes' | 'ends') {
    const town = await withTwo(how === 'ends' ? 'pair' : 'flip')
    const { api, gone, stays, past, record, clock, during, store } = town
    await during(10 * minutes)
    const lastMs = clock.nowMs()
    const whole = api.page
    api.page = () => {
      throw new OutsideFailure('unreachable', 'the monitoring API returned HTTP 500')
    }
    await during(ms)
    api.page = whole
    api.start = [stays]
    const end = record('9', { hostname: 'h-2', lifecycle: 'end', timeMs: lastMs + 20_000 })
    if (how === 'flips') api.all = [{ ...gone, lifecycle: 'end' }, stays, ...past]
    if (how === 'goes') api.all = [stays, ...past]
    if (how === 'ends') api.all = [end, gone, stays, ...past]
    const backMs = clock.nowMs()
    expect(states(await during(minutes))).toEqual(['update 2 closed'])
    const [alert] = await store.recallByIds(['2'])
    if (alert === undefined) throw new Error('It is remembered')
    const { toCloseMs } = await store.report(0, clock.nowMs() + 1, [0])
    return { alert, lastMs, backMs, toCloseMs, headline: headline(alert, inText) }
  }

  test.each(['flips', 'goes'] as const)(
    'had a length that nobody knows, where its record %s',
    async (how) => {
      const { alert, lastMs, backMs, toCloseMs, headline } = await unreadFor(5 * minutes, how)
      expect(alert.closedAfterMs).toBeGreaterThanOrEqual(lastMs - 15_000)
      expect(alert.closedAfterMs).toBeLessThanOrEqual(lastMs)
      expect(alert.closedMs).toBeGreaterThanOrEqual(backMs)
      expect(alert.closedMs).toBeLessThanOrEqual(backMs + 15_000)
      expect(headline).toMatch(/ closed between .*04:\d\d.* and .*04:\d\d/)
      expect(headline).not.toContain('after')
      expect(lastedMs(alert)).toBeNull()
      expect(toCloseMs).toBeNull()
    },
  )

  test('has one where its end says when', async () => {
    const { alert, lastMs, toCloseMs, headline } = await unreadFor(5 * minutes, 'ends')
    expect(alert).toMatchObject({ closedMs: lastMs + 20_000, closedAfterMs: null })
    expect(headline).toContain('closed after')
    expect(toCloseMs).toBe(lastedMs(alert))
  })

  test('an end that gives the time of the start made it zero seconds', async () => {
    const { api, gone, stays, past, record, during, store, clock } = await withTwo('pair')
    await during(10 * minutes)
    api.start = [stays]
    api.all = [record('9', { hostname: 'h-2', lifecycle: 'end', timeMs: gone.timeMs }), gone, stays, ...past]
    const goneMs = clock.nowMs()
    expect(states(await during(minutes))).toEqual(['update 2 closed'])
    const [alert] = await store.recallByIds(['2'])
    expect(alert?.closedMs).toBeGreaterThanOrEqual(goneMs)
  })

  test('has one where it was a poll or two that failed', async () => {
    const { alert, toCloseMs } = await unreadFor(30_000, 'flips')
    expect(alert.closedAfterMs).toBeNull()
    expect(toCloseMs).toBe(lastedMs(alert))
  })

  test('gives a storm no length and no median', () => {
    const at = (minute: number) => Date.UTC(2026, 10, 21, 4, minute)
    const times = { startedMs: at(0), closedAfterMs: at(30), closedMs: at(35) }
    const over = { state: 'closed', closedBy: 'record', ...times } as const
    const alerts = ['1', '2', '3'].map((id) => anAlert(id, over))
    const stamp = { cardId: 'storm:1', version: 1 }
    const view = { kind: 'storm', stamp, alerts } as unknown as CardView<'storm'>
    const { text } = renderStormOver(view)
    expect(text).toMatch(/^🟢 Storm over: 3 alerts, .* began .*04:00.*, over by .*04:35.* · nobody had it$/)
  })
})
