/** Which alerts a pressed button means. What changed since it was shown is not acted on. */
import { kindOf } from '../decide/trouble.ts'
import { alertOf, alertsOn } from '../view/alert.ts'
import type { Scene } from '../view/scene.ts'
import { readValue, seenOf } from '../view/values.ts'
import type { Alert } from '../world/types.ts'
import { type Context, changed, type Press, refuse, tooOld } from './action.ts'

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
