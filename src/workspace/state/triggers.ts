/** Trigger ids: each lives three seconds and opens one view (slack-facts 2.6). */
import type { Ids } from './ids.ts'

export type TriggerVerdict =
  | { readonly ok: true; readonly userId: string }
  | { readonly ok: false; readonly why: 'invalid_trigger_id' | 'expired_trigger_id' | 'exchanged_trigger_id' }

export type TriggerIds = {
  issue(userId: string): string
  /** Uses it up, and names the person whose it is. */
  spend(triggerId: string): TriggerVerdict
}

const triggerLifeMs = 3_000
const rememberedMax = 2_000

export function openTriggerIds(ids: Ids, nowMs: () => number): TriggerIds {
  const issued = new Map<string, { userId: string; bornMs: number; spent: boolean }>()

  return {
    issue(userId) {
      const triggerId = `${10 ** 12 + ids.pick(9 * 10 ** 9)}.${10 ** 12 + ids.pick(9 * 10 ** 9)}.${ids.secret(16)}`
      issued.set(triggerId, { userId, bornMs: nowMs(), spent: false })
      for (const oldest of issued.keys()) {
        if (issued.size <= rememberedMax) break
        issued.delete(oldest)
      }
      return triggerId
    },
    spend(triggerId) {
      const one = issued.get(triggerId)
      if (one === undefined) return { ok: false, why: 'invalid_trigger_id' }
      if (one.spent) return { ok: false, why: 'exchanged_trigger_id' }
      if (nowMs() - one.bornMs >= triggerLifeMs) return { ok: false, why: 'expired_trigger_id' }
      one.spent = true
      return { ok: true, userId: one.userId }
    },
  }
}
