/**
 * The sentences about mutes, for the message that told one, for the answer to whoever made it, and for cards and lists. A message's
 * counts are those of the moment that it tells of, so that it is edited when the mute changes and not because time passes.
 */
import type { KnownBlock } from '@slack/types'
import { day, minute } from '../clock.ts'
import { isInForce, isMeantBy, isPlanned, switchOf } from '../decide/hidden.ts'
import { isLeftOut } from '../decide/standing.ts'
import type { Act, Alert, Every, Mute } from '../world/types.ts'
import type { World } from '../world/world.ts'
import { actions, type ButtonValue, button, type Element, section } from './blocks.ts'
import type { Scene } from './view.ts'
import { because, count, cut, date, escaped, joined, listed, number, person } from './words.ts'

const fineFor = "it's been fine for 15 min"
const recentMs = 7 * day
/** After so many tries without a clear answer it is told. */
const triesTold = 3
const rowCharsMax = 600

/** All mutes of one command, in the order they were made: one a server, and the windows of a plan. */
export function mutesOfAct(act: Act, world: World): Mute[] {
  const named = new Set(act.data.mutes)
  const mutes = [...world.mutes.values()].filter((mute) => named.has(mute.id) || mute.act === act.id)
  const newest = new Map<string, Mute>()
  for (const mute of mutes.sort((a, b) => a.fromMs - b.fromMs)) {
    const key = mute.plan === undefined ? mute.id : `${mute.plan} ${mute.subject}`
    const before = newest.get(key)
    // Of a plan's windows the running or next one tells; what is over only if nothing comes after it.
    if (before === undefined || before.ended !== null || before.isSkipped === true) newest.set(key, mute)
  }
  return [...newest.values()]
}

/** `🔕 @ana muted *web-2* until … — deploying`, of mutes that one person made at once; `thing` replaces the names. */
export function muteSentence(mutes: readonly Mute[], scene: Scene, thing = namesOf(mutes)): string {
  const [first] = mutes
  if (first === undefined) return ''
  const who = capital(person(first.by))
  const isCanceled = first.ended?.by === 'cancelled'
  if (!isPlanned(first, scene.nowMs) && !isCanceled)
    return `🔕 ${who} muted ${thing} ${untilWords(first)}${because(first.reason)}`
  const when = first.every === undefined ? windowWords(first) : everyWords(first.every)
  const next = `${first.isSkipped === true ? 'skipped' : 'next'} ${windowWords(first)}`
  const state = isCanceled ? '; canceled' : first.every === undefined ? '' : `; ${next}`
  return `🗓️ ${who} planned to mute ${thing} ${when}${because(first.reason)}${state}`
}

/** Everything that is to be said about these mutes now, the running ones first. */
export function muteLines(mutes: readonly Mute[], scene: Scene): string[] {
  const { nowMs } = scene
  const running = mutes.filter((mute) => isInForce(mute, nowMs))
  const planned = mutes.filter((mute) => isPlanned(mute, nowMs))
  const over = mutes.filter((mute) => mute.ended !== null)
  return [
    ...grouped(running, untilWords).flatMap((group) => [
      `${muteSentence(group, scene)}${extendedWords(group)}`,
      hidesWords(group, scene),
    ]),
    ...grouped(planned, windowWords).map((group) => muteSentence(group, scene)),
    ...unsureWords(running, scene),
    ...grouped(over, (mute) => `${endKey(mute)} ${needsWords(mute, scene)}`).flatMap((group) =>
      endedLines(group, scene),
    ),
  ]
}

function unsureWords(running: readonly Mute[], scene: Scene): string[] {
  const unsure = running.filter((mute) => !mute.isConfirmed && switchOf(mute, scene) !== null)
  return unsure.length === 0 ? [] : [`The monitoring hasn't confirmed the mute of ${namesOf(unsure)} yet`]
}

/** *Undo* is *Unmute*: it stands on the message and in the answer. */
export function muteButtons(mutes: readonly Mute[], scene: Scene): (Element | null)[] {
  const running = mutes.filter((mute) => isInForce(mute, scene.nowMs))
  const planned = mutes.filter((mute) => isPlanned(mute, scene.nowMs))
  const value = (some: readonly Mute[]) => ({ act: mutes[0]?.act ?? '', mutes: some.map(({ id }) => id) })
  const canSkip = planned.length > 0 && planned.every(({ every, isSkipped }) => every && !isSkipped)
  // Of one that runs, the next windows.
  const ahead = [...planned, ...running.filter(({ every }) => every !== undefined)]
  const canCancel = ahead.length > 0 && ahead.every(({ policyEntry }) => policyEntry === undefined)
  return [
    running.length === 0 ? null : button({ id: 'unmute', label: 'Unmute', value: value(running) }),
    extendButton(running, value(running)),
    canSkip ? button({ id: 'skip', label: 'Skip once', value: value(planned) }) : null,
    canCancel ? button({ id: 'cancel_plan', label: 'Cancel the plan', value: value(ahead) }) : null,
  ]
}

/** It carries the end that it showed: two who press at once extend it once. */
export function extendButton(mutes: readonly Mute[], value: ButtonValue): Element | null {
  const untilMs = lastEndMs(mutes)
  return untilMs === null ? null : button({ id: 'extend', label: 'Extend 1 h', value: { ...value, untilMs } })
}

/** Of those that end by time; null where none does. */
export function lastEndMs(mutes: readonly Mute[]): number | null {
  const ends = mutes.flatMap(({ untilMs }) => untilMs ?? [])
  return ends.length === 0 ? null : Math.max(...ends)
}

export function muteRow(group: readonly Mute[], at: number, scene: Scene): KnownBlock[] {
  const running = group.filter((mute) => isInForce(mute, scene.nowMs))
  return [
    section(cut([muteSentence(group, scene), ...unsureWords(running, scene)].join('\n'), rowCharsMax)),
    ...actions(`mute:${at}`, muteButtons(group, scene)),
  ]
}

/** `until 15:00`, `until it's been fine for 15 min`, `until someone unmutes it (at most until 15:00)`. */
export function untilWords({ untilMs, maxUntilMs, untilFine, plan, policyEntry }: Mute): string {
  if (untilFine) return `until ${fineFor}`
  if (untilMs === null) return `until someone unmutes it (at most until ${date(maxUntilMs)})`
  const isCut = untilMs >= maxUntilMs && plan === undefined && policyEntry === undefined
  return `until ${date(untilMs)}${isCut ? ' (maximum)' : ''}`
}

export function windowWords({ fromMs, untilMs }: Mute): string {
  return untilMs === null ? `from ${date(fromMs)}` : `${date(fromMs)} – ${date(untilMs)}`
}

const dayNames = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']

/** `every Tuesday 02:00–04:00 (Europe/Berlin)`. */
export function everyWords({ days, atMinutes, lengthMs, zone }: Every): string {
  const isEveryDay = new Set(days).size === 7
  const isWorkdays = days.length === 5 && !days.includes(0) && !days.includes(6)
  const names = days.map((one) => dayNames[one] ?? '').filter((name) => name !== '')
  const which = isEveryDay ? 'day' : isWorkdays ? 'weekday' : joined(names)
  const end = atMinutes + Math.round(lengthMs / 60_000)
  return `every ${which} ${clockWords(atMinutes)}–${clockWords(end)} (${escaped(zone, 40)})`
}

function clockWords(minutes: number): string {
  const two = (n: number) => String(n).padStart(2, '0')
  return `${two(Math.floor(minutes / 60) % 24)}:${two(minutes % 60)}`
}

export function namesOf(mutes: readonly Mute[]): string {
  if (mutes.some(({ subject }) => subject === 'account')) return '*everything*'
  const names = new Set(mutes.map(({ name }) => escaped(name, 120)))
  if (names.size <= 6) return `*${listed([...names], 6)}*`
  return `*${count(names.size, 'server')}* (${listed([...names], 6)})`
}

/** What a mute hid when it began, and what else it makes silent. Of what is planned nobody knows what will be open then. */
export function hidesWords(mutes: readonly Mute[], scene: Scene): string {
  const atMs = Math.min(...mutes.map(({ fromMs }) => fromMs))
  const untilMs = Math.min(atMs, scene.nowMs)
  const meant = alertsMeantBy(mutes, scene)
  const came = meant.filter(({ startedMs }) => startedMs > untilMs - recentMs && startedMs <= untilMs).length
  const reach = reachWords(mutes, scene)
  if (atMs > scene.nowMs)
    return `${came === 0 ? 'No alerts' : count(came, 'alert')} came in the last 7 days. ${reach}`
  const open = meant.filter((alert) => isOpenAt(alert, atMs)).length
  const recent = came === 0 ? '' : `; ${number(came)} came in the last 7 days`
  return `Hides ${open === 0 ? 'no open alerts' : count(open, 'open alert')}${recent}. ${reach}`
}

/** Who else hears nothing: the plain API mutes servers for everybody, and single alerts for nobody. */
function reachWords(mutes: readonly Mute[], scene: Scene): string {
  return mutes.every((mute) => switchOf(mute, scene) === null)
    ? 'In Slack only: the monitoring still notifies others'
    : "This goes for the monitoring's own mail and pager too"
}

/** What one command made and ended together: a few milliseconds make no difference. */
function endKey({ act, ended }: Mute): string {
  return `${act} ${Math.floor((ended?.atMs ?? 0) / minute)} ${ended?.by} ${ended?.why}`
}

function endedLines(group: readonly Mute[], scene: Scene): string[] {
  const [first] = group
  if (first?.ended == null) return []
  const { atMs, by, why } = first.ended
  const names = namesOf(group)
  const reason = why ? `: ${escaped(why)}` : ''
  if (by === 'refused') return [`⚠️ Couldn't mute ${names}${reason}. Alerts are shown again`]
  if (first.fromMs >= atMs)
    return [`🔔 ${names} won't be muted${by === 'cancelled' ? '' : ` (${endWords(by)})`}`]
  if (!first.isConfirmed && switchOf(first, scene) !== null && by !== 'replaced')
    return [`🔔 The mute of ${names} was never confirmed and has ended`]
  const came = alertsMeantBy(group, scene).filter(({ firstSeenMs: ms }) => ms > first.fromMs && ms <= atMs)
  const open = came.filter((alert) => isOpenAt(alert, atMs)).length
  const still = open === 0 ? '' : `; ${open} ${open === 1 ? 'was' : 'were'} still open`
  const was = `🔔 ${names} ${group.length > 1 ? 'were' : 'was'} muted ${date(first.fromMs)} – ${date(atMs)}`
  return [
    `${was} by ${person(first.by)}${because(first.reason)}${by === 'time' ? '' : ` (${endWords(by)}${reason})`}`,
    `${came.length === 0 ? 'No alerts' : count(came.length, 'alert')} came${still}`,
    ...needsWords(first, scene),
  ]
}

function endWords(by: string): string {
  if (by === 'time') return 'its time was up'
  if (by === 'fine') return fineFor
  if (by === 'gone') return 'the monitoring no longer knows it'
  if (by === 'elsewhere') return 'it was ended at the Alertmanager'
  if (by === 'replaced') return 'a newer mute replaced it'
  if (by === 'restore') return 'a backup was restored'
  if (by === 'cancelled') return 'the plan was canceled'
  return `${person(by)} unmuted it`
}

/** That the monitoring does not let it end is told, for as long as it lasts. */
function needsWords(mute: Mute, scene: Scene): string[] {
  const id = switchOf(mute, scene)
  const at = id === null ? undefined : scene.world.switches.get(id)
  const isMuted = [...scene.world.activeMutes.values()].some(
    (other) => other.subject === mute.subject && isInForce(other, scene.nowMs),
  )
  if (at === undefined || at.told === 'on' || at.tries < triesTold || isMuted) return []
  return [`⚠️ Couldn't confirm ${namesOf([mute])} is unmuted. Retrying`]
}

function extendedWords([mute]: readonly Mute[]): string {
  return mute?.extendedBy === undefined ? '' : ` (extended by ${person(mute.extendedBy)})`
}

export function alertsMeantBy(mutes: readonly Mute[], scene: Scene): Alert[] {
  const servers = new Set(
    mutes.map(({ subject }) => subject).filter((subject) => subject.startsWith('server:')),
  )
  const others = mutes.filter(({ subject }) => !subject.startsWith('server:'))
  return [...scene.world.alerts.values()].filter(
    (alert) =>
      !alert.isOneoff &&
      (servers.has(`server:${alert.host}`) || others.some((mute) => isMeantBy(mute, alert))) &&
      !isLeftOut(scene, alert),
  )
}

/** As far as was known then. */
function isOpenAt({ firstSeenMs, closedMs }: Alert, atMs: number): boolean {
  return firstSeenMs <= atMs && (closedMs === null || closedMs > atMs)
}

function grouped(mutes: readonly Mute[], keyOf: (mute: Mute) => string): Mute[][] {
  return [...Map.groupBy(mutes, keyOf).values()]
}

/** Those of one command are one row, the earliest first. */
export function muteGroups({ world }: Scene, isMeant: (mute: Mute) => boolean): Mute[][] {
  const meant = [...world.activeMutes.values()].filter(isMeant).sort((a, b) => a.fromMs - b.fromMs)
  return [...Map.groupBy(meant, ({ act, fromMs, untilMs }) => `${act} ${fromMs} ${untilMs}`).values()]
}

function capital(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`
}
