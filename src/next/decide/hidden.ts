/** Which mutes hide an alert, and who hears of it. */
import { globMatcher } from '../glob.ts'
import type { Alert, Mute, MutedBy } from '../world/types.ts'
import type { World } from '../world/world.ts'
import { troubleOf } from './trouble.ts'

export function isInForce(mute: Mute, nowMs: number): boolean {
  return mute.ended === null && mute.isSkipped !== true && mute.fromMs <= nowMs
}

/** Not begun yet: planned. */
export function isPlanned(mute: Mute, nowMs: number): boolean {
  return mute.ended === null && mute.fromMs > nowMs
}

/** Does the mute mean this alert, whether or not it is in force? */
export function isMeantBy(mute: Mute, alert: Alert): boolean {
  if (mute.subject === 'account') return true
  if (mute.subject.startsWith('server:')) return mute.subject === `server:${alert.host}`
  if (mute.subject.startsWith('alert:')) return mute.subject === `alert:${troubleOf(alert)}`
  const matchers = mute.matchers ?? []
  return (
    matchers.length > 0 &&
    matchers.every(({ label, glob }) => {
      const value = Object.hasOwn(alert.details.labels, label) ? alert.details.labels[label] : undefined
      return value !== undefined && globMatcher(glob)(value)
    })
  )
}

/** monbot's own mutes in force that hide an alert, the widest first: account, server, labels, alert. */
export function hidingMutes(world: World, alert: Alert, nowMs: number): Mute[] {
  const order = ['account', 'server', 'labels', 'alert']
  const rank = (mute: Mute) => order.indexOf(mute.subject.split(':', 1)[0] ?? '')
  return [...world.activeMutes.values()]
    .filter((mute) => isInForce(mute, nowMs) && isMeantBy(mute, alert) && !isRisenAbove(mute, alert))
    .sort((a, b) => rank(a) - rank(b))
}

/** Silences and inhibitions that others made in the monitoring. */
export function othersSilences(alert: Alert): readonly MutedBy[] {
  return alert.mutedBy.filter(({ ours }) => !ours)
}

/** Nobody is told of it: a mute of ours is in force, or the monitoring notifies nobody of it. */
export function isHidden(world: World, alert: Alert, nowMs: number): boolean {
  return othersSilences(alert).length > 0 || hidingMutes(world, alert, nowMs).length > 0
}

/** A mute of one alert that was a warning does not hide it once it is critical. */
function isRisenAbove(mute: Mute, alert: Alert): boolean {
  return mute.severity !== undefined && mute.severity !== 'critical' && alert.severity === 'critical'
}
