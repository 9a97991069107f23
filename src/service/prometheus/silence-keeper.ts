/**
 * Keeps a silence at the Alertmanagers as the book has it: renews it while it is wanted, creates it again if it is lost, and
 * ends its duplicates, as well as one that turns up though it is no longer wanted. One that somebody else ended stays ended.
 */
import type { Ledger } from '../store/ledger.ts'
import type { Alertmanagers } from './alertmanagers.ts'
import { UpstreamNo } from './ask.ts'
import { openGate } from './in-turn.ts'
import type { Silence, SilenceDraft } from './records.ts'
import {
  areSame,
  commentOf,
  createdBy,
  type Entry,
  isOff,
  type SilenceBook,
  type Subject,
  tokenOf,
} from './silence-book.ts'

/** Requested duration of a silence. */
export const heldMs = 3_600_000
const atOnceMax = 8
/** How many former ids of a silence are remembered. */
const endedMax = 20

export type SilenceCalls = {
  /** Creates it, or extends the existing one (or replaces it, if its start is not known), and notes its id in the book. */
  ask(one: Entry, currentId: string | null): Promise<void>
  end(id: string): Promise<void>
  list(): Promise<readonly Silence[]>
  /** If in doubt (one is being requested just now), it is. */
  isOurs(id: string): boolean
  /** Ours with this id; null: none is known. */
  own(id: string): Entry | null
}

/** Creates, ends and lists our silences, with a limit on calls at once; each is known as ours as soon as it exists. Rejects with a `Refusal`. */
export function openSilenceCalls(parts: {
  readonly alertmanagers: Pick<Alertmanagers, 'silences' | 'silence' | 'end'>
  readonly book: SilenceBook
  nowMs(): number
}): SilenceCalls {
  const { alertmanagers, book, nowMs } = parts
  const gate = openGate(atOnceMax)
  /** The last list, by id. */
  let listed: ReadonlyMap<string, Silence> = new Map()
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

  function own(id: string): Entry | null {
    const silence = listed.get(id)
    const token = silence === undefined ? null : tokenOf(silence)
    return (token === null ? undefined : book.get(token)) ?? book.withId(id) ?? null
  }

  return {
    async ask(one, currentId) {
      const endsAtMs = endOf(one, nowMs())
      const draft: SilenceDraft = {
        id: currentId,
        createdBy,
        comment: commentOf(one),
        matchers: one.matchers,
        // An Alertmanager moves a start in the past to its own current time.
        startsAtMs: listed.get(currentId ?? '')?.startsAtMs ?? nowMs() - heldMs,
        endsAtMs,
      }
      underWay += 1
      try {
        const id = await gate(() => taken(draft))
        const former = currentId !== null && currentId !== id ? [currentId] : []
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
      listed = new Map(silences.map((silence) => [silence.id, silence]))
      failuresListed = before
      return silences
    },
    own,
    isOurs(id) {
      if (own(id) !== null) return true
      if (listed.has(id)) return false
      return underWay > 0 || failures > failuresListed || book.withId(null) !== undefined
    },
  }
}

const renewedAfterMs = 900_000
/** An Alertmanager may round the end of a silence. */
const roundingMs = 1_000
/** How far an Alertmanager's clock may be behind ours. */
const skewMs = 300_000

export type SilenceKeeper = {
  /** Creates it, or extends the existing one. Rejects with a `Refusal`. */
  ask(one: Entry): Promise<void>
  /** Notes that it is no longer wanted, so that `mend` ends it if it turns up. */
  retire(one: Entry): Entry
  /** Does what it needs, given all listed silences with its token. Rejects with a `Refusal`. */
  mend(one: Entry, found: readonly Silence[]): Promise<void>
}

export function openSilenceKeeper(parts: {
  readonly book: SilenceBook
  readonly calls: Pick<SilenceCalls, 'ask' | 'end'>
  readonly ledger: Ledger
  nowMs(): number
  report(line: string): void
  /** Called in the ledger's transaction when `mend` finds that this is on again, or ends what kept it off. */
  onEnded(subject: Subject): void
}): SilenceKeeper {
  const { book, calls, ledger, nowMs, report, onEnded } = parts

  const retire = (one: Entry): Entry =>
    book.put({ ...one, state: 'gone', untilMs: nowMs() + heldMs + skewMs })

  async function keep(one: Entry, found: readonly Silence[], live: readonly Silence[]): Promise<void> {
    const kept = live.find(({ id }) => id === one.id) ?? live[0]
    if (kept === undefined) {
      if (isEndedByHand(one, found)) return letBe(one)
      // An unlisted one may not have reached every Alertmanager yet: the one that has it changes it.
      return calls.ask(one, found.length === 0 ? one.id : null)
    }
    const spare = live.filter((other) => other !== kept).map(({ id }) => id)
    const ended = [...one.ended, ...spare.filter((id) => !one.ended.includes(id))].slice(-endedMax)
    const isOther = kept.id !== one.id || spare.length > 0
    const now = isOther ? book.put({ ...one, id: kept.id, untilMs: kept.endsAtMs, ended }) : one
    for (const id of spare) await calls.end(id)
    const isStale =
      kept.endsAtMs - nowMs() <= heldMs - renewedAfterMs && kept.endsAtMs + roundingMs < endOf(one, nowMs())
    if (isStale || !areSame(kept.matchers, one.matchers)) await calls.ask(now, kept.id)
  }

  function letBe(one: Entry): void {
    const { subject } = one
    ledger.together(() => {
      for (const other of book.of(subject).filter(isOff)) retire(other)
      onEnded(subject)
    })
    report(`somebody ended ${wordsOf(subject)} at the Alertmanager: its notifications are on again`)
  }

  return {
    ask: (one) => calls.ask(one, one.id),
    retire,
    async mend(one, found) {
      const live = found.filter(isLive)
      if (one.state === 'off' && !isOver(one, nowMs())) return keep(one, found, live)
      for (const { id } of live) await calls.end(id)
      if (isOff(one)) {
        ledger.together(() => {
          retire(one)
          if (!book.of(one.subject).some(isOff)) onEnded(one.subject)
        })
      } else if (live.length === 0 && one.untilMs <= nowMs()) book.remove(one.token)
    },
  }
}

function wordsOf(subject: Subject): string {
  switch (subject.kind) {
    case 'account':
      return 'the silence of all alerts'
    case 'server':
      return `the silence of ${subject.hostname}`
    case 'mute':
      return `mute ${subject.id}`
  }
}

/** When its silence is to end, unless it is renewed. */
function endOf({ terms }: Entry, nowMs: number): number {
  return Math.min(nowMs + heldMs, terms?.untilMs ?? Number.POSITIVE_INFINITY)
}

/** Whether it was wanted until a time that has come. */
function isOver({ terms }: Entry, nowMs: number): boolean {
  return (terms?.untilMs ?? Number.POSITIVE_INFINITY) <= nowMs
}

export function isLive({ state }: Silence): boolean {
  return state !== 'expired'
}

/**
 * Of its possible ids the one that ends last counts. One that expired was last changed when it was requested, long before its end;
 * if the held one is not among them, it was lost.
 */
function isEndedByHand(one: Entry, found: readonly Silence[]): boolean {
  const theirs = found.filter(({ id }) => !one.ended.includes(id))
  const last = theirs.toSorted((some, other) => other.endsAtMs - some.endsAtMs)[0]
  return last !== undefined && last.endsAtMs <= last.updatedAtMs && theirs.some(({ id }) => id === one.id)
}
