/** The reply to the person who asked. Data only: the words are in `slack/`. */
import type { Alert } from '../alert/alert.ts'
import type { Misread } from '../command/words.ts'
import type { ListedSilence } from '../mute/hiding.ts'
import type { Mute, MutedAlert, Silenced } from '../mute/mute.ts'
import type { MuteWindow, PlannedMute } from '../mute/planned.ts'
import type { Difference } from '../mute/shown.ts'
import type { Change, ChangeKind } from './actions.ts'
import type { AlertDone } from './alert-actions.ts'
import type { Answer, Health } from './answer.ts'
import type { AuditEntry } from './audit.ts'
import type { GuardedAct } from './authorise.ts'
import type { FormName } from './named.ts'
import type { OddRole } from './nearest.ts'
import type { PlannedDone } from './planned-actions.ts'
import type { ServiceDone } from './service-actions.ts'

/** What an action needed and did not get: `existing_roles` were chosen, but no longer exist. */
export type Wanted = 'server' | 'roles' | 'existing_roles' | 'metrics' | 'note' | 'marker' | 'no_data_group'

/** What Slack says of a user id; `stranger`: of another workspace that shares a channel with this one. */
export type PersonIs = 'person' | 'bot' | 'deactivated' | 'stranger' | 'unknown'

/** An expected no. Every kind is rendered with what to do next. */
export type Refusal =
  | Misread
  /** `came` is empty if nothing was given. */
  | { readonly why: 'invalid'; readonly wanted: Wanted; readonly came: string; readonly topic?: string }
  /** `audience` says who the policy allows. */
  | {
      readonly why: 'not_permitted'
      readonly act: ChangeKind
      readonly audience: 'nobody' | readonly string[]
      /** Nobody may because the policy names nobody. */
      readonly isUnset?: true
      /** The permission that it needs as well, as it concerns more than usual. */
      readonly needs?: GuardedAct
      /** User groups of it that Slack no longer knows: nobody is in them. */
      readonly gone?: readonly string[]
    }
  /** Pressed on a message that the store has no card of, or not its alert (`alert`, its number), or not its mute. */
  | { readonly why: 'unknown_card'; readonly alert?: string }
  /** Used on a message that is not the card of one alert. */
  | { readonly why: 'not_on_card' }
  /** Somebody from another workspace that shares a channel with this one. */
  | { readonly why: 'other_workspace' }
  /** The permissions' user groups could not be looked up, so nobody can be allowed by them. */
  | { readonly why: 'groups_unread'; readonly act: ChangeKind; readonly words: string }
  /**
   * `unread`: why the list of servers could not be read, so the server may exist after all. `answer`: monbot knows it, and this
   * is what the API said, which does not. `mayBeRole`: it was read as the name of a role or of a server.
   */
  | {
      readonly why: 'unknown_server'
      readonly server: string
      readonly similar: readonly string[]
      readonly unread?: string | null
      readonly answer?: string
      readonly mayBeRole?: true
    }
  /** The unknown ones of several; nothing was done with the others either. */
  | {
      readonly why: 'unknown_servers'
      readonly act: 'mute_server' | 'unmute_server'
      readonly servers: readonly { readonly server: string; readonly similar: readonly string[] }[]
      readonly unread: string | null
    }
  /** `similar`: servers that may have been meant. */
  | { readonly why: 'unknown_alert'; readonly alert: string; readonly similar?: readonly string[] }
  /** `note`: the text that was to be written, so that it is not lost. `topic`: the command to say one of them to. */
  | {
      readonly why: 'many_alerts'
      readonly topic?: string
      /** Null: they have the same name. */
      readonly server: string | null
      readonly alerts: readonly Alert[]
      readonly note?: string
    }
  /** The server is known; `last` is the latest of its ended alerts, null if there is none. */
  | { readonly why: 'none_open'; readonly server: string; readonly last: Alert | null }
  | {
      readonly why: 'unknown_metric'
      readonly server: string
      readonly metric: string
      readonly similar: readonly string[]
    }
  | { readonly why: 'no_match'; readonly pattern: string; readonly unread?: string | null }
  | {
      readonly why: 'too_many_servers'
      readonly to: 'mute' | 'ask_about'
      readonly count: number
      readonly max: number
    }
  /** `others`: where several were named. `isAccountMuted`: the server is quiet all the same. */
  | {
      readonly why: 'not_muted'
      readonly server: string | null
      readonly others?: readonly string[]
      readonly isAccountMuted?: true
      /** What is planned for it all the same. */
      readonly planned?: readonly PlannedMute[]
    }
  /** It was cancelled, its window has begun or was skipped, or the policy file plans it. */
  | { readonly why: 'planned_changed'; readonly is: 'gone' | 'begun' | 'skipped' | 'of_policy' }
  | { readonly why: 'reason_missing' }
  /** An alert can be handed to people of this workspace only. */
  | { readonly why: 'not_a_person'; readonly userId: string; readonly is: Exclude<PersonIs, 'person'> }
  /** The service, or the plain API, cannot mute by labels. */
  | { readonly why: 'no_matchers' }
  /** So many alerts are muted by themselves already. */
  | { readonly why: 'too_many_alert_mutes'; readonly max: number }
  /** `by`: what hides it all the same, its server's mute or the account's. */
  | { readonly why: 'alert_not_muted'; readonly what: string; readonly by?: Mute }
  /** `mute` is still in force, where it is one. */
  | { readonly why: 'undo_too_late'; readonly mute?: Mute }
  /** The mute that was meant is over, or has other terms; this one is in force. */
  | { readonly why: 'mute_replaced'; readonly mute: Mute }
  | { readonly why: 'pending_gone' }
  | { readonly why: 'name_differs'; readonly expected: string; readonly typed: string }
  /** An end or a server is in the reason's place; `command` is what may have been meant. */
  | {
      readonly why: 'misplaced'
      readonly what: 'end' | 'server'
      readonly came: string
      readonly command: string
    }

/** What changed since the clicked card was shown: the click does nothing, and this says why. */
export type StaleReason =
  | { readonly what: 'closed'; readonly alert: Alert }
  /** For a card of several alerts; `closedMs` is when the last of them closed, null if not all are known to have closed. */
  | { readonly what: 'all_closed'; readonly count: number; readonly closedMs: number | null }
  | { readonly what: 'acknowledged'; readonly alert: Alert }
  /** Nobody has acknowledged it, or does not have it any more. */
  | { readonly what: 'unacknowledged'; readonly alert: Alert }
  | { readonly what: 'muted'; readonly mute: Mute }
  | { readonly what: 'unmuted'; readonly server: string; readonly by: AuditEntry | null }
  /** Its end is not the one that the notice showed; `by` is what moved it, if known. */
  | { readonly what: 'extended'; readonly mute: Mute; readonly by: AuditEntry | null }
  /** The silence that was to be ended is not there any more; `by`: who ended it from here, if anybody did. */
  | { readonly what: 'silence_over'; readonly by: AuditEntry | null }
  /** What a form asks to delete was deleted while it was open: what has that name now is something else. */
  | { readonly what: 'deleted'; readonly names: readonly string[]; readonly by: AuditEntry }

/** One server of a mute for several. */
export type MuteResult = {
  readonly hostname: string
  readonly mute: Mute | null
  /** Why it failed, in words; null if it was done. */
  readonly failure: string | null
  /**
   * Absent: `failure` says everything. `doubtful`: it may be muted from before, and monbot will switch notifications back on.
   */
  readonly left?: 'doubtful'
}

/** What a mute of one alert is to be, and in which channels people see what it hides. */
export type AlertAsked = {
  readonly subject: string
  readonly muted: MutedAlert
  /** The open alerts that it hides now, as far as their numbers are known. */
  readonly alertIds: readonly string[]
}

export type Receipt = {
  readonly change: Extract<Change, { kind: 'mute_server' | 'mute_account' | 'mute_alert' }>
  /** What a mute of one alert, or by matchers, is to be. */
  readonly alert?: AlertAsked
  /** Empty for the account, and for an alert. */
  readonly servers: readonly string[]
  readonly mode: Mute['mode']
  readonly untilMs: number | null
  /** The zone of a typed clock time, if clocks there differ from the channels'. */
  readonly zone?: string
  /** Open alerts that it hides now. */
  readonly open: number
  /** Alerts of the last seven days that it would have hidden; null if nobody knows. */
  readonly lastWeek: number | null
  /** Is the length the policy's default, because none was given? */
  readonly isDefaultEnd: boolean
  /** The account's mute, and other people's mutes that it replaces. */
  readonly others: readonly Mute[]
}

export type Form = {
  readonly name: FormName
  readonly alert: Alert | null
  /** What the command already gave. */
  readonly given: string | null
  /** Servers with an open alert on the clicked card, if all of them are to be muted. */
  readonly serversOnCard?: number
  /** Open alerts on the clicked card, if all of them are to be handed over. */
  readonly alertsOnCard?: number
  /** Of the alert to be muted: the matchers that the service would use; absent if it does not say. */
  readonly matchers?: readonly string[]
  /** Of the alert, server or account to be muted. */
  readonly hidesNow: number
  readonly hidLastWeek: number
  /** Of a mute of one server or of the account: the mutes of other people that are in force there. */
  readonly others: readonly Mute[]
  /** The longest mute that the policy allows, milliseconds. */
  readonly maxMs: number
  /** The permalink or card that a marker's text should mention; null if there is none. */
  readonly prefill: string
  /** As in `Reply`. */
  readonly health?: Health
}

/** The outcome of a change. A mute's outcome depends on how it went, and has its own kinds. */
export type Done = AlertDone | PlannedDone | ServiceDone

/** `health`: how far alerts were read when it was decided, where it counts them or says that something is not there. */
export type Reply =
  | {
      readonly kind: 'muted'
      readonly health?: Health
      readonly results: readonly MuteResult[]
      readonly receipt: Receipt
      /** The audit row for all of them, if there were several. */
      readonly auditId?: string
    }
  | {
      readonly kind: 'account_muted'
      readonly health?: Health
      readonly mute: Mute
      readonly receipt: Receipt
    }
  /** `isSure` false: the API did not answer; monbot keeps trying until notifications are on again. */
  | ({
      readonly kind: 'unmuted'
      readonly server: string | null
      /** What it was, in plain words, if it was the mute of an alert. */
      readonly alert?: string
      readonly isSure: boolean
      /** False: monbot had no mute for it, and nobody else was notified. */
      readonly wasMuted?: false
      /** What is planned for it all the same. */
      readonly planned?: readonly PlannedMute[]
      /** Several at once, then `server` is null; `left` were not muted. */
      readonly several?: { readonly servers: readonly string[]; readonly left: readonly string[] }
    } & Silenced)
  | { readonly kind: 'extended'; readonly mute: Mute }
  /** What the replaced mute is again; null if there was none before. */
  | ({
      readonly kind: 'undone'
      readonly server: string | null
      /** As for `unmuted`. */
      readonly alert?: string
      readonly restored: Mute | null
      readonly isSure: boolean
      /** Several at once: those whose mute was taken back; then `server` and `restored` are null. */
      readonly several?: { readonly servers: readonly string[]; readonly left: readonly string[] }
    } & Silenced)
  | ({ readonly kind: 'done' } & Done)
  | { readonly kind: 'cancelled' }
  /** `difference`: it was already confirmed once, and what it showed had changed by then. */
  | {
      readonly kind: 'confirm'
      readonly health?: Health
      readonly receipt: Receipt
      readonly pendingId: string
      readonly difference?: Difference
    }
  /** Before a mute is planned. `open`: what it would hide if it began now; null: nobody knows. `servers`: those that it means now. */
  | {
      readonly kind: 'confirm_planned'
      readonly planned: PlannedMute
      readonly window: MuteWindow
      readonly servers: readonly string[]
      readonly open: number | null
      readonly pendingId: string
    }
  /** Before a silence that somebody made elsewhere is ended. `isChanged`: it was confirmed, and is another one by now. */
  | {
      readonly kind: 'confirm_silence'
      readonly silence: ListedSilence
      readonly pendingId: string
      readonly isChanged: boolean
    }
  /** Before roles with odd names are made; `instead`: the question whose answer adds the similar ones. */
  | {
      readonly kind: 'confirm_roles'
      readonly server: string
      readonly odd: readonly OddRole[]
      readonly pendingId: string
      readonly instead?: { readonly pendingId: string; readonly roles: readonly string[] }
    }
  | { readonly kind: 'form'; readonly form: Form }
  | { readonly kind: 'answer'; readonly answer: Answer }
  | { readonly kind: 'refused'; readonly health?: Health; readonly refusal: Refusal }
  | { readonly kind: 'stale'; readonly changed: StaleReason; readonly nowMs: number }
  /** The API failed; `isUnknown`: it is not known whether it was done. `words` may be shown to people. */
  | {
      readonly kind: 'failed'
      readonly doing: ChangeKind | Answer['kind']
      readonly words: string
      readonly isUnknown: boolean
      /** The one server that it was about. */
      readonly server?: string
      /** The confirmed question, which may be answered once more; absent if there was none. */
      readonly pendingId?: string
    }
  /** A bug; the id is also in the log. `mayBeDone`: it was a change, and part of it may have been made. */
  | {
      readonly kind: 'broken'
      readonly errorId: string
      readonly mayBeDone: boolean
      /** Not a bug: monbot's database cannot be used, and monbot stops. */
      readonly isDatabaseError?: boolean
    }
  /** The memory did not answer, or another bot may lead by now. `mayBeDone`: something of it was written, or may have been. */
  | { readonly kind: 'away'; readonly mayBeDone: boolean }
  /** A repeat by the same key or click: no reply is sent. */
  | { readonly kind: 'repeat' }
