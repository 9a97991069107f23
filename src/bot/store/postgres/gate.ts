/**
 * The gate that every writing transaction passes, so that writers of all processes take turns as on SQLite (without it 60 parallel
 * commits made 44 deadlocks), and the proof that this process leads. Beginning costs one round trip.
 */
import pg from 'pg'
import { Deposed, MemoryAway } from '../../domain/base/failure.ts'
import { StoreError } from '../open/store-error.ts'
import type { Answer, Link } from './pool.ts'

/**
 * How new this code is. A migration that breaks older code raises `gate.code_min` to the number that comes with it, and whatever
 * is older writes nothing more.
 */
export const codeNumber = 1

/** Where `leader.timeline` says so, what Postgres has forgotten is still to be put right, as if it had failed over. */
export const forgottenTimeline = 'forgotten'

/** Who leads, as this process knows it. */
export type Proof = { readonly holder: string; readonly term: number }

/** A writing transaction that has begun. */
export type Passage = {
  /** Grows with each that a leader commits. */
  readonly n: number
}

/** Of the gate, as this process saw it last. */
export type Gate = ReturnType<typeof openGate>

/** A little longer than it waits for a lock: the writers of this process wait behind it. */
const beginMs = 7_000
const limits = [
  'set local lock_timeout = 5000',
  'set local statement_timeout = 20000',
  'set local idle_in_transaction_session_timeout = 5000',
]

/** Begins a transaction that reads, all of it at one moment. */
export const reading = ['begin isolation level repeatable read read only', ...limits].join('; ')

/** `onForgotten`: Postgres is in an earlier state than this process has seen, as after a failover or a restore. */
export function openGate(code: number, onForgotten: () => void) {
  /** The highest that is known to be committed. */
  let highest = 0

  return {
    /**
     * Begins a writing transaction on this connection, in one message. It leaves its id in the row of its writer, for `isWritten`. On
     * any failure the caller rolls back. Without a proof (late notes, migrations, moves) only the gate is passed.
     */
    pass: async (link: Link, address: string, proof: Proof | null, commitId: string): Promise<Passage> => {
      const statements = [
        'begin',
        ...limits,
        'set local synchronous_commit = on',
        ...(proof === null ? [waits(code)] : [counts(code), leads(proof), leaves(proof, commitId)]),
        ...(proof === null || highest > 0 ? [] : [alone(proof)]),
      ]
      const answers = await link.run(statements.join('; '), [], beginMs)
      const [passed, led] = answers.slice(2 + limits.length) as [Answer, Answer?]
      if (passed.rows[0] === undefined) throw tooOld(address)
      const n = Number(passed.rows[0].n)
      const isForgotten = proof !== null && n <= highest
      if (isForgotten) {
        // For whoever leads next, too: a process that is deposed at the same moment may be the only one that knows.
        await link.run(`rollback; update leader set timeline = '${forgottenTimeline}'`)
        highest = n - 1
      }
      if (led?.rows.length === 0) throw deposed()
      if (isForgotten) {
        onForgotten()
        throw new MemoryAway(
          `Postgres at ${address} has forgotten what was written last, as after a failover or a restore`,
        )
      }
      return { n }
    },
    /** Call this once it is known to be committed. */
    noteCommitted: ({ n }: Passage): void => {
      highest = Math.max(highest, n)
    },
  }
}

/**
 * Was this commit written, whose answer was lost? Waits until the transaction is over, which Postgres may still be busy with, or
 * may hold open until it notices that nobody is there. Throws `Deposed` if another process leads: that one may have deleted the id.
 */
export async function isWritten(link: Link, proof: Proof, commitId: string): Promise<boolean> {
  const statements = [
    'begin',
    // Longer than a transaction that lost its client is kept.
    'set local lock_timeout = 10000',
    'select 1 from gate for update',
    `select commit_id from writers where holder = ${pg.escapeLiteral(proof.holder)}`,
    leads(proof),
    'rollback',
  ]
  const [, , , left, led] = await link.run(statements.join('; '))
  if (left?.rows[0]?.commit_id === commitId) return true
  if (led?.rows.length === 0) throw deposed()
  return false
}

function counts(code: number): string {
  return `update gate set n = n + 1 where code_min <= ${code} returning n`
}

/**
 * Takes a turn, and does not count: what others than the leader write must never make up for commits of a leader that Postgres has
 * forgotten. No row: the code is too old.
 */
export function waits(code: number): string {
  return `select n from gate where code_min <= ${code} for update`
}

// For key share: it keeps out whoever takes the lease, and not who renews it. See `makeFence`.
function leads({ holder, term }: Proof): string {
  return `select 1 from leader where holder = ${pg.escapeLiteral(holder)} and term = ${Math.trunc(term)} for key share`
}

function leaves({ holder }: Proof, commitId: string): string {
  const values = `${pg.escapeLiteral(holder)}, ${pg.escapeLiteral(commitId)}`
  return `insert into writers (holder, commit_id) values (${values}) on conflict (holder) do update set commit_id = excluded.commit_id`
}

/** Rows of processes that lead no more. */
function alone({ holder }: Proof): string {
  return `delete from writers where holder <> ${pg.escapeLiteral(holder)}`
}

function deposed(): Deposed {
  return new Deposed('Another monbot leads now, and this one writes nothing more.')
}

export function tooOld(address: string): StoreError {
  return new StoreError(
    `The memory in Postgres at ${address} is used by a newer version of monbot now: start that version.`,
    null,
    true,
  )
}
