/** What a person asks for, whatever they typed or pressed: a command, a button, a select, a modal and a shortcut all become one. */
import type { Shown } from '../mute/shown.ts'

/**
 * When a mute ends.
 *
 * - `default`: nothing was said; the policy's default holds, and the answer says so
 * - `for`: after this long
 * - `at`: the next time that a clock in the asker's zone shows this
 * - `healthy`: once the server had no open alert for 15 minutes, and at the policy's longest mute at the latest
 * - `unmuted`: when somebody unmutes it
 */
export type MuteEnd =
  | { readonly kind: 'default' }
  | { readonly kind: 'for'; readonly ms: number }
  | { readonly kind: 'at'; readonly hour: number; readonly minute: number }
  | { readonly kind: 'healthy' }
  | { readonly kind: 'unmuted' }

/** A server by its name (for a mute also a glob), or by the alert whose card was pressed. */
export type OneServer =
  | { readonly by: 'name'; readonly name: string }
  | { readonly by: 'alert'; readonly alertId: string }

/** The same, or many at once. */
export type ServerRef =
  | OneServer
  /** Every server with an open alert on this summary's or storm's card. */
  | { readonly by: 'card'; readonly cardId: string }

/** What changes something: it is authorised, audited and told to everyone. */
export type Change =
  /** More than one server, a glob or a long time is confirmed first. */
  | {
      readonly kind: 'mute_server'
      readonly servers: readonly ServerRef[]
      readonly end: MuteEnd
      readonly reason: string
      /** What was confirmed; null where nothing was shown yet. */
      readonly shown: Shown | null
    }
  | {
      readonly kind: 'unmute_server'
      readonly server: OneServer
      /** Names and globs of muted servers, `server` too, where it is not one name. */
      readonly servers?: readonly OneServer[]
      /** The mute that the button showed, by its `markOf`. */
      readonly shown?: string
    }
  | {
      readonly kind: 'mute_account'
      readonly end: MuteEnd
      readonly reason: string
      /** What was confirmed; null where nothing was shown yet. */
      readonly shown: Shown | null
    }
  | { readonly kind: 'unmute_account'; readonly shown?: string }
  /** From the hand-back: the deadline moves by `ms`. */
  | { readonly kind: 'extend_mute'; readonly muteId: string; readonly ms: number }
  /** Within a minute after a mute: back to what was before. */
  | {
      readonly kind: 'undo_mute'
      readonly muteId: string
      /** When the terms were given that are to be taken back. */
      readonly termsMs: number
      /** The row of the audit that tells of all that were made at once, where they were several. */
      readonly auditId?: string
    }
  | {
      readonly kind: 'add_roles'
      readonly server: OneServer
      readonly roles: readonly string[]
      /** Those of them that were chosen from roles that exist, so that none of them is meant to be made. */
      readonly existing?: readonly string[]
    }
  | { readonly kind: 'add_marker'; readonly text: string }
  /** `alert` is an alert's id (with or without `#`) or a server with exactly one open alert. */
  | { readonly kind: 'acknowledge'; readonly alert: string }
  /**
   * Every open alert of a summary's or storm's card that nobody has acknowledged, of the first `shown`: what joined the
   * card later the person has not seen. Null: all of them.
   */
  | { readonly kind: 'acknowledge_all'; readonly cardId: string; readonly shown: number | null }
  | { readonly kind: 'add_note'; readonly alert: string; readonly text: string }
  | { readonly kind: 'set_no_data'; readonly server: string; readonly group: string }
  /** `typed` is the name as it was typed again; null when it was not yet asked for. `shownMs`: when it was. */
  | {
      readonly kind: 'delete_server'
      readonly server: string
      readonly typed: string | null
      readonly shownMs?: number
    }
  | {
      readonly kind: 'delete_metrics'
      readonly names: readonly string[]
      readonly typed: string | null
      readonly shownMs?: number
    }

export type ListedState = 'open' | 'closed' | 'all'

/** What only asks. `page` counts from 1. */
export type Ask =
  | { readonly kind: 'help'; readonly topic: string | null }
  | { readonly kind: 'status' }
  | {
      readonly kind: 'alerts'
      readonly state: ListedState
      readonly server: string | null
      readonly page: number
    }
  | { readonly kind: 'mutes'; readonly page: number }
  /** `about` is a server or a role. */
  | { readonly kind: 'roles'; readonly about: string | null; readonly page: number }
  | { readonly kind: 'triggers'; readonly filter: string | null; readonly page: number }
  | { readonly kind: 'handoff' }
  | { readonly kind: 'report'; readonly ms: number }
  | { readonly kind: 'audit'; readonly server: string | null; readonly page: number }
  | { readonly kind: 'chart'; readonly server: string; readonly metric: string; readonly ms: number }
  | { readonly kind: 'alert_chart'; readonly alertId: string }

/** A modal. `alertId` is the alert it was opened from, null where it was opened from elsewhere. */
export type FormName =
  | 'mute_server'
  | 'mute_account'
  | 'add_roles'
  | 'add_marker'
  | 'add_note'
  | 'delete_server'
  | 'delete_metrics'

export type Intent =
  | Change
  | Ask
  /** Opens a modal; `given` is what the command said already: a server, or names joined by commas. */
  | {
      readonly kind: 'open_form'
      readonly form: FormName
      readonly alertId: string | null
      readonly given: string | null
    }
  /** The answer to a receipt: does what was asked then, and no more. */
  | { readonly kind: 'confirm'; readonly pendingId: string }
  | { readonly kind: 'cancel'; readonly pendingId: string }

export type ChangeKind = Change['kind']

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
