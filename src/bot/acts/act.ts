/**
 * What an action is: one file in `acts/` exports one `Act`, and `table.ts` lists them. An act decides synchronously on the world as it
 * is when its turn comes, and answers with a `Reply`; the router checks permission, remembers the request, waits for the journal and,
 * a little, for the API, and sends.
 */
import type { View as SlackView } from '@slack/types'
import type { Monitor } from '../api/port.ts'
import type { PermissionName } from '../config/policy.ts'
import type { Scene, View } from '../view/scene.ts'
import type { Person } from '../world/facts.ts'
import type { Alert, Act as HistoricAct } from '../world/types.ts'

export type Ask = {
  /** The same for a repeat: trigger id, event id, or `user+action_ts+action_id`. */
  readonly key: string
  readonly person: Person
  /** Where it was asked; null on Home. */
  readonly channel: string | null
  /** The `ts` of the thread it was asked in, and the post which that thread belongs to. */
  readonly threadTs: string | null
  readonly threadPost: string | null
  readonly triggerId: string | null
  readonly via: 'command' | 'mention' | 'message' | 'button' | 'form' | 'home'
}

/** What an act may read that is not in the world: it may be awaited before deciding, never between two decisions. */
export type Reads = {
  readonly monitor: Pick<Monitor, 'triggers' | 'roles' | 'metrics' | 'mutes'>
  pastAlerts(fromMs: number, limit: number): Promise<readonly Alert[]>
  pastActs(fromMs: number, limit: number): Promise<readonly HistoricAct[]>
  /** Finds a person by `<@U…>`, `@ben`, `Ben`: one, several, or none. */
  findPeople(words: string): Promise<readonly Person[]>
  isInGroup(userId: string, groupId: string): Promise<boolean | null>
}

export type Context = {
  readonly ask: Ask
  /** The scene of now: after an `await` call it again. */
  scene(): Scene
  readonly reads: Reads
}

/** A whole command that a button offers: `Mute web-2, 1 h` runs `/mon mute web-2 1h`. */
export type Offer = { readonly label: string; readonly command: string }

export type Reply =
  /**
   * Rendered when it is sent: `waitsFor` are switches, effects and posts, of whose outcome the sentence may speak. Ephemeral. Null: a
   * message where they asked says it all.
   */
  | { readonly kind: 'say'; readonly waitsFor?: readonly string[]; render(scene: Scene): View | null }
  /** A sentence with what to do instead: nothing was changed. */
  | { readonly kind: 'refuse'; readonly text: string; readonly offers?: readonly Offer[] }
  /** A form in place of an answer. */
  | { readonly kind: 'form'; readonly view: SlackView }
  /** Problems of a form, by block id. */
  | { readonly kind: 'problems'; readonly problems: Readonly<Record<string, string>> }
  /** The card itself shows what happened: nothing more is said. */
  | { readonly kind: 'done' }

/** A press: `value` is what the button carries, as `values.ts` reads it. `post` is the post on which it was pressed, if one is known. */
export type Press = {
  readonly actionId: string
  readonly value: string
  /** The chosen option of a select or an overflow. */
  readonly option: string | null
  readonly post: string | null
}

export type Form = {
  readonly callbackId: string
  readonly metadata: string
  /** By action id: text, chosen values, ids of people. */
  readonly values: ReadonlyMap<string, readonly string[]>
}

/** What people press and do not type. */
export function pressedOnly(permission: PermissionName | null, presses: NonNullable<Act['presses']>): Act {
  return { names: [], usage: '', example: '', does: '', permission, presses }
}

export type Act = {
  /** The first words of the command that mean it: `mute`, `role add`. */
  readonly names: readonly string[]
  readonly usage: string
  readonly example: string
  readonly does: string
  /** In the eight lines of `/mon help`. */
  readonly isCommon?: true
  readonly permission: PermissionName | null
  /** The words after the name, as they were typed: smart quotes and links are already plain. */
  command?(words: string, context: Context): Reply | Promise<Reply>
  readonly presses?: Readonly<Record<string, (press: Press, context: Context) => Reply | Promise<Reply>>>
  readonly forms?: Readonly<Record<string, (form: Form, context: Context) => Reply | Promise<Reply>>>
}
