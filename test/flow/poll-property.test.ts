/**
 * The promise of polling as a property: whatever happens between two requests, nothing that stays open is missed. `npm run week`
 * holds what the bot knows and shows against what is open after each of forty thousand polls.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { numberOf } from '../../src/domain/alert/episode.ts'
import type { Form } from '../../src/domain/alert/pairing.ts'
import type { Order } from '../support/model-service.ts'
import { pollEveryMs, pollWorld } from '../support/poll-world.ts'

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
  )(
    '%s, %s first',
    async (form, order) => {
      for (const seed of seeds) {
        await fc.assert(
          fc.asyncProperty(drawn, (sample) => missesNothing(form, order, sample)),
          {
            seed,
            numRuns: 15,
          },
        )
      }
    },
    60_000,
  )

  async function missesNothing(
    form: Form,
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
      [...(await town.store.carded(episodes.map(({ alertId }) => alertId)))].map(numberOf),
    )
    expect([...promised].filter((number) => !carded.has(number))).toEqual([])
    const { alerts } = await town.store.recall()
    expect([...alerts.keys()].map(numberOf).sort()).toEqual(town.service.openIds().sort())
  }
})
