/**
 * One round at a time: read the source, take servers and alerts into the ledger, bring the silences in line. What cannot be read is a
 * refusal: nothing is known then, nothing closes, and whoever asks gets the refusal.
 */
import type { Ledger } from './ledger.ts'
import type { Mutes } from './mutes.ts'
import type { Servers } from './servers.ts'
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

export class Loop {
  private readonly parts: LoopParts
  private outcome: Known | Refusal | null = null
  private prunedMs = 0
  private told = { reading: '', silences: '' }
  private readMs: number
  private running: Promise<void> | null = null
  private next: Promise<void> | null = null
  private timer: NodeJS.Timeout | null = null
  private isStopped = false

  constructor(parts: LoopParts) {
    this.parts = parts
    this.readMs = parts.nowMs()
    this.schedule()
  }

  /** What the last round read; null before the first and after a refusal. */
  last(): Known | null {
    return this.outcome instanceof Refusal ? null : this.outcome
  }

  /** When the last good reading was, or else this began. */
  goodMs(): number {
    return this.readMs
  }

  /** Why nothing is known; null while something is. */
  refusal(): Refusal | null {
    return this.outcome instanceof Refusal ? this.outcome : null
  }

  /** The newest reading, not older than a few rounds; throws the refusal of a source that cannot be read. */
  async fresh(): Promise<Known> {
    const { isTimed, nowMs, source } = this.parts
    const last = this.last()
    const isOld = last === null || nowMs() - last.atMs > freshRounds * source.everyMs
    if (isOld && isTimed) await (this.running ?? this.begin())
    if (this.outcome instanceof Refusal) throw this.outcome
    if (this.outcome === null) throw new Refusal(503, 'the service has not read what it watches yet')
    return this.outcome
  }

  /** A round that begins after this call: one that runs already may have read before what the caller just changed. */
  now(): Promise<void> {
    if (this.running === null) return this.begin()
    this.next ??= this.running.then(() => {
      this.next = null
      return this.begin()
    })
    return this.next
  }

  async stop(): Promise<void> {
    this.isStopped = true
    if (this.timer !== null) clearTimeout(this.timer)
    await this.next
    await this.running
  }

  private schedule(): void {
    if (this.isStopped || !this.parts.isTimed) return
    const again = () => this.schedule()
    this.timer = setTimeout(() => void (this.running ?? this.begin()).then(again), this.parts.source.everyMs)
  }

  private begin(): Promise<void> {
    this.running = this.round()
      .catch((error: unknown) => {
        this.outcome = new Refusal(503, 'the service could not read what it watches; its log says why')
        this.tell('reading', error)
      })
      .finally(() => {
        this.running = null
      })
    return this.running
  }

  /** Once, until something else is wrong with it, or nothing. */
  private tell(about: 'reading' | 'silences', error: unknown): void {
    const words = error === null ? '' : wordsOf(error)
    if (words !== '' && words !== this.told[about]) this.parts.report(words)
    this.told[about] = words
  }

  private async round(): Promise<void> {
    const { source, ledger, servers, mutes, nowMs } = this.parts
    try {
      const reading = await source.read()
      servers.take(reading.servers, reading.atMs)
      const alerts = reading.alerts.filter(({ host }) => !servers.isDeleted(host))
      ledger.take({ ...reading, alerts }, source.proofs)
      const { atMs, triggers, doubt } = reading
      this.outcome = { atMs, triggers, doubt }
      this.readMs = reading.atMs
      this.tell('reading', null)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      this.tell('reading', error)
      this.outcome = error
    }
    mutes.forgetOver(nowMs())
    await mutes.reconcile().then(
      () => this.tell('silences', null),
      (error: unknown) => this.tell('silences', error),
    )
    if (Math.abs(nowMs() - this.prunedMs) >= pruneEveryMs) {
      this.prunedMs = nowMs()
      ledger.prune(this.prunedMs)
      servers.forget(this.prunedMs)
    }
  }
}

function wordsOf(error: unknown): string {
  if (error instanceof Refusal) return error.message
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
