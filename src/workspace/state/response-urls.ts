/** Response URLs: five uses within thirty minutes, then they are gone (slack-facts 4.2). */
import type { Ids } from './ids.ts'

/** Where an answer belongs: the place that the person acted in, and the message that they acted on. */
export type ResponsePlace = {
  readonly channelId: string
  readonly userId: string
  readonly messageTs?: string
  readonly threadTs?: string
}

export type ResponseUse =
  | { readonly ok: true; readonly place: ResponsePlace }
  | { readonly ok: false; readonly why: 'unknown_url' | 'expired_url' | 'used_url' }

export type ResponseUrls = {
  /** The path's last part, which nobody can guess. */
  issue(place: ResponsePlace): string
  /** Takes one use of it. */
  use(ticket: string): ResponseUse
}

const responseUsesMax = 5
const responseLifeMs = 30 * 60_000
const rememberedMax = 5_000

export function openResponseUrls(ids: Ids, nowMs: () => number): ResponseUrls {
  const issued = new Map<string, { place: ResponsePlace; bornMs: number; uses: number }>()

  return {
    issue(place) {
      const ticket = ids.secret(16)
      issued.set(ticket, { place, bornMs: nowMs(), uses: 0 })
      for (const oldest of issued.keys()) {
        if (issued.size <= rememberedMax) break
        issued.delete(oldest)
      }
      return ticket
    },
    use(ticket) {
      const one = issued.get(ticket)
      if (one === undefined) return { ok: false, why: 'unknown_url' }
      if (nowMs() - one.bornMs >= responseLifeMs) return { ok: false, why: 'expired_url' }
      if (one.uses >= responseUsesMax) return { ok: false, why: 'used_url' }
      one.uses += 1
      return { ok: true, place: one.place }
    },
  }
}
