/** Who may do what, by the policy: at the command, at the button, and at the confirmation. */
import type { PermissionName } from '../config/policy.ts'
import { type Context, refuse } from './action.ts'
import { record } from './tell.ts'

/** Null: they may; else why not. Slack's silence about a group refuses, and says so. */
async function mayDo(permission: PermissionName, { ask, scene, reads }: Context): Promise<string | null> {
  const { policy, canMuteAlerts } = scene()
  const allowed = policy.permissions[permission]
  // In front of an Alertmanager it silences everybody's mail and pagers: somebody must have decided who may.
  if (permission === 'mute_account' && policy.isAccountMuteUnset && canMuteAlerts)
    return 'Nobody may do this until `mute_account` in the policy file says who.'
  if (allowed === 'everyone') return null
  if (allowed === 'nobody') return `Nobody may do this (\`${permission}\` in the policy file).`
  if (allowed.includes(ask.person.id)) return null
  for (const id of allowed.filter((one) => one.startsWith('S'))) {
    const isIn = await reads.isInGroup(ask.person.id, id)
    if (isIn === null) return "Couldn't check your permission: Slack didn't answer."
    if (isIn) return null
  }
  return `You may not do this (\`${permission}\` in the policy file).`
}

/** Throws where they may not, and writes it down: the audit lists it. `what`: as a command says it. */
export async function demand(permission: PermissionName, what: string, context: Context): Promise<void> {
  const why = await mayDo(permission, context)
  if (why === null) return
  record(context, { kind: 'refused', subject: `${what} (${permission})`, outcome: 'refused' })
  refuse(why)
}
