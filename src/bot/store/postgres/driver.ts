/**
 * Kysely's driver for Postgres. Every write passes the gate and proves the term, a single statement too, and is refused otherwise.
 * Nothing it needs is kept in a session, so that each transaction may run on another connection of a pooler.
 */
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  PostgresIntrospector,
  type QueryResult,
  type TransactionSettings,
} from 'kysely'
import { Deposed, MemoryAway } from '../../domain/base/failure.ts'
import type { Clock } from '../../flow/ports/ports.ts'
import { StorablePostgresCompiler, WordedPostgresAdapter } from '../sql/postgres.ts'
import { awayOf, codeOf, failureOf, kindOf, readOnly } from './failures.ts'
import { codeNumber, isWritten, openGate, type Passage, type Proof, reading } from './gate.ts'
import type { Answer, Link, PostgresPool } from './pool.ts'

/** So long may a transaction hold the gate. */
const transactionMsMax = 25_000
/** How often is asked what became of a commit whose answer was lost. */
const fateStepMs = 200
/** It waits for nothing. */
const rollbackMs = 2_000
/** How often a single statement is tried again at once. */
const triesMax = 3

export type DriverParts = {
  readonly pool: PostgresPool
  /**
   * Who leads, as this process knows it: asked for each write. Null as a whole: writes pass the gate alone, as late notes, migrations
   * and moves do. A proof of null is a standby's, which writes nothing.
   */
  readonly proof: (() => Proof | null) | null
  readonly clock: Clock
  /** Another process leads: said once, before the write that found it fails. */
  readonly onDeposed?: (deposed: Deposed) => void
  /** Postgres is in an earlier state than this process has seen: said before the write that found it fails, and before any other. */
  readonly onForgotten?: () => void
  /** Since when Postgres cannot be used; null once it can be again. */
  readonly onAway?: (sinceMs: number | null) => void
  /** Of a move, which writes everything in one transaction: how long one may take. */
  readonly transactionMs?: number
  /** Of a test: how new the code is. */
  readonly code?: number
}

/** The dialect; `pool` stays open when the database is destroyed. */
export function postgresDialect(parts: DriverParts): Dialect {
  const shared = openShared(parts)
  return {
    createAdapter: () => new WordedPostgresAdapter(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new StorablePostgresCompiler(),
    createDriver: () => ({
      init: async () => undefined,
      acquireConnection: async () => new Session(shared),
      beginTransaction: (session, settings) => ours(session).begin(settings),
      commitTransaction: (session) => ours(session).commit(),
      rollbackTransaction: (session) => ours(session).rollback(),
      releaseConnection: (session) => ours(session).rollback(),
      destroy: async () => undefined,
    }),
  }
}

function ours(connection: DatabaseConnection): Session {
  if (connection instanceof Session) return connection
  throw new Error('A connection of another driver')
}

type Shared = ReturnType<typeof openShared>

/** What all sessions of one dialect share. */
function openShared(parts: DriverParts) {
  const { pool, proof, clock, onDeposed, onForgotten, onAway } = parts
  const { code = codeNumber, transactionMs = transactionMsMax } = parts
  let awaySinceMs: number | null = null
  let deposed: Deposed | null = null
  let commits = 0
  const turns = openTurns()
  const gate = openGate(code, () => onForgotten?.())

  function note(isAway: boolean): void {
    if (isAway === (awaySinceMs !== null)) return
    awaySinceMs = isAway ? clock.nowMs() : null
    onAway?.(awaySinceMs)
  }

  return {
    pool,
    turns,
    gate,
    transactionMs,
    proof: (): Proof | null => {
      if (deposed !== null) throw deposed
      if (proof === null) return null
      const proved = proof()
      if (proved === null) throw new Error('A standby writes nothing')
      return proved
    },
    commitId: () => {
      commits += 1
      return String(commits)
    },
    noteAnswered: () => note(false),
    /** Nobody can be reached. */
    failedToConnect: (failure: unknown): unknown => {
      if (failure instanceof MemoryAway) gaveUp(failure)
      return failure
    },
    /** What callers get of a failure. */
    failed: (error: unknown): unknown => {
      const failure = failureOf(error, pool.address)
      if (failure instanceof Deposed && deposed === null) {
        deposed = failure
        onDeposed?.(failure)
      }
      if (failure instanceof MemoryAway && failure !== error && kindOf(error) === 'away' && !isBusy(error)) {
        gaveUp(failure)
      }
      return failure
    },
  }

  function gaveUp(failure: MemoryAway): void {
    note(true)
    pool.renew()
    // Those who wait would find the same, one after the other.
    turns.fail(failure)
  }
}

/** Another writer is in the way, or one statement was too much: Postgres itself is there. */
function isBusy(error: unknown): boolean {
  return ['55P03', '57014'].includes(codeOf(error) ?? '')
}

type State =
  | { readonly kind: 'idle' }
  | { readonly kind: 'reads'; readonly link: Link; readonly untilMs: number }
  | {
      readonly kind: 'writes'
      readonly link: Link
      readonly untilMs: number
      readonly passage: Passage
      readonly proof: Proof | null
      readonly commitId: string
    }

/** What Kysely takes for a connection. It takes one of the pool only while it has something to say. */
class Session implements DatabaseConnection {
  readonly #shared: Shared
  #state: State = { kind: 'idle' }

  constructor(shared: Shared) {
    this.#shared = shared
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const state = this.#state
    if (state.kind !== 'idle') return resultOf(await this.#say(state, query))
    if (isRead(query)) return resultOf(await this.#readAlone(query))
    return resultOf(await this.#writeAlone(query))
  }

  // biome-ignore lint/correctness/useYield: nothing is streamed.
  async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error('Nothing is streamed')
  }

  /** Throws `MemoryAway`, `Deposed` or `StoreError`; then nothing has begun. */
  async begin({ accessMode }: TransactionSettings): Promise<void> {
    if (accessMode === 'read only') {
      const { link } = await this.#started((one) => one.run(reading))
      this.#state = { kind: 'reads', link, untilMs: this.#untilMs() }
      return
    }
    const { turns, gate, pool } = this.#shared
    await turns.take()
    try {
      const proof = this.#shared.proof()
      const commitId = this.#shared.commitId()
      const untilMs = this.#untilMs()
      const { link, made } = await this.#started((one) => gate.pass(one, pool.address, proof, commitId))
      this.#state = { kind: 'writes', link, untilMs, passage: made, proof, commitId }
    } catch (error) {
      turns.pass()
      throw error
    }
  }

  /** Throws `MemoryAway` if it was not written, or if nobody can say whether it was. */
  async commit(): Promise<void> {
    const lost = await this.#commit()
    if (lost !== null) throw awayOf(lost, this.#shared.pool.address)
  }

  /** The error for which nothing was written, though it could be now; null if it was written. */
  async #commit(): Promise<Error | null> {
    const state = this.#state
    if (state.kind !== 'writes') {
      await this.rollback()
      return null
    }
    const { gate, turns, noteAnswered, failed } = this.#shared
    const answer = await state.link.run('commit', [], this.#leftMs(state)).catch(asError)
    if (!(answer instanceof Error)) {
      this.#over(state)
      // So Postgres answers where a statement before it had failed.
      if (answer[0]?.command !== 'COMMIT') throw new Error('Committed after one of its statements had failed')
      gate.noteCommitted(state.passage)
      noteAnswered()
      return null
    }
    if (isDecided(answer)) {
      await this.rollback()
      throw failed(answer)
    }
    this.#state = { kind: 'idle' }
    state.link.release(true)
    try {
      if (!(await this.#wasWritten(state, answer))) return answer
      gate.noteCommitted(state.passage)
      return null
    } finally {
      turns.pass()
    }
  }

  /** Ends whatever is under way, and throws nothing: whoever rolls back has a better error to tell. */
  async rollback(): Promise<void> {
    const state = this.#state
    if (state.kind === 'idle') return
    try {
      await state.link.run('rollback', [], rollbackMs)
      this.#over(state)
    } catch {
      this.#over(state, true)
    }
  }

  #over(state: Exclude<State, { kind: 'idle' }>, isLost = false): void {
    this.#state = { kind: 'idle' }
    state.link.release(isLost)
    if (state.kind === 'writes') this.#shared.turns.pass()
  }

  /** A statement within a transaction. */
  async #say(state: Exclude<State, { kind: 'idle' }>, { sql, parameters }: CompiledQuery): Promise<Answer> {
    try {
      const [answer] = await state.link.run(sql, parameters, this.#leftMs(state))
      return answer as Answer
    } catch (error) {
      // It is this transaction that is read-only, and not the server.
      if (state.kind === 'reads' && codeOf(error) === readOnly) throw error
      throw this.#shared.failed(error)
    }
  }

  /** Reads change nothing, so one may be asked again on a connection that is new. */
  async #readAlone({ sql, parameters }: CompiledQuery): Promise<Answer> {
    const { link, made } = await this.#started((one) => one.run(sql, parameters))
    link.release()
    return made[0] as Answer
  }

  async #writeAlone({ sql, parameters }: CompiledQuery): Promise<Answer> {
    const { failed } = this.#shared
    for (let tries = 1; ; tries += 1) {
      await this.begin({})
      const state = this.#state
      if (state.kind !== 'writes') throw new Error('No transaction began')
      const answer = await state.link.run(sql, parameters, this.#leftMs(state)).catch(asError)
      if (answer instanceof Error) await this.rollback()
      const failure = answer instanceof Error ? answer : await this.#commit()
      if (failure === null) return (answer as Answer[])[0] as Answer
      // Nothing of it was written, and a new connection may be fine.
      const isWorth = !(answer instanceof Error) || ['gone', 'crossed'].includes(kindOf(failure))
      if (!isWorth || tries === triesMax) throw failed(failure)
    }
  }

  /**
   * Takes a connection and begins something on it. One that was idle may have died without a word: then another one is tried. On any
   * other failure nothing is left open.
   */
  async #started<Made>(begin: (link: Link) => Promise<Made>): Promise<{ link: Link; made: Made }> {
    const { pool, noteAnswered, failed, failedToConnect } = this.#shared
    for (;;) {
      const link = await pool.take().catch((error: unknown) => {
        throw failedToConnect(error)
      })
      try {
        const made = await begin(link)
        noteAnswered()
        return { link, made }
      } catch (error) {
        const isGone = kindOf(error) === 'gone'
        if (!isGone) await link.run('rollback', [], rollbackMs).catch(() => undefined)
        link.release(isGone)
        if (isGone && link.isUsed) continue
        throw failed(error)
      }
    }
  }

  /** The answer to a COMMIT was lost: what became of it? Throws `MemoryAway` if that stays unknown. */
  async #wasWritten({ proof, commitId }: State & { kind: 'writes' }, lost: unknown): Promise<boolean> {
    const { pool } = this.#shared
    const { clock } = pool
    const untilMs = clock.steadyMs() + pool.answerMs
    while (proof !== null && clock.steadyMs() < untilMs) {
      try {
        const { link, made } = await this.#started((one) => isWritten(one, proof, commitId))
        link.release()
        return made
      } catch (error) {
        if (!(error instanceof MemoryAway)) throw error
        await clock.wait(fateStepMs)
      }
    }
    throw awayOf(lost, pool.address, true)
  }

  #untilMs(): number {
    return this.#shared.pool.clock.steadyMs() + this.#shared.transactionMs
  }

  #leftMs({ untilMs }: { readonly untilMs: number }): number {
    const { clock, answerMs } = this.#shared.pool
    return Math.min(answerMs, untilMs - clock.steadyMs())
  }
}

/** Did Postgres say of a COMMIT that nothing is written? Its other failures may follow upon a commit on disk. */
function isDecided(error: unknown): boolean {
  return /^(?:23|40|25)/.test(codeOf(error) ?? '') || (kindOf(error) === 'said' && codeOf(error) === null)
}

/** Can it change nothing? A query of which that is not certain counts as a write. */
function isRead({ sql }: CompiledQuery): boolean {
  if (/^[\s(]*(?:select|values|show)\b/i.test(sql)) return true
  return /^\s*with\b/i.test(sql) && !/\b(?:insert|update|delete|merge)\b/i.test(sql)
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}

export function resultOf<Row>({ rows, command, count }: Answer): QueryResult<Row> {
  const isChange = ['INSERT', 'UPDATE', 'DELETE', 'MERGE'].includes(command)
  return { rows: rows as Row[], ...(isChange ? { numAffectedRows: BigInt(count) } : {}) }
}

/** Writers of one process queue here, and not at the gate: each would take a connection, and give up after 5 s. */
function openTurns() {
  let isTaken = false
  const waiting: { readonly go: () => void; readonly fail: (error: unknown) => void }[] = []
  return {
    take: (): Promise<void> => {
      if (isTaken) return new Promise((go, fail) => waiting.push({ go, fail }))
      isTaken = true
      return Promise.resolve()
    },
    pass: (): void => {
      const next = waiting.shift()
      if (next === undefined) isTaken = false
      else next.go()
    },
    /** All who wait give up. */
    fail: (error: unknown): void => {
      for (const { fail } of waiting.splice(0)) fail(error)
    },
  }
}
