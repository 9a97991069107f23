/** What commands, buttons and forms refer to: servers, when a mute ends, and the forms themselves. */

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

/** A server by its name (for a mute also a glob), or by the alert on the clicked card. */
export type OneServer =
  | { readonly by: 'name'; readonly name: string }
  | { readonly by: 'alert'; readonly alertId: string }

/** One server, or many at once. */
export type ServerRef =
  | OneServer
  /** Every server with an open alert on this summary's or storm's card. */
  | { readonly by: 'card'; readonly cardId: string }

/** The changes that have a form, which asks for whatever else they need. */
export const formNames = [
  'mute_server',
  'mute_alert',
  'mute_account',
  'add_roles',
  'add_marker',
  'add_note',
  'hand_to',
  'delete_server',
  'delete_metrics',
] as const
export type FormName = (typeof formNames)[number]

/** `alertId`: the alert it is opened from, or null; `given`: what the command already gave, a server or names joined by commas. */
export type OpenForm = {
  readonly kind: 'open_form'
  readonly form: FormName
  readonly alertId: string | null
  readonly given: string | null
}
