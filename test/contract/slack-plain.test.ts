/** Where Slack refuses the blocks of a card, its words alone go out: they must be within Slack's limits, whatever the names. */
import { expect, onTestFinished, test } from 'vitest'
import { alertsPerPage } from '../../src/bot/domain/card/card.ts'
import type { Chat } from '../../src/bot/flow/ports/ports.ts'
import { deliverTo } from '../support/delivery-town.ts'
import { anAlert, letPass } from '../support/delivery-world.ts'
import { inboundTown } from '../support/inbound.ts'
import { manualClock } from '../support/manual-clock.ts'
import { memoryStore } from '../support/memory-store.ts'
import { patienceMs } from '../support/patience.ts'
import { closingAll, storming } from '../support/storm-delivery.ts'

/** A Slack that takes no blocks at all, and is as strict as ever with the rest. */
async function blocklessSlack(): Promise<{ chat: Chat; channel: string; texts: () => readonly string[] }> {
  const { workspace, slack } = await inboundTown()
  const { id: channel } = workspace.channel('alerts')
  const refused = { kind: 'bad_payload', why: 'msg_blocks_too_long' } as const
  const chat: Chat = {
    ...slack.chat,
    post: async (to, view) => (to.plain ? slack.chat.post(to, view) : refused),
    update: async (at, view) => (at.plain ? slack.chat.update(at, view) : refused),
  }
  const texts = () => (workspace.messages(channel) as unknown as { text: string }[]).map(({ text }) => text)
  return { chat, channel, texts }
}

const hostile: Readonly<Record<string, string>> = {
  'of markup': '<!channel>&*_~`'.repeat(20),
  'of letters outside the first plane': '𝕏🔥'.repeat(150),
  'of control and direction marks': '\u202e\u0000\n'.repeat(100),
}

test.each(Object.keys(hostile))('a storm with names %s is posted and updated as text alone', async (what) => {
  const { chat, channel, texts } = await blocklessSlack()
  const clock = manualClock()
  const store = await memoryStore()
  const { commit, deliver, logger } = deliverTo(chat, store, clock)
  onTestFinished(deliver.stop)
  const name = hostile[what] ?? ''
  const alerts = Array.from({ length: 2 * alertsPerPage }, (_, n) =>
    anAlert(String(n), {
      title: name,
      plugin: name,
      hostname: `${n}${name}`,
      serverName: `${n}${name}`,
      roles: [name],
    }),
  )
  await commit(storming(alerts, clock.nowMs(), channel))
  const settled = async (count: number) => {
    await letPass(clock, 1_000)
    const { byState, behind } = await store.countCards()
    expect([byState, behind]).toEqual([new Map([['shown', count]]), 0])
  }
  await expect.poll(() => settled(3).then(() => true), { timeout: patienceMs, interval: 5 }).toBe(true)
  await commit(closingAll(alerts, clock.nowMs()))
  await expect.poll(() => settled(3).then(() => true), { timeout: patienceMs, interval: 5 }).toBe(true)
  // The workspace refuses what Slack would: more than 40,000 characters in a post, more than 4,000 in an update.
  expect(logger.events().filter((event) => event === 'card:bad_payload')).toHaveLength(3)
  expect(
    texts().map((text) =>
      /(?:Storm over: 160 alerts|All 160 alerts .* have closed)|^[12]\/2: 0 open/.test(text),
    ),
  ).toEqual([true, true, true])
})
