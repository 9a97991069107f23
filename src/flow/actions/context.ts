/** What every act is given and gives back: who asked for what where, and what is said and written of it. */

import { mayHaveBeenDone, type OutsideFailure } from '../../domain/base/failure.ts'
import type { Place } from '../../domain/card/thread-cards.ts'
import type { Plan } from '../../domain/plan.ts'
import type { ChangeKind } from '../../domain/request/actions.ts'
import type { AuditDetail, AuditEntry, AuditOutcome } from '../../domain/request/audit.ts'
import type { Request } from '../../domain/request/intent.ts'
import type { Changed, Refusal, Reply } from '../../domain/request/reply.ts'
import type { Lock } from '../concurrency/lock.ts'
import type { EndMute } from '../mute/end.ts'
import type { Clock, Directory, Ids, Monitor } from '../ports/ports.ts'
import type { Store } from '../ports/store.ts'
import type { Servers } from '../servers.ts'
import type { Subject } from './target.ts'

export type ActPorts = {
  readonly monitor: Monitor
  readonly store: Store
  readonly clock: Clock
  readonly directory: Directory
  readonly ids: Ids
  readonly lock: Lock
  readonly servers: Servers
  readonly endMute: EndMute
}

export type ActionContext = {
  readonly request: Request
  readonly act: ChangeKind
  readonly subject: Subject
  /** Where it is told to everyone. */
  readonly place: Place
  /** When it was asked: before now where a receipt was confirmed. */
  readonly askedMs: number
  /** Of the row that is written before the API is asked and settled after; a change that breaks has it as well. */
  readonly auditId: string
}

/** The part of an audit row that an act knows. */
export type Row = {
  readonly outcome: AuditOutcome
  readonly why: string | null
  readonly hostname?: string | null
  readonly detail?: AuditDetail
}

/** `row` null: the act wrote its audit with its plan, or there is nothing to write (a receipt, a form). */
export type Acted = { readonly reply: Reply; readonly row: Row | null }

export function said(reply: Reply): Acted {
  return { reply, row: null }
}

export function refused(refusal: Refusal): Acted {
  return { reply: { kind: 'refused', refusal }, row: { outcome: 'refused', why: refusal.why } }
}

/** The card that was pressed is not how things are: nothing is done. */
export function outdated(changed: Changed, nowMs: number): Acted {
  return { reply: { kind: 'stale', changed, nowMs }, row: { outcome: 'nothing', why: changed.what } }
}

/** A change at the API that failed, or whose end is not known. */
export function failed(context: ActionContext, failure: OutsideFailure): Acted {
  return {
    reply: failedReply(context, failure, mayHaveBeenDone(failure)),
    row: failedRow(failure),
  }
}

/** What had to be known before could not be read, so the change was not even tried. */
export function notTried(context: ActionContext, failure: OutsideFailure): Acted {
  return { reply: failedReply(context, failure, false), row: { ...failedRow(failure), outcome: 'failed' } }
}

export function failedReply({ act }: ActionContext, failure: OutsideFailure, isUnknown: boolean): Reply {
  return { kind: 'failed', doing: act, words: failure.message, isUnknown }
}

/** `isOfServer`: a 404 means that the API does not know the server. */
export function failedRow(failure: OutsideFailure, isOfServer = false): Row {
  const why = isOfServer && failure.kind === 'missing' ? 'unknown_server' : failure.kind
  return {
    outcome: mayHaveBeenDone(failure) ? 'unknown' : 'failed',
    why,
    detail: { answer: failure.message },
  }
}

/** Somebody else changed what it is about each time that it was to be written: nothing is done. */
export function keptChanging({ act }: Pick<ActionContext, 'act'>, words: string): Acted {
  return {
    reply: { kind: 'failed', doing: act, words, isUnknown: false },
    row: { outcome: 'failed', why: 'kept_changing' },
  }
}

/** The whole audit row: its parts from the act stand before those of the scene. */
export function entryOf(
  { request, act, subject }: Pick<ActionContext, 'request' | 'act' | 'subject'>,
  row: Row,
  made: { readonly auditId: string; readonly atMs: number },
): AuditEntry {
  return {
    ...made,
    userId: request.userId,
    via: request.via,
    act,
    hostname: row.hostname === undefined ? subject.hostname : row.hostname,
    alertId: subject.alertId,
    channel: request.channel,
    outcome: row.outcome,
    why: row.why,
    detail: { ...subject.detail, ...row.detail },
  }
}

/** Writes a plan that nobody else can have made stale: it changes no alert, and mutes only while their lock is held. */
export async function save(store: Store, plan: Plan): Promise<void> {
  if ((await store.commit(plan)) === 'stale')
    throw new Error('A plan was stale that nobody else could change')
}
