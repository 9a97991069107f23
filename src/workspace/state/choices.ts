/** What people have chosen in messages, each for themselves: Slack sends it with every click, until the message is gone. */
import type { Fields } from './fields.ts'
import type { StateValues } from './views.ts'

export type Choices = {
  /** Keeps one choice, and gives all that this person has chosen in this message. */
  keep(place: ChoicePlace, chosen: { blockId: string; actionId: string; state: Fields }): StateValues
}

export type ChoicePlace = { readonly userId: string; readonly channelId: string; readonly ts: string }

/** Persons and messages together; the oldest goes. */
const rememberedMax = 2_000

export function openChoices(): Choices {
  const kept = new Map<string, StateValues>()
  return {
    keep({ userId, channelId, ts }, { blockId, actionId, state }) {
      const key = `${userId} ${channelId} ${ts}`
      const before = kept.get(key) ?? {}
      const values = { ...before, [blockId]: { ...before[blockId], [actionId]: state } }
      kept.delete(key)
      kept.set(key, values)
      for (const oldest of kept.keys()) {
        if (kept.size <= rememberedMax) break
        kept.delete(oldest)
      }
      return values
    },
  }
}
