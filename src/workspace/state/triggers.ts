/** Trigger ids: each lives three seconds and opens one view (slack-facts 2.6). */
import type { Ids } from './ids.ts'

export type Triggered = {
  readonly userId: string /** The view it was born in, if it was. */
  readonly viewId?: string
}

export type TriggerVerdict =
  | { readonly ok: true; readonly triggered: Triggered }
  | { readonly ok: false; readonly why: 'invalid_trigger_id' | 'expired_trigger_id' | 'exchanged_trigger_id' }

export type TriggerIds = {
  issue(triggered: Triggered): string
  /** Whether it could be used now. */
  look(triggerId: string): TriggerVerdict
  /** Spends it. */
  spend(triggerId: string): void
}

const triggerLifeMs = 3_000
const rememberedMax = 2_000

export function openTriggerIds(ids: Ids, nowMs: () => number): TriggerIds {
  const issued = new Map<string, { triggered: Triggered; bornMs: number; spent: boolean }>()

  return {
    issue(triggered) {
      const triggerId = `${10 ** 12 + ids.pick(9 * 10 ** 9)}.${10 ** 12 + ids.pick(9 * 10 ** 9)}.${ids.secret(16)}`
      issued.set(triggerId, { triggered, bornMs: nowMs(), spent: false })
      for (const oldest of issued.keys()) {
        if (issued.size <= rememberedMax) break
        issued.delete(oldest)
      }
      return triggerId
    },
    look(triggerId) {
      const one = issued.get(triggerId)
      if (one === undefined) return { ok: false, why: 'invalid_trigger_id' }
      if (one.spent) return { ok: false, why: 'exchanged_trigger_id' }
      if (nowMs() - one.bornMs >= triggerLifeMs) return { ok: false, why: 'expired_trigger_id' }
      return { ok: true, triggered: one.triggered }
    },
    spend(triggerId) {
      const one = issued.get(triggerId)
      if (one !== undefined) one.spent = true
    },
  }
}
