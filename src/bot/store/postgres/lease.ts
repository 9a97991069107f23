/**
 * The lease: of all processes on one Postgres, one leads, and the others stand by until it ends or falls silent. No clock of any
 * machine decides, only how long each process itself has waited: whoever leads raises a beat in the row `leader`, and whoever
 * stands by takes the lease when that has stood still for so long that its holder can trust it no more, and its last call is over.
 */
import { MemoryAway } from '../../domain/base/failure.ts'
import type { Leadership } from '../../flow/ports/leadership.ts'
import type { Logger, SteadyClock } from '../../flow/ports/ports.ts'
import type { LeaderRow, LeaseRows, Own, PresenceRow } from './lease-rows.ts'
import { appearMs, openPresence, type Presence } from './presence.ts'
import { type Mark, markNow, openTrust, passedMs, type Trust } from './trust.ts'

/** How often the lease is renewed. */
export const beatMs = 5_000
/** How often one that stands by looks. */
export const lookMs = 2_000
/** Calls that change something outside take no longer. */
export const callMsMax = 10_000
/** For so long nothing moved: its holder has not trusted the lease for 11 s, and a call that it had begun is over. */
export const stillMs = 30_000
/** After Postgres was away for one that stands by, it may have been away for the holder too, who has two beats to come back. */
const comeBackMs = 2 * beatMs
/** After a try that failed. */
const againMs = 1_000
/** While one that reaches Slack stands by, one that does not lets it go first, and waits for so much longer. */
const politeMs = 30_000
/** Who gave the lease up is not given it back for so long. */
const outMs = 5 * 60_000
/** Whoever gives up waits for so long until somebody took the lease; else a supervisor might start it again, and it takes it itself. */
const heirMsMax = 10_000

export type LeaseOptions = Own & {
  readonly rows: LeaseRows
  readonly clock: SteadyClock
  readonly logger: Logger
  /** Does Slack answer this process? Asked often, so it answers from memory. */
  reachesSlack(): boolean
  /** Called once, when somebody else leads: nothing may be changed any more, and the process ends. */
  onDeposed(): void
  /** Called while this process leads, when a failover made the database forget what it may have said last. See `Led.forgot`. */
  onForgotten(): void
}

/** What a process that leads is given. A process leads at most once. */
export type Led = Leadership & {
  /** Since when it leads, as epoch milliseconds. */
  readonly sinceMs: number
  /** A failover happened since what one may forget was last put right: do that, and then call `noteTimeline`. */
  readonly forgot: boolean
}

export type Standby = { readonly name: string; readonly url: string; readonly reachesSlack: boolean }

export type LeaseState = {
  readonly role: 'stands_by' | 'leads' | 'deposed' | 'released'
  /** For how long Postgres has not answered; null while it does. */
  readonly awayMs: number | null
  /** Who leads, and since when as far as this process knows (epoch milliseconds); null: nobody, or nobody knows. */
  readonly leader: { readonly name: string; readonly url: string; readonly sinceMs: number } | null
  /** Who stands by, without this process. */
  readonly standbys: readonly Standby[]
}

export type Lease = {
  readonly holder: string
  /** Stands by until this process leads. Null: the signal came first. To be called once. */
  lead(signal: AbortSignal): Promise<Led | null>
  state(): LeaseState
  /** The term it leads in; 0 before. With `holder` the proof that every write carries. */
  term(): number
  /** May anything outside be changed now? See `Leadership`. */
  isTrusted(): boolean
  /** To be called when a write found that somebody else leads. */
  depose(): void
  /** What a failover made the database forget has been put right. Throws a `MemoryAway`: then the next leader does it again. */
  noteTimeline(): Promise<void>
  /** Is there anybody to give up to, who reaches Slack? */
  hasHeir(): boolean
  /** Ends it, as the last thing of all: every call is over, and whoever stands by need not wait. Never throws. */
  release(): Promise<void>
  /** As `release`, and waits a moment until somebody else has taken it. */
  giveUp(): Promise<void>
}

/** What one process knows and is. */
type Self = LeaseOptions & {
  readonly trust: Trust
  readonly presence: Presence
  readonly leaving: AbortController
  role: LeaseState['role']
  term: number
  since: Mark
  /** The row as it was seen last, since when it has stood still, and since when its term is known. */
  seen: { readonly row: LeaderRow; readonly stillSinceMs: number; readonly termSinceMs: number } | null
  /** Since when Postgres has answered every time, or has not; both on the steady clock. */
  answersSinceMs: number | null
  awaySinceMs: number | null
  appearedMs: number | null
  /** The lease may have been taken by a statement whose answer was lost. */
  mayHaveTaken: boolean
  timeline: string
  /** Who led before and gave it up. */
  before: string | null
}

/** Asks nothing yet. `holder` is random. */
export function openLease(options: LeaseOptions): Lease {
  const { clock, holder, rows } = options
  const self: Self = {
    ...options,
    trust: openTrust(clock),
    presence: openPresence(clock),
    leaving: new AbortController(),
    role: 'stands_by',
    term: 0,
    since: markNow(clock),
    seen: null,
    answersSinceMs: null,
    awaySinceMs: null,
    appearedMs: null,
    mayHaveTaken: false,
    timeline: '',
    before: null,
  }
  const isTrusted = () => self.role === 'leads' && self.trust.isGood()
  return {
    holder,
    isTrusted,
    term: () => self.term,
    state: () => stateOf(self),
    hasHeir: () => hasHeir(self),
    depose: () => depose(self),
    noteTimeline: () => rows.noteTimeline(holder, self.timeline),
    release: () => release(self, 0),
    giveUp: () => release(self, heirMsMax),
    lead: async (signal) => {
      const forgot = await standBy(self, AbortSignal.any([signal, self.leaving.signal]))
      if (forgot === null) return null
      void renewAlways(self)
      return { holder, term: self.term, sinceMs: self.since.wallMs, forgot, isTrusted }
    },
  }
}

/** Resolves when this process leads, to whether a failover is still to be put right; to null when it is to stop. */
async function standBy(self: Self, signal: AbortSignal): Promise<boolean | null> {
  const { clock, rows, logger } = self
  while (!signal.aborted) {
    try {
      const row = await rows.look()
      answered(self)
      see(self, row)
      await appear(self)
      if (signal.aborted) return null
      if (row.holder === self.holder ? await adopt(self, row) : await take(self, row)) {
        if (signal.aborted) return null
        logger.info('lease:taken', { term: self.term, before: row.name, wasFree: row.free })
        return row.timeline !== self.timeline
      }
    } catch (error) {
      away(self, error)
    }
    await clock.wait(self.awaySinceMs === null ? untilNextLookMs(self) : againMs, signal)
  }
  return null
}

function see(self: Self, row: LeaderRow): void {
  // Counted from when the answer is here: the holder renewed before that, and whatever it trusts began before that.
  const nowMs = self.clock.steadyMs()
  const before = self.seen?.row
  const isSameTerm = before?.holder === row.holder && before.term === row.term
  // In another history of the database a beat may come again that was there before.
  const isStill =
    isSameTerm &&
    before.beat === row.beat &&
    before.free === row.free &&
    before.timelineNow === row.timelineNow
  self.seen = {
    row,
    stillSinceMs: isStill ? (self.seen?.stillSinceMs ?? nowMs) : nowMs,
    termSinceMs: isSameTerm ? (self.seen?.termSinceMs ?? 0) : self.clock.nowMs(),
  }
}

/** Not later than the moment at which the lease may be taken. */
function untilNextLookMs(self: Self): number {
  const dueMs = stillMs - stillForMs(self)
  return dueMs > 0 ? Math.min(lookMs, dueMs) : lookMs
}

function stillForMs({ seen, clock }: Self): number {
  return seen === null ? 0 : clock.steadyMs() - seen.stillSinceMs
}

function mayTake(self: Self, row: LeaderRow): boolean {
  const stillMsNow = stillForMs(self)
  // A failover may have forgotten who took it meanwhile: then it is not free for sure.
  const isFree = row.free && row.timeline === row.timelineNow
  const answersMs = self.clock.steadyMs() - (self.answersSinceMs ?? 0)
  const isDead = stillMsNow >= stillMs && answersMs >= comeBackMs
  if (!isFree && !isDead) return false
  const isOtherBetter = !self.reachesSlack() && self.presence.present().some((one) => one.reachesSlack)
  return !isOtherBetter || stillMsNow >= stillMs + politeMs
}

async function take(self: Self, row: LeaderRow): Promise<boolean> {
  if (!mayTake(self, row)) return false
  const { clock, rows } = self
  const mark = markNow(clock)
  self.mayHaveTaken = true
  const term = await rows.take(self, row)
  self.mayHaveTaken = false
  if (term === null) return false
  self.before = row.gaveUp ? row.name : null
  begin(self, term, row.timelineNow)
  self.trust.renewed(mark)
  return true
}

/** The answer to taking it was lost, and it was taken: trusted from a renewal on, because nobody knows when that was. */
async function adopt(self: Self, row: LeaderRow): Promise<boolean> {
  const mark = markNow(self.clock)
  const renewed = await self.rows.renew(self.holder, row.term)
  if (renewed === null) return false
  begin(self, row.term, renewed.timelineNow)
  self.trust.renewed(mark)
  return true
}

function begin(self: Self, term: number, timeline: string): void {
  if (self.leaving.signal.aborted) return
  self.role = 'leads'
  self.term = term
  self.timeline = timeline
  self.since = markNow(self.clock)
}

/** Until it is released or deposed. Whatever Postgres does meanwhile, a lease that is still ours is renewed, however old. */
async function renewAlways(self: Self): Promise<void> {
  const { clock, rows, holder, leaving } = self
  let lastMs = clock.steadyMs()
  while (true) {
    const dueMs = Math.max(0, lastMs + beatMs - clock.steadyMs())
    await clock.wait(self.awaySinceMs === null ? dueMs : againMs, leaving.signal)
    if (leaving.signal.aborted) return
    const mark = markNow(clock)
    lastMs = mark.steadyMs
    try {
      const renewed = await rows.renew(holder, self.term)
      if (leaving.signal.aborted) return
      answered(self)
      if (renewed === null) return depose(self)
      proven(self, mark, renewed.timelineNow)
      await lookForStandbys(self)
    } catch (error) {
      away(self, error)
    }
  }
}

function proven(self: Self, mark: Mark, timeline: string): void {
  const lastMark = self.trust.lastMark()
  self.trust.renewed(mark)
  if (timeline === self.timeline) return
  self.timeline = timeline
  // Silent for so long, it may have lost the lease to somebody whom the failover forgot, and who does not know it yet.
  if (lastMark === null || passedMs(self.clock, lastMark) >= stillMs) self.trust.holdFor(stillMs)
  self.logger.warn('lease:failed_over', { timeline })
  self.onForgotten()
}

async function lookForStandbys(self: Self): Promise<void> {
  const { rows, presence, holder } = self
  if (self.appearedMs !== null) {
    await rows.disappear(holder)
    self.appearedMs = null
  }
  presence.read(await rows.standbys())
  for (const { holder: gone, beat } of presence.forgotten()) await rows.disappear(gone, beat)
}

async function appear(self: Self): Promise<void> {
  const nowMs = self.clock.steadyMs()
  if (self.appearedMs !== null && nowMs - self.appearedMs < appearMs) return
  self.presence.read(await self.rows.appear(self, self.reachesSlack()))
  self.appearedMs = nowMs
}

function answered(self: Self): void {
  const nowMs = self.clock.steadyMs()
  // The first answer of all follows no silence that the holder could have met too.
  if (self.answersSinceMs === null)
    self.answersSinceMs = self.awaySinceMs === null ? nowMs - comeBackMs : nowMs
  if (self.awaySinceMs !== null)
    self.logger.info('lease:back', { awayMs: Math.round(nowMs - self.awaySinceMs) })
  self.awaySinceMs = null
}

function away(self: Self, error: unknown): void {
  // Its connections may be closed by now, and what was under way on them ends with that.
  if (self.leaving.signal.aborted) return
  if (!(error instanceof MemoryAway)) throw error
  self.answersSinceMs = null
  if (self.awaySinceMs !== null) return
  self.awaySinceMs = self.clock.steadyMs()
  self.logger.warn('lease:away', { why: error.message })
}

function depose(self: Self): void {
  if (self.role !== 'leads') return
  self.role = 'deposed'
  self.leaving.abort()
  self.logger.error('lease:deposed', { term: self.term })
  self.onDeposed()
}

/** Not trusted from the first moment on, because whoever stands by may take it at any later one. */
async function release(self: Self, heirMs: number): Promise<void> {
  const { rows, holder, clock, logger } = self
  const was = self.role
  if (was === 'released') return
  self.role = 'released'
  self.leaving.abort()
  try {
    if (was === 'leads' || self.mayHaveTaken) await rows.free(holder, heirMs > 0)
    if (self.appearedMs !== null) await rows.disappear(holder)
    const untilMs = clock.steadyMs() + heirMs
    while (clock.steadyMs() < untilMs && (await rows.look()).holder === holder) await clock.wait(againMs)
    logger.info('lease:released', { term: self.term })
  } catch (error) {
    if (!(error instanceof MemoryAway)) throw error
    logger.warn('lease:not_released', { why: error.message })
  }
  await rows.close()
}

function hasHeir({ presence, before, since, clock }: Self): boolean {
  const isRecent = clock.steadyMs() - since.steadyMs < outMs
  return presence.present().some(({ name, reachesSlack }) => reachesSlack && !(isRecent && name === before))
}

function stateOf(self: Self): LeaseState {
  const { role, clock, awaySinceMs, presence } = self
  return {
    role,
    awayMs: awaySinceMs === null ? null : clock.steadyMs() - awaySinceMs,
    leader: leaderOf(self),
    standbys: presence.present().map(standbyOf),
  }
}

function leaderOf(self: Self): LeaseState['leader'] {
  const { role, name, url, since, seen } = self
  if (role === 'leads') return { name, url, sinceMs: since.wallMs }
  if (seen === null || role !== 'stands_by') return null
  const { row, termSinceMs } = seen
  // Its own row, where the answer that it had taken it was lost, is nobody to stand by for.
  const isSomebody = row.holder !== '' && row.holder !== self.holder
  if (!isSomebody || row.free || stillForMs(self) >= stillMs) return null
  return { name: row.name, url: row.url, sinceMs: termSinceMs }
}

function standbyOf({ name, url, reachesSlack }: PresenceRow): Standby {
  return { name, url, reachesSlack }
}
