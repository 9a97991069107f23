/** Who may do what, by the policy: at the command, at the button, and at the confirmation. */
import type { PermissionName } from '../config/policy.ts'
import type { Context, Reply } from './act.ts'
import { record } from './told.ts'

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

/** Null: they may. A refusal is written down: the audit lists it. `what`: as a command says it. */
export async function refusedTo(
  permission: PermissionName,
  what: string,
  context: Context,
): Promise<Reply | null> {
  const text = await mayDo(permission, context)
  if (text === null) return null
  const subject = `${what} (${permission})`
  record(context.scene(), context.ask, { kind: 'refused', subject, outcome: 'refused' })
  return { kind: 'refuse', text }
}
