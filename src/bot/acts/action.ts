/**
 * What an action is: a file of `acts/` exports it, and `table.ts` lists it. An action decides synchronously on the world as it is when
 * its turn comes, and answers with a `Reply` or throws a `Refusal`; the router checks permission, remembers the request, waits for the
 * journal and, a little, for the API, and sends.
 */
import type { View as SlackView } from '@slack/types'
import type { Monitor } from '../api/port.ts'
import type { PermissionName } from '../config/policy.ts'
import type { Scene, View } from '../view/view.ts'
import type { Person } from '../world/facts.ts'
import type { Pass } from '../world/journal.ts'
import type { Act, Alert } from '../world/types.ts'

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
  pastActs(fromMs: number, limit: number): Promise<readonly Act[]>
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
  | { readonly kind: 'form'; readonly view: SlackView }
  /** The card itself shows what happened: nothing more is said. */
  | { readonly kind: 'done' }

export const done: Reply = { kind: 'done' }

const offersMax = 5
const labelCharsMax = 75

/** A sentence with what to do instead: nothing was changed. In a form it stands at `field`, else at the first one. */
export class Refusal extends Error {
  readonly offers: readonly Offer[]
  readonly field: string | null

  constructor(text: string, offers: readonly Offer[], field: string | null) {
    super(text)
    this.offers = offers
    this.field = field
  }
}

/** `offers`: commands, which are their own labels where none is given. */
export function refuse(
  text: string,
  offers: readonly (string | Offer)[] = [],
  field: string | null = null,
): never {
  const all = offers.map((one) => (typeof one === 'string' ? { label: one, command: one } : one))
  const each = new Map(all.map(({ label, command }) => [command, label.slice(0, labelCharsMax)]))
  const few = [...each].slice(0, offersMax).map(([command, label]) => ({ label, command }))
  throw new Refusal(text, few, field)
}

/** The button was pressed on what is no longer so: what is now stands on the card, which is edited. */
export const changed = 'This changed meanwhile. Look at the card again.'
export const tooOld = 'This message is too old to act on.'

/** A press: `value` is what the button carries, as `readValue` reads it. `post` is the post on which it was pressed, if one is known. */
export type Press = {
  readonly actionId: string
  readonly value: string
  readonly option: string | null
  readonly post: string | null
}

export type Form = {
  readonly callbackId: string
  readonly metadata: string
  /** By action id: text, chosen values, ids of people. */
  readonly values: ReadonlyMap<string, readonly string[]>
}

export function pressedOnly(
  permission: PermissionName | null,
  presses: NonNullable<Action['presses']>,
): Action {
  return { names: [], usage: '', example: '', does: '', permission, presses }
}

export type Action = {
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

/** What reaches the router, which knows nothing of Bolt. A command's text stands behind `/mon` or the mention, as it was typed. */
export type Asked =
  | { readonly kind: 'command'; readonly text: string }
  | { readonly kind: 'press'; readonly press: Press }
  | { readonly kind: 'form'; readonly form: Form }

export type RequestIn = {
  readonly ask: Ask
  readonly asked: Asked
  /** Sends an answer that only the asker sees, where they asked; what Slack says to it is not told. */
  answer(pass: Pass, view: View): Promise<void>
  /** Opens a form at once: a trigger lives for three seconds. Null: it could not, in words. */
  open(view: SlackView): Promise<string | null>
}

/** What the adapter does with a form that was sent: closes it, or shows its problems, by block id. */
export type Outcome = { readonly problems: Readonly<Record<string, string>> | null }
