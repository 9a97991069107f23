/**
 * Switches notifications off by silences at the Alertmanager. A silence ends an hour ahead, and is renewed for as long as
 * it is wanted: if the service dies, nothing stays silent longer than that.
 *
 * The purpose of each is in the ledger before the request, and each `tend` restores it: one that
 * is lost is created again, a duplicate is ended, and so is one that turns up though it is no longer wanted (its
 * answer was lost, a deletion failed, an Alertmanager came back with an old state). One that somebody else ended stays ended.
 */
import { Refusal } from '../refusal.ts'
import type { Ledger } from '../store/ledger.ts'
import type { Alertmanagers } from './alertmanagers.ts'
import { UpstreamNo } from './ask.ts'
import { openTurns } from './in-turn.ts'
import type { PrometheusSettings } from './settings.ts'
import type { Silence } from './silence.ts'
import { areSame, type Entry, keyOf, matchersFor, namedOf, openSilenceBook, tokenOf } from './silence-book.ts'
import { heldMs, openSilenceCalls } from './silence-calls.ts'
import { isOff, isSame, keyOfScope, namedIn, type Scope, scopeOf } from './silence-scope.ts'

const renewedAfterMs = 900_000
/** How far an Alertmanager's clock may be behind ours. */
const skewMs = 300_000
const endedMax = 20

export type { Scope } from './silence-scope.ts'

export type Silences = {
  /**
   * Off resolves when an Alertmanager has accepted it; if it rejects with a `Refusal`, nothing has changed, and a silence that turns up
   * later is ended. On resolves when the silence is ended; if it rejects, it is still off, but the request is kept: it is ended as soon
   * as an Alertmanager answers (then `onEnded` is called), unless it is switched off again first. Changes of one scope are
   * made one after the other.
   */
  set(scope: Scope, on: boolean): Promise<void>
  /** Whether a silence that suppresses an alert is one of these; if in doubt (one is being requested just now), it is. */
  isOurs(id: string): boolean
  /** Renews, repairs and ends silences; call every few seconds. Never rejects with a `Refusal`: it reports those once. */
  tend(): Promise<void>
  /**
   * All scopes that are off. After a start, callers set their own switches from it, as a kill can come between the two. Without a
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
   * Called in the ledger's transaction when a scope is on again without a `set`: somebody ended its silence, or a request to
   * do so was carried out late.
   */
  onEnded(scope: Scope): void
}): Silences {
  const { alertmanagers, ledger, settings, nowMs, report, newId, onEnded } = parts
  const book = openSilenceBook(ledger)
  const calls = openSilenceCalls({ alertmanagers, book, settings, nowMs })
  const turns = openTurns()
  let isTakenUp = ledger.isKept
  let tending: Promise<void> | null = null
  let trouble: string | null = null
  let isStopped = false

  const retire = (one: Entry): Entry =>
    book.put({ ...one, state: 'gone', untilMs: nowMs() + heldMs + skewMs })

  // No caller got an answer that these were accepted.
  ledger.together(() => {
    for (const one of book.all()) if (one.state === 'asking') retire(one)
  })

  /** If its start is unknown, an Alertmanager replaces it with a new one. */
  function currentOf({ id }: Entry): { readonly id: string; readonly startsAtMs: number } | null {
    return id === null ? null : { id, startsAtMs: nowMs() - heldMs }
  }

  async function switchOff(scope: Scope, key: string): Promise<void> {
    const own = book.of(key)
    const held = own.filter(({ state }) => state === 'off')
    const wanted = namedIn(scope)
    const kept = held.filter((one) => wanted.some((named) => isSame(one.named, named)))
    const fresh = ledger.together(() =>
      wanted
        .filter((named) => !kept.some((one) => isSame(one.named, named)))
        .map((named): Entry => {
          const token = newId()
          return book.put({ token, named, state: 'asking', id: null, untilMs: nowMs() + heldMs, ended: [] })
        }),
    )
    // Even if it is off already: its silence may be lost, or somebody may just have ended it.
    const failures = await failuresOf([...fresh, ...kept].map((one) => calls.ask(one, currentOf(one))))
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
        else retire(one)
      }
    })
    for (const failure of failures) throw failure
  }

  async function switchOn(key: string): Promise<void> {
    const leaving = ledger.together(() =>
      book
        .of(key)
        .filter(isOff)
        .map((one) => book.put({ ...one, state: 'leaving' })),
    )
    const failures = await failuresOf(
      leaving.map(async (one) => {
        if (one.id !== null) await calls.end(one.id)
        retire(one)
      }),
    )
    for (const failure of failures) throw failure
  }

  async function list(): Promise<readonly Silence[]> {
    const listed = await calls.list()
    if (!isTakenUp) takeUp(listed)
    return listed
  }

  /** Without a record of earlier runs, the silences at the Alertmanager show what the service did. */
  function takeUp(listed: readonly Silence[]): void {
    isTakenUp = true
    for (const silence of listed.filter(isLive)) {
      const token = tokenOf(silence)
      const named = namedOf(silence.matchers, settings)
      if (token === null || named === undefined || book.get(token) !== undefined) continue
      const isTwice = book.of(keyOf(named)).some((other) => isOff(other) && isSame(other.named, named))
      const { id, endsAtMs } = silence
      const one = book.put({ token, named, state: 'off', id, untilMs: endsAtMs, ended: [] })
      if (isTwice) retire(one)
    }
  }

  async function mend(one: Entry, found: readonly Silence[]): Promise<void> {
    const live = found.filter(isLive)
    if (one.state === 'off') return keep(one, found, live)
    for (const { id } of live) await calls.end(id)
    if (one.state === 'leaving') {
      ledger.together(() => {
        retire(one)
        if (!book.of(keyOf(one.named)).some(isOff)) onEnded(scopeOf([one]))
      })
    } else if (live.length === 0 && one.untilMs <= nowMs()) book.remove(one.token)
  }

  async function keep(one: Entry, found: readonly Silence[], live: readonly Silence[]): Promise<void> {
    const kept = live.find(({ id }) => id === one.id) ?? live[0]
    if (kept === undefined) {
      if (isEndedByHand(one, found)) return letBe(one)
      // An unlisted one may not have reached every Alertmanager yet: the one that has it changes it.
      return calls.ask(one, found.length === 0 ? currentOf(one) : null)
    }
    const spare = live.filter((other) => other !== kept).map(({ id }) => id)
    const ended = [...one.ended, ...spare.filter((id) => !one.ended.includes(id))].slice(-endedMax)
    const isOther = kept.id !== one.id || spare.length > 0
    const now = isOther ? book.put({ ...one, id: kept.id, untilMs: kept.endsAtMs, ended }) : one
    for (const id of spare) await calls.end(id)
    const isStale = kept.endsAtMs - nowMs() <= heldMs - renewedAfterMs
    if (isStale || !areSame(kept.matchers, matchersFor(one.named, settings))) await calls.ask(now, kept)
  }

  function letBe(one: Entry): void {
    const own = book.of(keyOf(one.named)).filter(isOff)
    ledger.together(() => {
      for (const other of own) retire(other)
      onEnded(scopeOf(own))
    })
    const what = one.named === null ? 'all alerts' : one.named.hostname
    report(`somebody ended the silence of ${what} at the Alertmanager: its notifications are on again`)
  }

  async function lookAfter(before: readonly Entry[]): Promise<void> {
    const byToken = Map.groupBy(await list(), tokenOf)
    const failures = await failuresOf(
      before.map((one) =>
        turns.inTurn(keyOf(one.named), async () => {
          // Scopes changed since then are newer than the list.
          if (book.get(one.token) === one && !isStopped) await mend(one, byToken.get(one.token) ?? [])
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

  return {
    async set(scope, on) {
      const key = keyOfScope(scope)
      if (key === null) {
        if (on) return
        throw new Refusal(422, 'no alert names this server, so that nothing of it can be silenced')
      }
      await turns.inTurn(key, async () => {
        if (isStopped) throw new Refusal(503, 'the service is being stopped')
        if (!isTakenUp) await list()
        await (on ? switchOn(key) : switchOff(scope, key))
      })
    },
    isOurs: calls.isOurs,
    tend() {
      if (isStopped) return Promise.resolve()
      tending ??= tendAll().finally(() => {
        tending = null
      })
      return tending
    },
    found: () =>
      [...Map.groupBy(book.all().filter(isOff), ({ named }) => keyOf(named)).values()].map(scopeOf),
    async stop() {
      isStopped = true
      await tending
      await turns.idle()
    },
  }
}

function isLive({ state }: Silence): boolean {
  return state !== 'expired'
}

/** Nothing was made. */
function isFinal(failure: Refusal): boolean {
  return failure instanceof UpstreamNo && (failure.answered === 400 || failure.answered === 422)
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

/** Waits for all and returns their `Refusal`s; any other error is thrown. */
async function failuresOf(work: readonly Promise<unknown>[]): Promise<readonly Refusal[]> {
  const outcomes = await Promise.allSettled(work)
  return outcomes.flatMap((outcome) => {
    if (outcome.status === 'fulfilled') return []
    if (!(outcome.reason instanceof Refusal)) throw outcome.reason
    return [outcome.reason]
  })
}
