/**
 * Which mutes hide an alert, and who hears of it. Thousands of alerts are asked of hundreds of mutes each second, so what a mute means is
 * looked up by its subject, and remembered for each alert until a mute changes.
 */
import type { Scene } from '../view/view.ts'
import type { Alert, Mute, MutedBy } from '../world/types.ts'
import type { World } from '../world/world.ts'
import { isGlobMatch, troubleOf } from './matching.ts'

type Index = {
  readonly version: number
  readonly bySubject: ReadonlyMap<string, readonly Mute[]>
  readonly ofLabels: readonly Mute[]
  /** Those of labels by what they mean: labels stay the same object while an alert changes otherwise. */
  readonly meant: WeakMap<object, readonly Mute[]>
}
const indexes = new WeakMap<World, Index>()
const none: readonly Mute[] = []

export function isInForce(mute: Mute, nowMs: number): boolean {
  return mute.ended === null && mute.isSkipped !== true && mute.fromMs <= nowMs
}

/** It has not begun; or it is skipped, and so never does. */
export function isPlanned(mute: Mute, nowMs: number): boolean {
  return mute.ended === null && !isInForce(mute, nowMs)
}

/** The switch of the monitoring that a mute wants to be off; null where only Slack is silent. */
export function switchOf({ id, subject }: Mute, { canMuteAlerts }: Scene): string | null {
  if (subject === 'account' || subject.startsWith('server:')) return subject
  return canMuteAlerts ? `alertmanager:${id}` : null
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
      return value !== undefined && isGlobMatch(glob, value)
    })
  )
}

/** monbot's own mutes in force that hide an alert, the widest first: account, server, labels, alert. */
export function hidingMutes(world: World, alert: Alert, nowMs: number): Mute[] {
  if (world.activeMutes.size === 0) return []
  return mutesMeaning(world, alert).filter((mute) => isInForce(mute, nowMs) && !isRisenAbove(mute, alert))
}

/** Silences and inhibitions that others made in the monitoring. */
export function othersSilences(alert: Alert): readonly MutedBy[] {
  return alert.mutedBy.filter(({ ours }) => !ours)
}

/** Nobody is told of it: a mute of ours is in force, or the monitoring notifies nobody of it. */
export function isHidden(world: World, alert: Alert, nowMs: number): boolean {
  if (alert.mutedBy.length > 0 && othersSilences(alert).length > 0) return true
  return hidingMutes(world, alert, nowMs).length > 0
}

/** Active mutes that mean an alert, planned ones too, the widest first. */
function mutesMeaning(world: World, alert: Alert): readonly Mute[] {
  const { bySubject, ofLabels, meant } = indexOf(world)
  const { labels } = alert.details
  const byLabels = meant.get(labels) ?? ofLabels.filter((mute) => isMeantBy(mute, alert))
  meant.set(labels, byLabels)
  return [
    ...(bySubject.get('account') ?? none),
    ...(bySubject.get(`server:${alert.host}`) ?? none),
    ...byLabels,
    ...(bySubject.get(`alert:${troubleOf(alert)}`) ?? none),
  ]
}

function indexOf(world: World): Index {
  const known = indexes.get(world)
  if (known?.version === world.mutesVersion) return known
  const active = [...world.activeMutes.values()]
  const index = {
    version: world.mutesVersion,
    bySubject: Map.groupBy(active, ({ subject }) => subject),
    ofLabels: active.filter(({ subject }) => subject.startsWith('labels:')),
    meant: new WeakMap<object, readonly Mute[]>(),
  }
  indexes.set(world, index)
  return index
}

/** A mute of one alert that was a warning does not hide it once it is critical. */
function isRisenAbove(mute: Mute, alert: Alert): boolean {
  return mute.severity !== undefined && mute.severity !== 'critical' && alert.severity === 'critical'
}
