/** The audit: one row for everything that somebody, or monbot itself, did or was refused. */

import type { Before, MuteMode, Silenced } from '../mute/mute.ts'
import type { PlannedRule } from '../mute/planned.ts'
import type { ShiftChange } from '../oncall/kept.ts'
import type { AskedDetail } from './action.ts'
import type { ChangeKind } from './actions.ts'
import type { Via } from './intent.ts'
import type { Report } from './report.ts'

/** The changes people ask for, and what monbot does by itself. */
export type Act =
  | ChangeKind
  | 'end_mute'
  | 'repeat_switch'
  | 'mute_expiring'
  | 'planned_soon'
  | 'planned_missed'
  | 'not_reached'
  | 'shift_change'
  | 'report'

/** `unknown`: the API's answer does not say; `nothing`: it was already so, or the card had changed meanwhile. */
export type AuditOutcome = 'done' | 'nothing' | 'refused' | 'failed' | 'unknown'

/** A file in Slack; `permalink`: its address for people. `rows` of `total` things are in it. */
export type FileMade = {
  readonly name: string
  readonly permalink: string
  readonly bytes: number
  readonly rows: number
  readonly total: number
}

/** The details of the request; parts that do not belong to the act are absent. `accountMuted`: when it was done. */
export type AuditDetail = AskedDetail &
  Silenced & {
    readonly mode?: MuteMode
    /** Epoch milliseconds. */
    readonly untilMs?: number
    /** How many alerts, if it was a whole list. */
    readonly alerts?: number
    readonly muteId?: string
    /** The planned mute that it belongs to, the rule of it, and when its window begins (epoch milliseconds). */
    readonly plannedId?: string
    readonly rule?: PlannedRule
    readonly zone?: string
    readonly fromMs?: number
    /** Servers that stay as they are, as somebody muted them for longer. */
    readonly left?: readonly string[]
    /** How many alerts came while it was muted. */
    readonly hidden?: number
    /** Whose mutes they were, if several are announced together. */
    readonly owner?: string
    /** The mutes that this one replaced; for an undo, those that apply again. */
    readonly before?: readonly Before[]
    /** Who is on call now, and was before. */
    readonly shift?: ShiftChange
    /** The file that was made of it. */
    readonly file?: FileMade
    /** What was counted for a report. */
    readonly report?: Report
    /** The API's own `message`, if it gave one. */
    readonly answer?: string
  }

export type AuditEntry = {
  readonly auditId: string
  readonly atMs: number
  /** Null: monbot itself. */
  readonly userId: string | null
  readonly via: Via | 'monbot' | 'pager'
  readonly act: Act
  readonly hostname: string | null
  readonly alertId: string | null
  /** Where it was asked. */
  readonly channel: string | null
  readonly outcome: AuditOutcome
  /** The refusal's or failure's word, null if it was done. */
  readonly why: string | null
  readonly detail: AuditDetail
  /** The row for the whole group, which includes this one: counts of what was done use that row. */
  readonly partOf?: string
}
