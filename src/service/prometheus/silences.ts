/**
 * Switches notifications off by silences at the Alertmanager. A silence ends an hour ahead, and is renewed for as long as
 * it is wanted: if the service dies, nothing stays silent longer than that.
 *
 * The purpose of each is in the ledger before the request, and each `tend` restores it, whatever came between (an
 * answer was lost, a deletion failed, an Alertmanager came back with an old state).
 */
import { Refusal } from '../refusal.ts'
import type { Ledger } from '../store/ledger.ts'
import type { Alertmanagers } from './alertmanagers.ts'
import { isFinal } from './ask.ts'
import { openTurns } from './in-turn.ts'
import type { Silence } from './records.ts'
import type { PrometheusSettings } from './settings.ts'
import {
  type Entry,
  isAsWide,
  isOf,
  isOff,
  isWanted,
  keyOf,
  openSilenceBook,
  purposeOf,
  type Scope,
  type SilenceBook,
  type Subject,
  tokenFor,
  tokenOf,
} from './silence-book.ts'
import {
  heldMs,
  isLive,
  openSilenceCalls,
  openSilenceKeeper,
  type SilenceCalls,
  type SilenceKeeper,
} from './silence-keeper.ts'

/** As many mutes at once, besides those of servers and of the account. */
export const mutesMax = 500

/** A silence that an Alertmanager has; `own`: what it is for if it is ours. */
export type Listed = { readonly silence: Silence; readonly own: Entry | null }

export type Silences = {
  /**
   * Off resolves when an Alertmanager has accepted it; if it rejects with a `Refusal`, nothing has changed, and a silence that turns up
   * later is ended. On resolves when the silence is ended; if it rejects, it is still off, but the request is kept: it is ended as soon
   * as an Alertmanager answers (then `onEnded` is called), unless it is switched off again first. Changes of one subject are
   * made one after the other.
   */
  set(scope: Scope, on: boolean): Promise<void>
  /** Switches off as `set` does, and keeps what is off already: these ways are added to it. */
  add(scope: Scope): Promise<void>
  /** The silences of a server, as they are, are those of another one from now on. */
  rename(from: string, to: string): void
  /** How many are renewed. */
  held(): number
  /** Whether a silence that suppresses an alert is one of these; if in doubt (one is being requested just now), it is. */
  isOurs(id: string): boolean
  /** Ours with this id from an Alertmanager; null: none is known. */
  own(id: string): Entry | null
  /** What a subject has or had until lately, newest first; what is off comes before what is not. */
  of(subject: Subject): readonly Entry[]
  /** Whether all of ours are known; if not, the first `list` makes it so. */
  isComplete(): boolean
  /** Those that are not over, each once. Rejects with a `Refusal`. */
  list(): Promise<readonly Listed[]>
  /** Ends a silence by its id at the Alertmanager; one that is not there is not an error. Rejects with a `Refusal`. */
  end(id: string): Promise<void>
  /** Renews, repairs and ends silences; call every few seconds. Never rejects with a `Refusal`: it reports those once. */
  tend(): Promise<void>
  /**
   * All that is off. After a start, callers set their own switches from it, as a kill can come between the two. Without a
   * stored ledger it is complete after the first successful `tend`, which adopts our silences from the Alertmanager.
   */
  found(): readonly Scope[]
  /** Starts nothing more; resolves when running work is done. Silences stay as they are. */
  stop(): Promise<void>
}

export function openSilences(parts: {
  readonly alertmanagers: Pick<Alertmanagers, 'silences' | 'silence' | 'end'>
  readonly ledger: Ledger
  readonly settings: Pick<PrometheusSettings, 'serverLabel' | 'serviceless'>
  nowMs(): number
  report(line: string): void
  /** Returns at least 64 random bits as text without spaces and parentheses. */
  newId(): string
  /**
   * Called in the ledger's transaction when something is on again without a `set`: somebody ended its silence, or a request to
   * do so was carried out late.
   */
  onEnded(subject: Subject): void
}): Silences {
  const { alertmanagers, ledger, settings, nowMs, report } = parts
  const book = openSilenceBook(ledger, settings)
  const calls = openSilenceCalls({ alertmanagers, book, nowMs })
  const keeper = openSilenceKeeper({ ...parts, book, calls })
  const change = openChanges({ ...parts, book, calls, keeper })
  const turns = openTurns()
  let isTakenUp = ledger.isKept
  let tending: Promise<void> | null = null
  let trouble: string | null = null
  let isStopped = false

  // No caller got an answer that these were accepted.
  ledger.together(() => {
    for (const one of book.all()) if (one.state === 'asking') keeper.retire(one)
  })

  async function list(): Promise<readonly Silence[]> {
    const listed = await calls.list()
    if (!isTakenUp) takeUp(listed.filter(isLive), book, keeper)
    isTakenUp = true
    return listed
  }

  async function lookAfter(before: readonly Entry[]): Promise<void> {
    const byToken = Map.groupBy(await list(), tokenOf)
    const failures = await failuresOf(
      before.map((one) =>
        turns.inTurn(keyOf(one.subject), async () => {
          // Those changed since then are newer than the list.
          if (book.get(one.token) === one && !isStopped) await keeper.mend(one, byToken.get(one.token) ?? [])
        }),
      ),
    )
    for (const failure of failures) throw failure
  }

  async function tendAll(): Promise<void> {
    const before = book.all()
    if (before.length === 0 && isTakenUp) return
    const [failure = null] = await failuresOf([lookAfter(before)])
    if (failure !== null && trouble === null) report(`silences cannot be looked after: ${failure.message}`)
    if (failure === null && trouble !== null) report('silences are looked after again')
    trouble = failure?.message ?? null
  }

  async function changed(scope: Scope, what: 'on' | 'off' | 'add'): Promise<void> {
    if (what !== 'on' && scope.ways.length === 0) {
      throw new Refusal(422, 'no alert names this server, so that nothing of it can be silenced')
    }
    await turns.inTurn(keyOf(scope.subject), async () => {
      if (isStopped) throw new Refusal(503, 'the service is being stopped')
      if (!isTakenUp) await list()
      await (what === 'on' ? change.on(scope.subject) : change.off(scope, what === 'add'))
    })
  }

  return {
    set: (scope, on) => changed(scope, on ? 'on' : 'off'),
    add: (scope) => changed(scope, 'add'),
    rename: book.rename,
    held: () => book.all().filter((one) => isOff(one) && one.id !== null).length,
    isOurs: calls.isOurs,
    own: calls.own,
    of: (subject) =>
      book
        .of(subject)
        .toReversed()
        .sort((one, other) => Number(isOff(other)) - Number(isOff(one))),
    isComplete: () => isTakenUp,
    async list() {
      return (await list()).filter(isLive).map((silence) => ({ silence, own: calls.own(silence.id) }))
    },
    end: calls.end,
    tend() {
      if (isStopped) return Promise.resolve()
      tending ??= tendAll().finally(() => {
        tending = null
      })
      return tending
    },
    found: () =>
      [...Map.groupBy(book.all().filter(isOff), ({ subject }) => keyOf(subject)).values()].flatMap((all) =>
        all.slice(0, 1).map(({ subject }) => ({ subject, ways: all.map(({ matchers }) => matchers) })),
      ),
    async stop() {
      isStopped = true
      await tending
      await turns.idle()
    },
  }
}

/** Without a record of earlier runs, the silences at the Alertmanager show what the service did. */
function takeUp(listed: readonly Silence[], book: SilenceBook, keeper: SilenceKeeper): void {
  // A mute has one silence: what was asked for last.
  for (const silence of listed.toSorted((one, other) => other.startsAtMs - one.startsAtMs)) {
    const token = tokenOf(silence)
    const purpose = purposeOf(silence)
    if (token === null || purpose === null || book.get(token) !== undefined) continue
    const { id, matchers, endsAtMs } = silence
    const own = book.of(purpose.subject).filter(isOff)
    const isTwice = own.some((other) => purpose.subject.kind === 'mute' || isOf(other, matchers, purpose))
    const one = book.put({ token, ...purpose, matchers, state: 'off', id, untilMs: endsAtMs, ended: [] })
    if (isTwice) keeper.retire(one)
  }
}

/** The changes that callers request, one of them at a time for each subject. Both reject with a `Refusal`. */
function openChanges(parts: {
  readonly book: SilenceBook
  readonly calls: SilenceCalls
  readonly keeper: SilenceKeeper
  readonly ledger: Ledger
  nowMs(): number
  newId(): string
}): {
  /** `isMore`: what else of it is off stays so. */
  off(scope: Scope, isMore: boolean): Promise<void>
  on(subject: Subject): Promise<void>
} {
  const { book, calls, keeper, ledger, nowMs, newId } = parts

  return {
    async off(scope, isMore) {
      const { subject, ways, terms } = scope
      const own = book.of(subject)
      const held = own.filter(({ state }) => state === 'off')
      const kept = held.filter((one) => isMore || ways.some((way) => isOf(one, way, scope)))
      if (subject.kind === 'mute' && !own.some(isWanted)) refuseTooMany(book)
      const fresh = ledger.together(() =>
        ways
          .filter(
            (way) => !kept.some((one) => isOf(one, way, scope) || (isMore && isAsWide(one.matchers, way))),
          )
          .map((matchers) => {
            const token = tokenFor(subject, newId())
            const untilMs = nowMs() + heldMs
            const one: Entry = { token, subject, matchers, state: 'asking', id: null, untilMs, ended: [] }
            return book.put(terms === undefined ? one : { ...one, terms })
          }),
      )
      // A caller gets what is off already confirmed as well: its silence may be lost, or somebody may just have ended it.
      const failures = await failuresOf([...fresh, ...(isMore ? [] : kept)].map((one) => keeper.ask(one)))
      const over = failures.length > 0 ? fresh : own.filter((one) => isOff(one) && !kept.includes(one))
      ledger.together(() => {
        for (const { token } of failures.length > 0 ? [] : fresh) {
          const one = book.get(token)
          if (one !== undefined) book.put({ ...one, state: 'off' })
        }
        for (const { token } of over) {
          const one = book.get(token)
          if (one === undefined) continue
          if (one.id === null && failures.every(isFinal)) book.remove(token)
          else keeper.retire(one)
        }
      })
      for (const failure of failures) throw failure
      // What was replaced is ended at once; if that fails, by the next `tend`.
      await failuresOf(over.flatMap(({ id }) => (id === null ? [] : [calls.end(id)])))
    },
    async on(subject) {
      const leaving = ledger.together(() =>
        book
          .of(subject)
          .filter(isOff)
          .map((one) => book.put({ ...one, state: 'leaving' })),
      )
      const failures = await failuresOf(
        leaving.map(async (one) => {
          if (one.id !== null) await calls.end(one.id)
          keeper.retire(one)
        }),
      )
      for (const failure of failures) throw failure
    },
  }
}

function refuseTooMany(book: SilenceBook): void {
  const mutes = book.all().filter((one) => one.subject.kind === 'mute' && isWanted(one))
  if (mutes.length < mutesMax) return
  throw new Refusal(422, `id: expected at most ${mutesMax} mutes at once; came one more`)
}

/** Waits for all and returns their `Refusal`s; any other error is thrown. */
async function failuresOf(work: readonly Promise<unknown>[]): Promise<readonly Refusal[]> {
  const outcomes = await Promise.allSettled(work)
  return outcomes.flatMap((outcome) => {
    if (outcome.status === 'fulfilled') return []
    if (!(outcome.reason instanceof Refusal)) throw outcome.reason
    return [outcome.reason]
  })
}
