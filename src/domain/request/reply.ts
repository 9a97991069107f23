/** What the person who asked is told. Data only: the words are in `slack/`. */
import type { Alert } from '../alert/alert.ts'
import type { Misread } from '../command/misread.ts'
import type { Mute } from '../mute/mute.ts'
import type { Difference } from '../mute/shown.ts'
import type { Change, ChangeKind } from './actions.ts'
import type { AlertDone } from './alert-actions.ts'
import type { Answer } from './answer.ts'
import type { AuditEntry } from './audit.ts'
import type { FormName } from './named.ts'
import type { ServiceDone } from './service-actions.ts'

/** What an action needed and was not given: `existing_roles` were chosen, and are gone since. */
export type Wanted = 'server' | 'roles' | 'existing_roles' | 'metrics' | 'note' | 'marker' | 'no_data_group'

/** An expected no. Every kind is rendered with what to do next. */
export type Refusal =
  | Misread
  /** `came` is empty where nothing did. */
  | { readonly why: 'invalid'; readonly wanted: Wanted; readonly came: string; readonly topic?: string }
  /** `audience` is what the permissions say: who may. */
  | {
      readonly why: 'not_permitted'
      readonly act: ChangeKind
      readonly audience: 'nobody' | readonly string[]
    }
  /** Somebody of another workspace, who shares a channel with this one. */
  | { readonly why: 'other_workspace' }
  /** The groups of the permissions could not be looked up, so nobody can be let in by them. */
  | { readonly why: 'groups_unread'; readonly act: ChangeKind; readonly words: string }
  /** `unread`: why the list of servers could not be read, so that there may be one all the same. */
  | {
      readonly why: 'unknown_server'
      readonly server: string
      readonly similar: readonly string[]
      readonly unread?: string | null
    }
  /** Of several, those that are not known; nothing was done with the others either. */
  | {
      readonly why: 'unknown_servers'
      readonly servers: readonly { readonly server: string; readonly similar: readonly string[] }[]
      readonly unread: string | null
    }
  /** `similar`: servers that may have been meant. */
  | { readonly why: 'unknown_alert'; readonly alert: string; readonly similar?: readonly string[] }
  /** `note`: what was to be written, so that it is not lost; absent where it was to be acknowledged. */
  | {
      readonly why: 'many_alerts'
      readonly server: string
      readonly alerts: readonly Alert[]
      readonly note?: string
    }
  /** The server is known; `last` is the latest of its alerts that are over, null where there is none. */
  | { readonly why: 'none_open'; readonly server: string; readonly last: Alert | null }
  | { readonly why: 'unknown_metric'; readonly metric: string; readonly similar: readonly string[] }
  | { readonly why: 'no_match'; readonly pattern: string; readonly unread?: string | null }
  | { readonly why: 'too_many_servers'; readonly count: number; readonly max: number }
  | { readonly why: 'not_muted'; readonly server: string | null }
  | { readonly why: 'reason_missing' }
  | { readonly why: 'undo_too_late' }
  | { readonly why: 'pending_gone' }
  | { readonly why: 'name_differs'; readonly expected: string; readonly typed: string }
  /** An end or a server stands where the reason does; `command` is what may have been meant. */
  | {
      readonly why: 'misplaced'
      readonly what: 'end' | 'server'
      readonly came: string
      readonly command: string
    }

/** What changed between the card that was pressed and now: the click does nothing, and this says why. */
export type Changed =
  | { readonly what: 'closed'; readonly alert: Alert }
  /** Of a card of many; `closedMs` is when the last of them closed, null where nobody said of all that they did. */
  | { readonly what: 'all_closed'; readonly count: number; readonly closedMs: number | null }
  | { readonly what: 'acknowledged'; readonly alert: Alert }
  | { readonly what: 'muted'; readonly mute: Mute }
  | { readonly what: 'unmuted'; readonly server: string; readonly by: AuditEntry | null }
  /** Its end is another than the hand-back showed; `by` is what moved it, where that is known. */
  | { readonly what: 'extended'; readonly mute: Mute; readonly by: AuditEntry | null }
  /** What a form asks to delete was deleted while it was open: what has the name now is another. */
  | { readonly what: 'deleted'; readonly names: readonly string[]; readonly by: AuditEntry }

/** One server of a mute that was asked for several. */
export type MuteResult = {
  readonly hostname: string
  readonly mute: Mute | null
  /** Why not, in words; null when it was done. */
  readonly failure: string | null
  /**
   * Absent: `failure` says it all. `doubtful`: it may be muted, and monbot switches notifications on again; `not_tried`:
   * the API failed for another server before, and was not asked about this one.
   */
  readonly left?: 'doubtful' | 'not_tried'
}

export type Receipt = {
  readonly change: Extract<Change, { kind: 'mute_server' | 'mute_account' }>
  /** Empty for the account. */
  readonly servers: readonly string[]
  readonly mode: Mute['mode']
  readonly untilMs: number | null
  /** Open alerts that it hides now. */
  readonly open: number
  /** Alerts of the last seven days that it would have hidden. */
  readonly lastWeek: number
  /** Was the length the policy's default, because none was given? */
  readonly isDefaultEnd: boolean
  /** Mutes of other people that it takes the place of, and the account's. */
  readonly others: readonly Mute[]
}

export type Form = {
  readonly name: FormName
  readonly alert: Alert | null
  /** What the command said already. */
  readonly given: string | null
  /** Of the server or account to be muted. */
  readonly hidesNow: number
  readonly hidLastWeek: number
  /** The longest mute that the policy allows, milliseconds. */
  readonly maxMs: number
  /** The permalink or card to be mentioned in a marker's text; null where there is none. */
  readonly prefill: string
}

/** What came of a change. A mute's outcome depends on how it went, and has kinds of its own. */
export type Done = AlertDone | ServiceDone

export type Reply =
  | {
      readonly kind: 'muted'
      readonly results: readonly MuteResult[]
      readonly receipt: Receipt
      /** The row of the audit that tells of all of them, where there were several. */
      readonly auditId?: string
    }
  | { readonly kind: 'account_muted'; readonly mute: Mute; readonly receipt: Receipt }
  /** `isSure` false: the API did not answer; monbot goes on until notifications are on again. */
  | {
      readonly kind: 'unmuted'
      readonly server: string | null
      readonly isSure: boolean
      /** False: monbot had no mute of it, and nobody else was told. */
      readonly wasMuted?: false
      /** Several at once, `server` is null then; `left` were not muted. */
      readonly several?: { readonly servers: readonly string[]; readonly left: readonly string[] }
    }
  | { readonly kind: 'extended'; readonly mute: Mute }
  /** What a replaced mute is again; null when there was none before. */
  | {
      readonly kind: 'undone'
      readonly server: string | null
      readonly restored: Mute | null
      readonly isSure: boolean
      /** Several at once: those whose mute was taken back, `server` and `restored` are null then. */
      readonly several?: { readonly servers: readonly string[]; readonly left: readonly string[] }
    }
  | ({ readonly kind: 'done' } & Done)
  | { readonly kind: 'cancelled' }
  /** `difference`: it was confirmed before, and by then it was otherwise than it had been shown. */
  | {
      readonly kind: 'confirm'
      readonly receipt: Receipt
      readonly pendingId: string
      readonly difference?: Difference
    }
  | { readonly kind: 'form'; readonly form: Form }
  | { readonly kind: 'answer'; readonly answer: Answer }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  | { readonly kind: 'stale'; readonly changed: Changed; readonly nowMs: number }
  /** The API failed; `isUnknown`: whether it was done is not known. `words` may be shown to people. */
  | {
      readonly kind: 'failed'
      readonly doing: ChangeKind | Answer['kind']
      readonly words: string
      readonly isUnknown: boolean
      /** The confirmed question, which may be answered once more; absent where there was none. */
      readonly pendingId?: string
    }
  /** A bug; the id stands in the log too. `mayBeDone`: it was a change, and part of it may have been made. */
  | {
      readonly kind: 'broken'
      readonly errorId: string
      readonly mayBeDone: boolean
      /** No bug: monbot's database cannot be used, and monbot ends. */
      readonly isMemory?: boolean
    }
  /** It was asked before, with the same key or the same click: nothing is said. */
  | { readonly kind: 'repeat' }
