/** The audit: one row for everything that somebody, or monbot itself, did or was refused. */

import type { MuteMode, MuteTerms } from '../mute/mute.ts'
import type { AskedDetail } from './action.ts'
import type { ChangeKind } from './actions.ts'
import type { Via } from './intent.ts'

/** The changes people ask for, and what monbot does by itself. */
export type Act = ChangeKind | 'end_mute' | 'repeat_switch' | 'hand_back' | 'remind'

/** `unknown`: the API gave no answer that tells; `nothing`: it was so already, or the card had changed meanwhile. */
export type AuditOutcome = 'done' | 'nothing' | 'refused' | 'failed' | 'unknown'

/** What was asked, as far as it says something; absent parts do not belong to the act. */
export type AuditDetail = AskedDetail & {
  readonly mode?: MuteMode
  /** Epoch milliseconds. */
  readonly untilMs?: number
  /** How many alerts, where it was all of a list. */
  readonly alerts?: number
  readonly muteId?: string
  /** Whose mutes they were, where several are told together. */
  readonly owner?: string
  /** Mutes that were replaced by this one; of an undo those that hold again. */
  readonly before?: readonly Before[]
  /** The API's own `message`, where it gave one. */
  readonly answer?: string
}

/** `hostname` null: the account. */
export type Before = MuteTerms & { readonly hostname: string | null }

export type AuditEntry = {
  readonly auditId: string
  readonly atMs: number
  /** Null: monbot itself. */
  readonly userId: string | null
  readonly via: Via | 'monbot'
  readonly act: Act
  readonly hostname: string | null
  readonly alertId: string | null
  /** Where it was asked. */
  readonly channel: string | null
  readonly outcome: AuditOutcome
  /** The refusal's or failure's word, null when it was done. */
  readonly why: string | null
  readonly detail: AuditDetail
  /** The row that tells of several at once, this one too: whoever counts what was done counts that one. */
  readonly partOf?: string
}
