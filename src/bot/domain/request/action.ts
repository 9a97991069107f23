/** What the table of actions says about each change: who may, how it is typed, what it is about. */
import type { Verdict } from '../alert/rule.ts'
import type { Misread, Words } from '../command/words.ts'
import type { GuardedAct } from './authorise.ts'
import type { OneServer, OpenForm, ServerRef } from './named.ts'

/** A command after `/mon`; `Meaning` is what it asks for. */
export type Command<Meaning> = {
  /** One word or two. */
  readonly name: string
  /** What follows the name; empty if nothing does. */
  readonly usage: string
  /** One line, without a full stop. */
  readonly summary: string
  /** Examples of what to type after `/mon`. */
  readonly examples: readonly string[]
  /** The help's section: `act` on alerts, `ask`, `rare` for the account and what is seldom needed. */
  readonly group: 'act' | 'ask' | 'rare'
  /** Null: what follows the name does not fit the usage; nor does it if the meaning leaves words that were not taken. */
  readonly read: (words: Words) => Meaning | Misread | null
}

/** What a change is about, before any look-up. */
export type Target =
  | { readonly of: 'server'; readonly server: OneServer }
  /** Many at once; `names`: those that were confirmed. */
  | { readonly of: 'servers'; readonly servers: readonly ServerRef[]; readonly names?: readonly string[] }
  /** An alert's id (with or without `#`), or a server with exactly one open alert. */
  | { readonly of: 'alert'; readonly alert: string }
  /** `auditId`: the audit row for several mutes. */
  | { readonly of: 'mute'; readonly muteId: string; readonly auditId?: string }
  | { readonly of: 'card'; readonly cardId: string }
  /** The account, or something that belongs to no server. */
  | { readonly of: 'account' }

/** What the audit keeps of the request. */
export type AskedDetail = {
  readonly reason?: string
  readonly roles?: readonly string[]
  /** A note's or a marker's, or what was said to whom an alert was handed. */
  readonly text?: string
  /** To whom an alert was handed. */
  readonly to?: string
  readonly group?: string
  readonly names?: readonly string[]
  /** Of a silence that somebody made elsewhere. */
  readonly silenceId?: string
  readonly verdict?: Verdict
  /** What the mute of one alert is about, in plain words. */
  readonly alert?: string
}

export type Action<Change, AlsoTyped = never> = {
  /** The permission that it needs; changing the account's mute needs `mute_account`. */
  readonly guard: GuardedAct
  /** True: if the outcome is unknown, one click may repeat it. */
  readonly isHarmlessTwice: boolean
  /** Absent if only a button, or the command of another, asks for it. */
  readonly command?: Command<Change | AlsoTyped | OpenForm>
  readonly target: (change: Change) => Target
  readonly detail?: (change: Change) => AskedDetail
  /** The same with its servers' names as the monitoring API knows them. Absent: it has none, or they must be exact. */
  readonly renamed?: (change: Change, rename: (name: string) => string) => Change
}

/** A table with an entry for every kind of these changes. */
export type ActionsOf<Change extends { readonly kind: string }, AlsoTyped = never> = {
  readonly [Kind in Change['kind']]: Action<Extract<Change, { kind: Kind }>, Change | AlsoTyped>
}

export function byName(name: string): OneServer {
  return { by: 'name', name }
}

export function renamedServer<Ref extends ServerRef>(ref: Ref, rename: (name: string) => string): Ref {
  return ref.by === 'name' ? { ...ref, name: rename(ref.name) } : ref
}
