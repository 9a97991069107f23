/**
 * When mutes begin and end. They end at their time, or once what they hide has been fine for 15 minutes; a clock that jumped ends none for a
 * minute. Of those that come again the next window is planned in the stretch in which one ended, and the policy's maintenance becomes
 * such mutes. Days and times are of the plan's zone, so a window may be an hour shorter or longer twice a year.
 */
import { isGlob } from '../../shared/glob.ts'
import { day, minute, momentOf, wallOf } from '../clock.ts'
import type { Policy } from '../config/policy.ts'
import type { Scene } from '../view/view.ts'
import type { Every, Mute } from '../world/types.ts'
import { isInForce, isMeantBy, isPlanned, switchOf } from './hidden.ts'
import { isGlobMatch } from './matching.ts'
import { isLeftOut, messageOf } from './standing.ts'
import { note, want } from './want.ts'

export type Window = { readonly fromMs: number; readonly untilMs: number }
type Maintenance = Policy['maintenance'][number]

/** After these ends of a window no other one comes. */
const lastEnds = ['cancelled', 'gone', 'restore']
const daysAhead = 15

/** The first window that begins after `afterMs`; null where no day is named. */
export function nextWindow({ days, atMinutes, lengthMs, zone }: Every, afterMs: number): Window | null {
  const today = Math.floor(wallOf(afterMs, zone) / day) * day
  for (let at = -1; at < daysAhead; at += 1) {
    const date = today + at * day
    if (!days.includes(new Date(date).getUTCDay())) continue
    const wallMs = date + atMinutes * minute
    const fromMs = momentOf(wallMs, zone)
    if (fromMs <= afterMs) continue
    const untilMs = momentOf(wallMs + lengthMs, zone)
    // One that the leap of the clock swallows whole follows it, in its length.
    return { fromMs, untilMs: untilMs > fromMs ? untilMs : fromMs + lengthMs }
  }
  return null
}

/** `sinceMs`: the look before this one. */
export function keepWindows(scene: Scene, sinceMs: number): void {
  const { world } = scene
  const planned = [...world.mutes.values()].filter(({ policyEntry }) => policyEntry === undefined)
  for (const [plan, windows] of Map.groupBy(planned, (mute) => mute.plan))
    if (plan !== undefined) world.apart(`plan ${plan}`, () => keepPlan(scene, plan, windows))
  for (const mute of world.activeMutes.values())
    world.apart(`mute ${mute.id}`, () => begin(scene, mute, sinceMs))
}

export function keepMaintenance(scene: Scene): void {
  for (const entry of scene.policy.maintenance)
    scene.world.apart(`maintenance ${entry.id}`, () => keepEntry(scene, entry))
}

function keepPlan(scene: Scene, plan: string, windows: readonly Mute[]): void {
  const { world, nowMs } = scene
  const over = [...lastOf(windows).values()].filter(
    ({ every, ended }) => every !== undefined && ended !== null && !lastEnds.includes(ended.by),
  )
  for (const [lastMs, some] of Map.groupBy(over, ({ fromMs }) => fromMs)) {
    const { every, act: id = '' } = some[0] ?? {}
    const next = every === undefined ? null : windowAfter(every, lastMs, nowMs)
    if (next === null) continue
    const mutes = some.map((last) => ({
      ...fresh(last),
      ...next,
      id: `window:${plan}:${last.subject}:${next.fromMs}`,
      maxUntilMs: maxUntilOf(scene, last.subject, next),
    }))
    for (const mute of mutes) world.put('mutes', mute)
    const act = world.acts.get(id)
    if (act === undefined) continue
    const before = (act.data.mutes ?? []).filter((one) => world.activeMutes.has(one))
    const all = [...new Set([...before, ...mutes.map((mute) => mute.id)])]
    world.patch('acts', id, { data: { ...act.data, mutes: all } })
  }
}

/** By subject the window that begins last. */
function lastOf(windows: readonly Mute[]): Map<string, Mute> {
  const last = new Map<string, Mute>()
  for (const mute of windows)
    if (mute.fromMs > (last.get(mute.subject)?.fromMs ?? Number.NEGATIVE_INFINITY))
      last.set(mute.subject, mute)
  return last
}

/** What was missed meanwhile is left out. */
function windowAfter(every: Every, lastMs: number, nowMs: number): Window | null {
  let next = nextWindow(every, lastMs)
  while (next !== null && next.untilMs <= nowMs) next = nextWindow(every, next.fromMs)
  return next
}

/** The mute of the window before, as it was planned. */
function fresh({ replaced: _, isSkipped: _skipped, extendedBy: _extended, ...mute }: Mute): Mute {
  return { ...mute, fineMs: null, ended: null, isConfirmed: false }
}

/** A server is muted in the window that runs, or in the next one, unless a window of the entry was there for it. */
function keepEntry(scene: Scene, entry: Maintenance): void {
  const { world, nowMs } = scene
  // What was canceled as its entry was gone for a while is planned again.
  const ofEntry = ({ policyEntry, ended }: Mute) => policyEntry === entry.id && ended?.by !== 'cancelled'
  const last = lastOf([...world.mutes.values()].filter(ofEntry))
  const free = subjectsOf(scene, entry.mute).filter((subject) => last.get(subject)?.ended !== null)
  for (const [lastMs, subjects] of Map.groupBy(free, (subject) => last.get(subject)?.fromMs)) {
    const next = windowOf(entry, nowMs, lastMs)
    if (next !== null) plan(scene, entry, next, subjects)
  }
}

function windowOf({ every, fromMs, untilMs }: Maintenance, nowMs: number, lastMs?: number): Window | null {
  if (every !== null) return windowAfter(every, lastMs ?? nowMs - 2 * Math.max(every.lengthMs, day), nowMs)
  if (fromMs === null || untilMs === null || untilMs <= nowMs || lastMs === fromMs) return null
  return { fromMs, untilMs }
}

/** Patterns mean the servers that are known by now. */
function subjectsOf({ world }: Scene, names: readonly string[]): string[] {
  const patterns = names.filter(isGlob)
  const ofRoles = Object.values(world.fact('roles')?.servers ?? {}).flat()
  const ofAlerts = [...world.alerts.values()].map(({ host }) => host)
  const hosts = [...new Set([...ofRoles, ...ofAlerts])]
  const known = hosts.filter((host) => patterns.some((glob) => isGlobMatch(glob, host)))
  const plain = names.filter((name) => !isGlob(name))
  return [...new Set([...plain, ...known])].map((name) => (name === 'account' ? name : `server:${name}`))
}

/** How long a mute may last by the policy. */
export function longestMs({ limits }: Policy, subject: string): number {
  return subject === 'account' ? limits.accountMuteMaxMs : limits.muteMaxMs
}

/** A window may be extended as any mute, and lasts in any case as long as it was planned. */
function maxUntilOf({ policy }: Scene, subject: string, { fromMs, untilMs }: Window): number {
  return Math.max(untilMs, fromMs + longestMs(policy, subject))
}

function muteOf(scene: Scene, entry: Maintenance, subject: string, next: Window, act: string): Mute {
  const id = `window:${entry.id}:${subject}:${next.fromMs}`
  const name = subject === 'account' ? 'everything' : subject.slice('server:'.length)
  return {
    ...{ id, subject, name, act, by: 'policy', reason: entry.reason },
    ...{ ...next, maxUntilMs: maxUntilOf(scene, subject, next) },
    ...{ untilFine: false, fineMs: null, ended: null, isConfirmed: false },
    ...{ plan: entry.id, policyEntry: entry.id, ...(entry.every !== null && { every: entry.every }) },
  }
}

function plan(scene: Scene, entry: Maintenance, next: Window, subjects: readonly string[]): void {
  const { world, nowMs } = scene
  const id = `maintenance:${entry.id}:${next.fromMs}`
  for (const subject of subjects) world.put('mutes', muteOf(scene, entry, subject, next, id))
  const all = [...world.mutes.values()].filter(({ act }) => act === id)
  const subject = all.map(({ name }) => name).join(', ')
  const data = { mutes: all.map((mute) => mute.id), untilMs: next.untilMs, text: entry.reason }
  const fresh = { id, atMs: nowMs, by: 'policy', kind: 'plan', outcome: 'asked' } as const
  world.put('acts', { ...fresh, ...world.acts.get(id), subject: subject.slice(0, 300), data })
}

/** At the moment a window begins, cards change though no record did; what the policy planned is told then. */
function begin({ world, policy, nowMs, defaultChannel }: Scene, mute: Mute, sinceMs: number): void {
  const { id, act, fromMs, policyEntry } = mute
  if (isInForce(mute, nowMs) && fromMs > sinceMs) world.touchMute(mute)
  if (policyEntry === undefined) return
  const isLeft = !policy.maintenance.some((entry) => entry.id === policyEntry)
  if (isPlanned(mute, nowMs) && isLeft) world.patch('mutes', id, { ended: { atMs: nowMs, by: 'cancelled' } })
  if (!isInForce(mute, nowMs)) return
  const said = `said:${act}:${defaultChannel}`
  want(world, nowMs, { id: said, kind: 'said', channel: defaultChannel, data: { act } })
}

const fineForMs = 15 * minute

export function endMutes(scene: Scene): void {
  const { world, nowMs } = scene
  for (const mute of world.activeMutes.values())
    world.apart(`mute ${mute.id}`, () => {
      if (mute.untilFine && isInForce(mute, nowMs) && isFine(scene, mute)) end(scene, mute, 'fine')
      else if (nowMs >= (mute.untilMs ?? mute.maxUntilMs)) end(scene, mute, 'time')
    })
}

function end(scene: Scene, mute: Mute, by: 'time' | 'fine'): void {
  const { world, nowMs, defaultChannel } = scene
  world.patch('mutes', mute.id, { ended: { atMs: nowMs, by } })
  if (mute.isSkipped === true) return
  const wasMissed = switchOf(mute, scene) !== null && !mute.isConfirmed && mute.plan !== undefined
  const act = `${mute.id}:ended`
  note(scene, {
    id: act,
    kind: 'mute_ended',
    subject: mute.name,
    ...(mute.subject.startsWith('server:') && { host: mute.subject.slice('server:'.length) }),
    outcome: wasMissed ? 'failed' : 'done',
    data: { mutes: [mute.id], ...(wasMissed && { why: 'the monitoring never heard of it' }) },
  })
  // The message of a plan goes on to its next window, so one that never came is told by itself.
  if (!wasMissed || mute.every === undefined) return
  const channel = messageOf(world, mute.act)?.channel ?? defaultChannel
  want(world, nowMs, { id: `said:${act}:${channel}`, kind: 'said', channel, data: { act } })
}

/** That is what good polls say: from the first one without an open alert that it means, to one that comes 15 minutes later. */
function isFine(scene: Scene, mute: Mute): boolean {
  const { world } = scene
  const polledMs = world.fact('polled')?.atMs
  const isFailing = (world.fact('failing') ?? null) !== null
  if (polledMs === undefined || polledMs < mute.fromMs) return false
  const isIll = [...world.open.values()].some((alert) => isMeantBy(mute, alert) && !isLeftOut(scene, alert))
  const fineMs = isIll ? null : (mute.fineMs ?? (isFailing ? null : polledMs))
  if (fineMs !== mute.fineMs) world.patch('mutes', mute.id, { fineMs })
  return fineMs !== null && polledMs - fineMs >= fineForMs
}
