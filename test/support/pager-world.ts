/** A world for pages: polls of the model service, real SQLite, reminders, mutes, and a pager that fails as a test orders. */
import type { LiveRouting } from '../../src/bot/domain/card/reach.ts'
import type { ReminderStep } from '../../src/bot/domain/card/reminders.ts'
import { openHeard } from '../../src/bot/flow/pager/acknowledged.ts'
import { openPages } from '../../src/bot/flow/pager/pages.ts'
import { openTeller } from '../../src/bot/flow/pager/tell.ts'
import type { Store } from '../../src/bot/flow/ports/store.ts'
import { letPass } from './delivery-world.ts'
import { expiryWorld } from './expiry-world.ts'
import { modelPager } from './model-pager.ts'
import { cards, nameOf } from './poll-world.ts'
import { startPart } from './start-part.ts'

export type PagerWorld = Awaited<ReturnType<typeof pagerWorld>>

export async function pagerWorld(steps: readonly ReminderStep[], flapSettleMs: number | null = null) {
  const town = await expiryWorld({ reminders: { steps, flapSettleMs } })
  const { store, clock, logger } = town
  const pager = modelPager()
  let lastPollMs: number | null = null
  let ids = 0
  let starts = 0
  let process: { stop(): Promise<void>; wake(): void }[] = []

  /** The parts that page, on this memory or on one that a test puts itself in front of; by these steps or by later ones. */
  function startPaging(over: Store = store, policy: readonly ReminderStep[] = steps) {
    starts += 1
    const made = `p${starts}`
    const wakes: { wake(): void }[] = []
    const onChanged = () => {
      for (const part of wakes) part.wake()
    }
    const ports = { store: over, clock, logger, onChanged, lastPollMs: () => lastPollMs }
    const heard = openHeard(ports)
    const routing: LiveRouting = { routes: [], defaultChannel: 'C1', gone: () => new Set<string>() }
    const make = { make: () => `${made}-${++ids}` }
    const pages = startPart(
      openPages({ ...ports, ids: make }, { steps: policy, flapSettleMs, routing, ignore: [] }),
    )
    const chat = { permalink: async ({ ts }: { ts: string }) => `https://example.slack.com/${ts}` }
    const teller = startPart(openTeller({ ...ports, pager, chat, heard, routing }))
    wakes.push(pages, teller)
    process = [pages, teller]
    return { heard, trouble: teller.trouble, wake: onChanged }
  }

  async function poll(): Promise<void> {
    await town.poll()
    lastPollMs = clock.nowMs()
    for (const part of process) part.wake()
    await letPass(clock, 0)
  }

  return {
    ...town,
    pager,
    poll,
    startPaging,
    /** Lets seconds pass, with a poll every fifteen of them. */
    passSeconds: async (seconds: number) => {
      for (let left = seconds; left > 0; left -= 15) {
        await letPass(clock, Math.min(15, left) * 1_000)
        if (left >= 15) await poll()
      }
    },
    /** The process is gone, with what it has under way. */
    dies: async () => {
      for (const part of process.splice(0)) await part.stop()
      lastPollMs = null
      await town.dies()
    },
    /** What is newly posted and not a board, by what it is. */
    posted: async () =>
      (await cards(town)).flatMap(({ task, view }) =>
        task === 'post' && view.kind !== 'board' ? [nameOf(view)] : [],
      ),
    pages: () => store.livePages(),
  }
}

/** A step that pages after so many minutes. */
export const paging = (minutes: number, over: Partial<ReminderStep> = {}): ReminderStep => ({
  afterMs: minutes * 60_000,
  mention: null,
  channel: null,
  page: true,
  ...over,
})
