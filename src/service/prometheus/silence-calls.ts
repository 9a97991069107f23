/** Creates, ends and lists our silences, with a limit on calls at once; each is known as ours as soon as it exists. */
import type { Alertmanagers } from './alertmanagers.ts'
import { UpstreamNo } from './ask.ts'
import { openGate } from './in-turn.ts'
import type { Silence, SilenceDraft } from './records.ts'
import type { PrometheusSettings } from './settings.ts'
import { commentOf, createdBy, type Entry, matchersFor, type SilenceBook, tokenOf } from './silence-book.ts'

/** Requested duration of a silence. */
export const heldMs = 3_600_000
const atOnceMax = 8
/** How many former ids of a silence are remembered. */
export const endedMax = 20

export type SilenceCalls = {
  /** Creates it, or extends the existing one, and notes its id in the book. */
  ask(one: Entry, current: { readonly id: string; readonly startsAtMs: number } | null): Promise<void>
  end(id: string): Promise<void>
  list(): Promise<readonly Silence[]>
  /** If in doubt (one is being requested just now), it is. */
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
  /** For each silence of the last list: whether it is ours. */
  let listed: ReadonlyMap<string, string | null> = new Map()
  let underWay = 0
  /** Failures so far, and the count when the last list was requested: the outcome of later ones is unknown. */
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
        // An Alertmanager moves a start in the past to its own current time.
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
