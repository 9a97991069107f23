/**
 * Whatever the monitoring API does wrong while one alert opens and another closes: the poll says so in one sentence, or
 * reads on; and once it is over, what is open has exactly one card, and what closed is closed.
 */
import { describe, expect, test } from 'vitest'
import { OutsideFailure } from '../../../src/bot/domain/base/failure.ts'
import { apiWorld, canaryKey } from '../../support/api-world.ts'
import { faultRows } from '../../support/fault-rows.ts'
import { cards } from '../../support/poll-world.ts'

/** Longer than any sentence the bot means to say. */
const sentenceCharactersMax = 200
const pollsUnderFault = 3

type World = Awaited<ReturnType<typeof apiWorld>>

/** Every card there was, by alert: how often it was posted, and what it showed last. */
function openLedger(town: World) {
  const shown = new Map<string, { posts: number; state: string; lastsMs: number | null }>()
  return {
    shown,
    async read() {
      for (const { view, task } of await cards(town)) {
        if (view.kind !== 'alert') throw new Error(`a ${view.kind} card, where only single alerts were news`)
        const { alertId, state, startedMs, closedMs } = view.alert
        const posts = (shown.get(alertId)?.posts ?? 0) + (task === 'post' ? 1 : 0)
        shown.set(alertId, { posts, state, lastsMs: closedMs === null ? null : closedMs - startedMs })
        expect(startedMs).toBeLessThanOrEqual(town.clock.nowMs())
      }
    },
  }
}

/** The sentences of the polls that failed. */
async function pollUnderFault(town: World): Promise<string[]> {
  const said: string[] = []
  for (let n = 0; n < pollsUnderFault; n += 1) {
    const outcome = await town.tick().catch((error: unknown) => error)
    if (outcome instanceof Error && !(outcome instanceof OutsideFailure)) throw outcome
    if (outcome instanceof OutsideFailure) said.push(outcome.message)
  }
  return said
}

describe.each(['flip', 'pair'] as const)('in %s form, an alert opens and another closes during', (form) => {
  test.each(faultRows)('$what', async ({ fault, why }) => {
    const town = await apiWorld({ service: { form } })
    const { service } = town
    const ledger = openLedger(town)
    const steady = service.openAlert({ server: 'db-1', plugin: 'Disk' })
    const closing = service.openAlert({ server: 'web-1', plugin: 'CPU' })
    await town.tick()
    await ledger.read()

    town.clock.advance(1_000)
    service.orderFault({ ...fault, path: 'alerts.json', times: 10_000 })
    const opening = service.openAlert({ server: 'web-2', plugin: 'CPU' })
    service.closeAlert(closing)
    const said = await pollUnderFault(town)
    await ledger.read()
    expect(said).toHaveLength(why === null ? 0 : pollsUnderFault)
    for (const sentence of said) {
      expect(sentence).toMatch(why ?? /never/)
      expect(sentence.length).toBeLessThan(sentenceCharactersMax)
      expect(sentence).not.toMatch(/https?:|127\.0\.0\.1|[{}<>]/)
    }
    expect(JSON.stringify(town.logger.entries)).not.toContain(canaryKey)

    service.clearFaults()
    for (let n = 0; n < 4; n += 1) {
      await town.tick()
      await ledger.read()
    }
    expect(ledger.shown.get(String(steady))).toMatchObject({ posts: 1, state: 'open' })
    expect(ledger.shown.get(String(opening))).toMatchObject({ posts: 1, state: 'open' })
    expect(ledger.shown.get(String(closing))).toMatchObject({ posts: 1, state: 'closed' })
    for (const { posts, lastsMs } of ledger.shown.values()) {
      expect(posts).toBe(1)
      if (lastsMs !== null) expect(lastsMs).toBeGreaterThanOrEqual(0)
    }
    // What was there only while the API lied is not open any more.
    const { alerts } = await town.store.recall()
    expect([...alerts.keys()].sort()).toEqual([String(steady), String(opening)].sort())
  })
})

test('an API that falls silent in the middle of a long list is given up after one read, and what came is told', async () => {
  const town = await apiWorld()
  const { service } = town
  const ids = Array.from({ length: 450 }, (_, n) =>
    String(service.openAlert({ server: `web-${n % 90}`, plugin: `Probe ${n}` })),
  )
  service.orderFault({ path: 'alerts.json', times: 5, delayMs: 1 })
  service.orderFault({ path: 'alerts.json', times: 10_000, hang: true })
  await expect(town.tick()).rejects.toThrow('timed out')
  // Four pages were under way, each asked for twice; the history was not asked for at all.
  expect(town.alertRequests()).toBe(5 + 4 * 2)
  expect((await town.store.recall()).alerts.size).toBe(4 * 45 + 50)
  service.clearFaults()
  await town.tick()
  expect([...(await town.store.recall()).alerts.keys()].sort()).toEqual(ids.sort())
})

test('two ids beyond 2^53 that differ in the last digit only are two alerts', async () => {
  const town = await apiWorld()
  town.service.orderFault({ path: 'alerts.json', times: 2, wrong: 'ids' })
  await town.tick()
  expect([...(await town.store.recall()).alerts.keys()].sort()).toEqual([
    '900719925474099301',
    '900719925474099303',
  ])
})

test('ids that come twice, on one page and on the next, with another title, are one alert each', async () => {
  const town = await apiWorld()
  const ids = Array.from({ length: 130 }, (_, n) =>
    String(town.service.openAlert({ server: `web-${n}`, plugin: 'CPU' })),
  )
  town.service.orderFault({ path: 'alerts.json', times: 10_000, wrong: 'duplicates' })
  const before = town.alertRequests()
  await town.tick()
  expect([...(await town.store.recall()).alerts.keys()].sort()).toEqual(ids.sort())
  expect(town.alertRequests() - before).toBeLessThan(2 * 200)
  await cards(town)
  town.service.clearFaults()
  for (let n = 0; n < 3; n += 1) await town.tick()
  expect(await cards(town)).toEqual([])
})
