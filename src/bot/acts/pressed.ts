/**
 * Which alerts a pressed button means: what changed since it was shown is not acted on. And who may do what, by the policy: at the command,
 * at the button, and at the confirmation.
 */
import type { PermissionName } from '../config/policy.ts'
import { kindOf } from '../decide/matching.ts'
import { alertOf, alertsOn } from '../view/alert.ts'
import { readValue, seenOf } from '../view/blocks.ts'
import type { Scene } from '../view/view.ts'
import type { Alert } from '../world/types.ts'
import { type Context, changed, type Press, refuse, tooOld } from './action.ts'
import { record } from './tell.ts'

export function isChanged({ world, nowMs }: Scene, alert: Alert, seen: string | undefined): boolean {
  return seen !== undefined && seen !== seenOf([alert], world, nowMs)
}

/** The open alert of a button, or of the card that it stands on. */
export function onePressed(press: Press, { scene }: Context): Alert {
  const value = readValue(press.option ?? press.value)
  const now = scene()
  const card = now.world.posts.get(press.post ?? '')
  const alert =
    now.world.alerts.get(value?.alert ?? '') ?? (card === undefined ? null : alertOf(card, now.world))
  if (alert === null) return refuse(tooOld)
  return isChanged(now, alert, value?.seen) || alert.closedMs !== null ? refuse(changed) : alert
}

/** Of the alerts that the message of a button showed, those that are still open. What came since was not meant. */
export function onPost({ post, value }: Pick<Press, 'post' | 'value'>, { world }: Scene): Alert[] {
  const { post: named, seen, kind } = readValue(value) ?? {}
  const on = world.posts.get(named ?? post ?? '')
  const shows = on?.shows.slice(0, seen === undefined ? undefined : Number(seen)) ?? []
  const open = alertsOn(on && { ...on, shows }, world).filter(({ id }) => world.open.has(id))
  return open.filter((alert) => kind === undefined || kindOf(alert) === kind)
}

/** Null: they may; else why not. Slack's silence about a group refuses, and says so. */
export async function mayDo(
  permission: PermissionName,
  { ask, scene, reads }: Context,
): Promise<string | null> {
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
