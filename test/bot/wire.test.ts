/** What a term of leading tells by itself: that its database is away. */
import { expect, test } from 'vitest'
import { minute, second } from '../../src/bot/clock.ts'
import type { Message, Outcome } from '../../src/bot/slack/port.ts'
import { tellAway } from '../../src/bot/wire.ts'
import type { Pass } from '../../src/bot/world/journal.ts'

test('a database that is away for a minute is told once, and the line is edited when it is back', async () => {
  const said: string[] = []
  const now = { nowMs: 0, sinceMs: null as number | null }
  const as =
    (what: string) =>
    async (_: Pass, { text }: Message) => {
      said.push(`${what}: ${text.replaceAll(/<!date[^|]*\|([^>]*)>/g, '$1')}`)
      return { kind: 'ok', ts: '1.1', channelId: 'C0', threadTs: null } satisfies Outcome
    }
  const look = tellAway({
    slack: { post: as('post'), update: as('update') },
    journal: { awaySinceMs: () => now.sinceMs },
    scene: () => ({ nowMs: now.nowMs, defaultChannel: 'C0' }),
    outside: (work) => work({} as Pass),
  })
  const at = (nowMs: number, sinceMs: number | null) => {
    Object.assign(now, { nowMs, sinceMs })
    return look()
  }
  await at(minute, 0)
  await at(2 * minute, minute + second)
  expect(said).toEqual([])
  await at(3 * minute, minute)
  await at(4 * minute, minute)
  expect(said).toEqual([expect.stringMatching(/^post: ⚠️ .*can't reach my database since .*00:01/)])
  await at(5 * minute, null)
  await at(6 * minute, null)
  expect(said.slice(1)).toEqual([expect.stringMatching(/^update: ✅ .*database from .*00:01.* to .*00:05/)])
})
