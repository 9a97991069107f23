/** Every change that people ask for: an action has an entry here, its words in `slack/render/actions`, its module in `flow/actions`. */
import type { Mute } from '../mute/mute.ts'
import type { ActionsOf, AskedDetail, Target } from './action.ts'
import { type AlertChange, alertActions } from './alert-actions.ts'
import type { GuardedAct } from './authorise.ts'
import { type MuteChange, muteActions } from './mute-actions.ts'
import { type PlannedChange, plannedActions } from './planned-actions.ts'
import { type ServiceChange, serviceActions } from './service-actions.ts'

/** Every change is authorised, audited and announced to everyone. */
export type Change = AlertChange | MuteChange | PlannedChange | ServiceChange
export type ChangeKind = Change['kind']
export type ChangeOf<Kind extends ChangeKind> = Extract<Change, { kind: Kind }>

export const actions: ActionsOf<Change> = {
  ...muteActions,
  ...plannedActions,
  ...alertActions,
  ...serviceActions,
}

export function isChange(intent: { readonly kind: string }): intent is Change {
  return Object.hasOwn(actions, intent.kind)
}

/** Which permission a change needs. Changing a mute needs the same as making it: for the account, or for a server. */
export function guardOf(kind: ChangeKind, changed: Pick<Mute, 'subject'> | null = null): GuardedAct {
  return changed?.subject === null ? 'mute_account' : actions[kind].guard
}

/** What a change is about, and what the audit keeps of it. */
export function aboutOf<Kind extends ChangeKind>(
  kind: Kind,
  change: ChangeOf<Kind>,
): { readonly target: Target; readonly detail: AskedDetail } {
  const action = actions[kind]
  return { target: action.target(change), detail: action.detail?.(change) ?? {} }
}

/** The change with `rename` applied to its servers' names; names that must be exact stay as they are. */
export function renamed<Kind extends ChangeKind>(
  kind: Kind,
  change: ChangeOf<Kind>,
  rename: (name: string) => string,
): Change {
  return actions[kind].renamed?.(change, rename) ?? change
}
