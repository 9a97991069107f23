/** Who may do what: the permissions of the policy, and the verdict on one request. */

/** Who may do something: everyone, nobody, or these users (`U…`, `W…`) and user groups (`S…`). */
export type Audience = 'everyone' | 'nobody' | readonly string[]

/** Actions that the policy may restrict. */
export type GuardedAct =
  | 'acknowledge'
  | 'add_note'
  | 'mute_server'
  | 'mute_account'
  | 'add_roles'
  | 'add_marker'
  | 'set_no_data'
  | 'delete_server'
  | 'delete_metric'

export type Permissions = Readonly<Record<GuardedAct, Audience>>

export type Verdict =
  | { readonly allowed: true }
  | { readonly allowed: false; readonly audience: 'nobody' | readonly string[] }

/** `groups`: those of the audience's user groups that the person is in. */
export function authorise(userId: string, groups: ReadonlySet<string>, audience: Audience): Verdict {
  if (audience === 'everyone') return { allowed: true }
  if (audience === 'nobody') return { allowed: false, audience }
  const isIn = audience.some((member) => member === userId || groups.has(member))
  return isIn ? { allowed: true } : { allowed: false, audience }
}

/** The user groups of an audience: their members must be looked up first. */
export function groupsOf(audience: Audience): readonly string[] {
  return typeof audience === 'string' ? [] : audience.filter((member) => member.startsWith('S'))
}
