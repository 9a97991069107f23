/** What a person asks for, whatever they typed or pressed: a command, a button, a select, a modal and a shortcut all become one. */
import type { Change } from './actions.ts'
import type { OpenForm } from './named.ts'
import type { Ask } from './queries.ts'

export type Intent =
  | Change
  | Ask
  | OpenForm
  /** The answer to a receipt: does what was asked then, and no more. */
  | { readonly kind: 'confirm'; readonly pendingId: string }
  | { readonly kind: 'cancel'; readonly pendingId: string }

export type Via = 'command' | 'button' | 'select' | 'modal' | 'shortcut'

/** One thing that one person asked for once. */
export type Request = {
  readonly intent: Intent
  readonly userId: string
  readonly via: Via
  /** What Slack gave to tell a repeat by (an envelope's trigger, a click's `action_ts`); the same key is done once. */
  readonly keys: readonly string[]
  /** The channel it was asked in; null where there is none (Home, a global shortcut). */
  readonly channel: string | null
  /** The card that was pressed, and the version of it that the person saw. */
  readonly card: { readonly cardId: string; readonly version: number } | null
}
