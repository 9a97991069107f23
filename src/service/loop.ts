/**
 * One round at a time: read the source, take servers and alerts into the ledger, bring the silences in line. What cannot be read is a
 * refusal: nothing is known then, nothing closes, and whoever asks gets the refusal.
 */
import type { Ledger } from './ledger.ts'
import type { Mutes, Servers } from './servers.ts'
import { type Reading, Refusal, type Source } from './source.ts'

/** An answer may be as old as this; an older one is read anew for whoever asks. */
const freshRounds = 3
const pruneEveryMs = 60 * 60_000

/** What stays of a reading once it is taken: the rest may be large. */
type Known = Pick<Reading, 'atMs' | 'triggers' | 'doubt'>

type LoopParts = {
  readonly source: Source
  readonly ledger: Ledger
  readonly servers: Servers
  readonly mutes: Mutes
  readonly nowMs: () => number
  /** False: only `now` begins a round. */
  readonly isTimed: boolean
  readonly report: (line: string) => void
}

export type Loop = {
  /** What the last round read; null before the first and after a refusal. */
  last(): Known | null
  /** When the last good reading was, or else this began. */
  goodMs(): number
  /** Why nothing is known; null while something is. */
  refusal(): Refusal | null
  /** The newest reading, not older than a few rounds; throws the refusal of a source that cannot be read. */
  fresh(): Promise<Known>
  /** A round that begins after this call: one that runs already may have read before what the caller just changed. */
  now(): Promise<void>
  stop(): Promise<void>
}

export function openLoop({ source, ledger, servers, mutes, nowMs, isTimed, report }: LoopParts): Loop {
  const told = { reading: '', silences: '' }
  let outcome: Known | Refusal | null = null
  let [prunedMs, readMs] = [0, nowMs()]
  let running: Promise<void> | null = null
  let next: Promise<void> | null = null

  /** Once, until something else is wrong with it, or nothing. */
  function tell(about: 'reading' | 'silences', error: unknown): void {
    const words = error === null ? '' : wordsOf(error)
    if (words !== '' && words !== told[about]) report(words)
    told[about] = words
  }

  async function take(): Promise<void> {
    const reading = await source.read()
    servers.take(reading.servers, reading.atMs)
    const alerts = reading.alerts.filter(({ host }) => !servers.isDeleted(host))
    ledger.take({ ...reading, alerts }, source.proofs)
    const { atMs, triggers, doubt } = reading
    outcome = { atMs, triggers, doubt }
    readMs = atMs
  }

  async function round(): Promise<void> {
    await take().then(
      () => tell('reading', null),
      (error: unknown) => {
        const words = 'the service could not read what it watches; its log says why'
        outcome = error instanceof Refusal ? error : new Refusal(503, words)
        tell('reading', error)
      },
    )
    mutes.forgetOver(nowMs())
    await mutes.reconcile().then(
      () => tell('silences', null),
      (error: unknown) => tell('silences', error),
    )
    if (Math.abs(nowMs() - prunedMs) < pruneEveryMs) return
    prunedMs = nowMs()
    ledger.prune(prunedMs)
    servers.forget(prunedMs)
  }

  function begin(): Promise<void> {
    running ??= round()
      .catch((error: unknown) => tell('reading', error))
      .finally(() => {
        running = null
      })
    return running
  }

  const timer = isTimed ? setInterval(() => void begin(), source.everyMs) : undefined
  const refusal = () => (outcome instanceof Refusal ? outcome : null)
  const last = () => (outcome instanceof Refusal ? null : outcome)
  return {
    last,
    refusal,
    goodMs: () => readMs,
    async fresh() {
      const known = last()
      const isOld = known === null || nowMs() - known.atMs > freshRounds * source.everyMs
      if (isOld && isTimed) await begin()
      if (outcome instanceof Refusal) throw outcome
      if (outcome === null) throw new Refusal(503, 'the service has not read what it watches yet')
      return outcome
    },
    now() {
      if (running === null) return begin()
      next ??= running.then(() => {
        next = null
        return begin()
      })
      return next
    },
    async stop() {
      clearInterval(timer)
      await next
      await running
    },
  }
}

function wordsOf(error: unknown): string {
  if (error instanceof Refusal) return error.message
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
