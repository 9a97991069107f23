/** The types that every action receives and returns: who asked for what and where, and what to reply and to record. */
import type { Alert } from '../../domain/alert/alert.ts'
import { mayHaveBeenDone, type OutsideFailure } from '../../domain/base/failure.ts'
import type { Place } from '../../domain/mute/mute.ts'
import type { Plan } from '../../domain/plan.ts'
import type { ChangeKind } from '../../domain/request/actions.ts'
import type { AuditDetail, AuditEntry, AuditOutcome } from '../../domain/request/audit.ts'
import type { GuardedAct } from '../../domain/request/authorise.ts'
import type { Request } from '../../domain/request/intent.ts'
import type { Refusal, Reply, StaleReason } from '../../domain/request/reply.ts'
import type { Lock } from '../concurrency/lock.ts'
import type { Hidden } from '../mute/reveal.ts'
import type { Switches } from '../mute/switches.ts'
import type { Clock, Directory, Ids, Monitor } from '../ports/ports.ts'
import type { Store } from '../ports/store.ts'
import type { Servers } from '../servers.ts'

/** What the actions need of the store. */
export type ActionStore = Pick<
  Store,
  | 'audit'
  | 'auditById'
  | 'canMuteAlerts'
  | 'carded'
  | 'cardById'
  | 'cardsOf'
  | 'channelsTold'
  | 'channelsWithOpen'
  | 'commit'
  | 'countAlerts'
  | 'findAlerts'
  | 'keepPending'
  | 'listsOf'
  | 'muteById'
  | 'mutes'
  | 'openAlerts'
  | 'planned'
  | 'recallByIds'
  | 'recallByNumbers'
  | 'recallByEnding'
  | 'switchesAsked'
  | 'switchesOf'
  | 'verdictsOn'
>

export type ActPorts = {
  readonly monitor: Monitor
  readonly store: ActionStore
  readonly clock: Clock
  readonly directory: Directory
  readonly ids: Ids
  readonly servers: Servers
  /** Tells the API what was decided of notifications. */
  readonly switches: Pick<Switches, 'tell'>
  readonly hidden: Hidden
  /** Held by a silence's id while it is being ended. */
  readonly oneEnd: Lock
}

export type Found<T> =
  | { readonly ok: true; readonly found: T }
  | { readonly ok: false; readonly refusal: Refusal }

/** What a change is about, as far as it is known before it is tried. */
export type Subject = {
  readonly hostname: string | null
  readonly alertId: string | null
  readonly detail: AuditDetail
  /** The alert it is about, or why there is none; absent if the change is about something else. */
  readonly alert?: Found<Alert>
  /** The same for the one server that it names. */
  readonly server?: Found<string>
}

export type ActionContext = {
  readonly request: Request
  readonly act: ChangeKind
  readonly subject: Subject
  /** Where it is announced to everyone. */
  readonly place: Place
  /** When it was requested: earlier than now if it was confirmed by a receipt. */
  readonly askedMs: number
  /**
   * The id of the audit row that is written before the API is called and completed afterwards, even if the change fails by a bug.
   */
  readonly auditId: string
  /** Null if this person also has another permission, which the change turns out to need. */
  readonly may: (guard: GuardedAct) => Promise<Refusal | null>
}

/** The part of an audit row that an action knows. */
export type Row = {
  readonly outcome: AuditOutcome
  readonly why: string | null
  readonly hostname?: string | null
  readonly detail?: AuditDetail
}

/** `row` null: the action wrote its audit with its plan, or there is nothing to write (a receipt, a form). */
export type Acted = { readonly reply: Reply; readonly row: Row | null }

/** The server that the change names, as it was found for the audit. */
export function serverOf({ subject: { server } }: ActionContext): Found<string> {
  if (server === undefined) throw new Error('The change names no single server')
  return server
}

export function replyOnly(reply: Reply): Acted {
  return { reply, row: null }
}

export function refused(refusal: Refusal): Acted {
  return { reply: { kind: 'refused', refusal }, row: { outcome: 'refused', why: refusal.why } }
}

/** The reply if the clicked card is out of date: nothing is done. */
export function outdated(changed: StaleReason, nowMs: number): Acted {
  return { reply: { kind: 'stale', changed, nowMs }, row: { outcome: 'nothing', why: changed.what } }
}

/** A change at the API that failed, or whose outcome is not known. */
export function failed(context: ActionContext, failure: OutsideFailure): Acted {
  return {
    reply: failedReply(context, failure, mayHaveBeenDone(failure)),
    row: failedRow(failure),
  }
}

/** Something needed beforehand could not be read, so the change was not even tried. */
export function notTried(context: ActionContext, failure: OutsideFailure): Acted {
  return { reply: failedReply(context, failure, false), row: { ...failedRow(failure), outcome: 'failed' } }
}

export function failedReply(
  { act, subject: { hostname } }: ActionContext,
  failure: OutsideFailure,
  isUnknown: boolean,
): Reply {
  const about = hostname === null ? {} : { server: hostname }
  return { kind: 'failed', doing: act, words: failure.message, isUnknown, ...about }
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

/** The reply if somebody else changed it each time it was about to be written: nothing is done. */
export function keptChanging({ act }: Pick<ActionContext, 'act'>, words: string): Acted {
  return {
    reply: { kind: 'failed', doing: act, words, isUnknown: false },
    row: { outcome: 'failed', why: 'kept_changing' },
  }
}

/** The whole audit row: parts from the action override those from the context. */
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

/** Writes a plan that cannot be stale: it changes no alert and no mute. */
export async function save(store: Pick<Store, 'commit'>, plan: Plan): Promise<void> {
  if ((await store.commit(plan)) === 'stale')
    throw new Error('A plan was stale that nobody else could change')
}
