/**
 * The promises of polling as properties: whatever happens between two requests, nothing that stays open is missed, and each
 * alert is told in one place. `npm run week` does the same with a whole town.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { CloseStyle } from '../../../src/bot/domain/alert/end.ts'
import { numberOf } from '../../../src/bot/domain/alert/episode.ts'
import { alertsPerPage } from '../../../src/bot/domain/card/card.ts'
import { linesOf } from '../../../src/bot/domain/card/storm.ts'
import type { Order } from '../../support/model-service.ts'
import { type PollWorld, pollEveryMs, polledWorld, pollWorld } from '../../support/poll-world.ts'

describe('nothing that stays open for one whole poll is missed', () => {
  const seeds = [1, 42, 20_261, 777]
  const kinds = fc.constantFrom('open', 'close', 'oneoff', 'remove', 'nothing')
  const move = fc.record({ kind: kinds, at: fc.double({ min: 0, max: 0.999, noNaN: true }) })
  const polls = fc.array(fc.array(fc.array(move, { maxLength: 4 }), { maxLength: 6 }), {
    minLength: 1,
    maxLength: 6,
  })
  const drawn = fc.record({ polls, open: fc.integer({ min: 0, max: 130 }) })

  test.each(
    (['flip', 'pair'] as const).flatMap((form) =>
      (['newest', 'oldest', 'shuffled'] as const).map((order) => [form, order] as const),
    ),
  )('%s, %s first', async (form, order) => {
    for (const seed of seeds) {
      await fc.assert(
        fc.asyncProperty(drawn, (sample) => missesNothing(form, order, sample)),
        {
          seed,
          numRuns: 15,
        },
      )
    }
  })

  async function missesNothing(
    form: CloseStyle,
    order: Order,
    sample: { polls: { kind: string; at: number }[][][]; open: number },
  ): Promise<void> {
    const town = await pollWorld({ form, order })
    const removed = new Set<string>()
    const promised = new Set<string>()
    const happen = ({ kind, at }: { kind: string; at: number }) => {
      const ids = town.service.openIds()
      const chosen = ids[Math.floor(at * ids.length)]
      town.clock.advance(1)
      if (kind === 'open') town.service.open({ hostname: `web-${Math.floor(at * 9)}` })
      if (kind === 'oneoff') town.service.oneoff()
      if (chosen !== undefined && kind === 'close') town.service.close(chosen)
      if (chosen !== undefined && kind === 'remove') {
        town.service.remove(chosen)
        removed.add(chosen)
      }
    }
    for (let n = 0; n < sample.open; n += 1) town.service.open({ hostname: `db-${n % 40}` })
    for (const requests of sample.polls) {
      const before = town.service.openIds()
      town.service.beforeRequests(requests.map((moves) => () => moves.forEach(happen)))
      town.clock.advance(pollEveryMs)
      await town.poll()
      town.service.beforeRequests([])
      const after = new Set(town.service.openIds())
      for (const alertId of before) if (after.has(alertId)) promised.add(alertId)
    }
    for (let quiet = 0; quiet < 3; quiet += 1) await town.tick()
    const episodes = await town.store.recallByNumbers([...promised])
    const carded = new Set(
      [...(await town.store.carded(episodes.map(({ alertId }) => alertId))).keys()].map(numberOf),
    )
    expect([...promised].filter((number) => !carded.has(number))).toEqual([])
    const { alerts } = await town.store.recall()
    expect([...alerts.keys()].map(numberOf).sort()).toEqual(town.service.openIds().sort())
  }
})

const routes = [
  { match: { server: 'db-*' }, channel: 'C2', mention: '<@UDB>' },
  { match: { server: 'app-*' }, channel: 'C1', mention: '<@UAPP>' },
]

const step = fc.record({
  /** Few or many at once; of few servers, so that they flap, or of many. */
  opened: fc.oneof(fc.integer({ min: 0, max: 6 }), fc.integer({ min: 0, max: 120 })),
  prefix: fc.constantFrom('web', 'db', 'app'),
  servers: fc.constantFrom(2, 10, 500),
  /** The share of what is open that closes before and after the new ones open. */
  closedBefore: fc.double({ min: 0, max: 1, noNaN: true }),
  closedAfter: fc.double({ min: 0, max: 0.5, noNaN: true }),
  /** What Slack takes until the next poll, and how it ends. */
  posts: fc.constantFrom(0, 0, 1, 3, 1_000),
  cameOf: fc.constantFrom('shown', 'unknown', 'sending') as fc.Arbitrary<'shown' | 'unknown' | 'sending'>,
  seconds: fc.constantFrom(15, 15, 30, 90, 45 * 60),
  isRestarted: fc.boolean(),
})

test.each([1, 42, 20_261, 777])(
  'each alert stands on one card of its channel, and on no page are more lines than fit (seed %i)',
  async (seed) => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 12 }), async (steps) => {
        const town = await polledWorld({ routes })
        let last = 0
        let before: ReadonlySet<string> = new Set()
        for (const { opened, prefix, servers, ...rest } of steps) {
          closeSome(town, rest.closedBefore)
          for (let n = 0; n < opened; n += 1) {
            last += 1
            town.service.open({ hostname: `${prefix}-${last % servers}`, metric: 'm' })
          }
          closeSome(town, rest.closedAfter)
          town.clock.advance(rest.seconds * 1_000)
          if (rest.isRestarted) town.restart()
          await town.poll()
          const told = await inOrder(town)
          expect(
            [...before].filter((alertId) => !told.has(alertId)),
            'what was told once is told',
          ).toEqual([])
          before = told
          await takePosts(town, rest.posts, rest.cameOf)
        }
      }),
      { seed, numRuns: 15 },
    )
  },
)

function closeSome(town: PollWorld, share: number): void {
  const open = town.service.openIds()
  for (const alertId of open.slice(0, Math.floor(open.length * share))) town.service.close(alertId)
}

async function takePosts({ store, clock }: PollWorld, count: number, state: 'shown' | 'unknown' | 'sending') {
  for (const channel of ['C1', 'C2']) {
    for (let n = 0; n < count; n += 1) {
      const job = await store.nextJob(channel, clock.nowMs() + 2_000, ['post'])
      if (job === null) break
      const shown = { state, ts: `${channel}.${job.cardId}`, shown: job.wanted }
      await store.settle(job.cardId, state === 'shown' ? shown : { state, sendingMs: clock.nowMs() })
    }
  }
}

async function inOrder({ store, service }: PollWorld): Promise<ReadonlySet<string>> {
  const kinds = ['alert', 'page', 'summary', 'storm'] as const
  const [alerts = [], pages = [], ...heads] = await Promise.all(kinds.map((kind) => store.cardsOfKind(kind)))
  const listed = [...alerts, ...pages].flatMap(({ alertIds }) => alertIds)
  expect(listed.length, 'no alert stands in two places').toBe(new Set(listed).size)
  const told = new Set(listed)
  expect(
    service.openIds().filter((alertId) => !told.has(alertId)),
    'what is open is told',
  ).toEqual([])
  for (const { cardId, alertIds } of heads.flat()) {
    const own = pages.filter(({ parentId }) => parentId === cardId).flatMap((page) => page.alertIds)
    expect([...own].sort(), `${cardId} counts what its thread lists`).toEqual([...alertIds].sort())
  }
  for (const { cardId, alertIds, channel } of [...alerts, ...pages]) {
    const members = await store.recallByIds(alertIds)
    expect(linesOf(members).length, cardId).toBeLessThanOrEqual(alertsPerPage)
    const isHere = (hostname: string) => (hostname.startsWith('db-') ? 'C2' : 'C1') === channel
    expect(
      members.every(({ hostname }) => isHere(hostname)),
      `${cardId} stands in its channel`,
    ).toBe(true)
  }
  return told
}
