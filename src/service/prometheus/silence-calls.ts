/** Asks for our silences, ends and lists them: so many at once, and whose a silence is is known from the moment it is there. */
import type { Alertmanagers } from './alertmanagers.ts'
import { UpstreamNo } from './ask.ts'
import { openGate } from './in-turn.ts'
import type { PrometheusSettings } from './settings.ts'
import type { Silence, SilenceDraft } from './silence.ts'
import { commentOf, createdBy, type Entry, matchersFor, type SilenceBook, tokenOf } from './silence-book.ts'

/** For so long one is asked for. */
export const heldMs = 3_600_000
const atOnceMax = 8
const endedMax = 20

export type SilenceCalls = {
  /** Asks for it anew, or for more time for the one there is, and notes its id in the book. */
  ask(one: Entry, current: { readonly id: string; readonly startsAtMs: number } | null): Promise<void>
  end(id: string): Promise<void>
  list(): Promise<readonly Silence[]>
  /** In doubt (one is being asked for just now) it is. */
  isOurs(id: string): boolean
}

/** Every method rejects with a `Refusal`. */
export function openSilenceCalls(parts: {
  readonly alertmanagers: Pick<Alertmanagers, 'silences' | 'silence' | 'end'>
  readonly book: SilenceBook
  readonly settings: Pick<PrometheusSettings, 'serverLabel' | 'serviceless'>
  nowMs(): number
}): SilenceCalls {
  const { alertmanagers, book, settings, nowMs } = parts
  const gate = openGate(atOnceMax)
  /** Those of the last list: whether each is ours. */
  let listed: ReadonlyMap<string, string | null> = new Map()
  let underWay = 0
  /** So many failed, and so many had when the last list was asked for: what came of the others nobody knows. */
  let failures = 0
  let failuresListed = 0

  async function taken(draft: SilenceDraft): Promise<string> {
    try {
      return await alertmanagers.silence(draft)
    } catch (error) {
      const isLost = draft.id !== null && error instanceof UpstreamNo && error.answered === 404
      if (!isLost) throw error
      return alertmanagers.silence({ ...draft, id: null })
    }
  }

  return {
    async ask(one, current) {
      const endsAtMs = nowMs() + heldMs
      const draft: SilenceDraft = {
        id: current?.id ?? null,
        createdBy,
        comment: commentOf(one),
        matchers: matchersFor(one.named, settings),
        // An Alertmanager moves a start in the past to its own now, whatever its clock says.
        startsAtMs: current?.startsAtMs ?? nowMs() - heldMs,
        endsAtMs,
      }
      underWay += 1
      try {
        const id = await gate(() => taken(draft))
        const former = current !== null && current.id !== id ? [current.id] : []
        const ended = [...one.ended, ...former].slice(-endedMax)
        book.put({ ...one, id, untilMs: endsAtMs, ended })
      } catch (error) {
        failures += 1
        throw error
      } finally {
        underWay -= 1
      }
    },
    end: (id) => gate(() => alertmanagers.end(id)),
    async list() {
      const before = failures
      const silences = await alertmanagers.silences()
      listed = new Map(silences.map((silence) => [silence.id, tokenOf(silence)]))
      failuresListed = before
      return silences
    },
    isOurs(id) {
      const token = listed.get(id)
      if (typeof token === 'string' && book.get(token) !== undefined) return true
      if (book.ids().has(id)) return true
      if (token !== undefined) return false
      return underWay > 0 || failures > failuresListed || book.all().some((one) => one.id === null)
    },
  }
}
