/** What any part of the bot needs: real SQLite in memory, a manual clock, a log, and a Slack that does what `fateOf` says. */
import { type Fate, forgetfulChat } from './forgetful-chat.ts'
import { keptJournal } from './journal.ts'
import { manualClock } from './manual-clock.ts'
import { memoryStore } from './memory-store.ts'

export async function bareWorld(fateOf: (call: string, channel: string) => Fate = () => 'ok') {
  const clock = manualClock()
  const chat = forgetfulChat({ nowMs: clock.nowMs, fateOf })
  return { clock, store: await memoryStore(), logger: keptJournal(), chat }
}
