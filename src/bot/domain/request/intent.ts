/** What a person asks for: a command, a button, a select, a modal and a shortcut all become the same intent. */
import type { Change } from './actions.ts'
import type { OpenForm } from './named.ts'
import type { Ask } from './queries.ts'

export type Intent =
  | Change
  | Ask
  | OpenForm
  /** The answer to a confirmation question: does what was asked then, and no more. */
  | { readonly kind: 'confirm'; readonly pendingId: string }
  | { readonly kind: 'cancel'; readonly pendingId: string }

export type Via = 'command' | 'button' | 'select' | 'modal' | 'shortcut'

/** One request by one person. */
export type Request = {
  readonly intent: Intent
  readonly userId: string
  readonly via: Via
  /** What Slack gives to recognise a repeat (an envelope's trigger, a click's `action_ts`); each key is handled once. */
  readonly keys: readonly string[]
  /** The channel it came from; null if there is none (Home, a global shortcut). */
  readonly channel: string | null
  /** The card that was clicked, and the version of it that the person saw. */
  readonly card: { readonly cardId: string; readonly version: number } | null
}
