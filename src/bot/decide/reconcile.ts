/**
 * Turns what two sweeps read into changes of alerts. Nothing closes on a doubt: only an end record, a number that is another alert now,
 * or two complete lists without it say that an alert is over (docs/api.md#ends).
 */
import type { ApiAlert, Sweep } from '../api/port.ts'
import { day, minute } from '../clock.ts'
import type { Policy } from '../config/policy.ts'
import type { Scene } from '../view/view.ts'
import type { Alert } from '../world/types.ts'
import { rolesOf, severityOf, withoutValue } from './matching.ts'
import { noteOf } from './want.ts'

/** `start` lists what is open; `head` was read after it: the newest records of all, and as far back as is needed for what is absent. */
export type Listing = { readonly start: Sweep; readonly head: Sweep & { readonly isWhole: boolean } }

/** The API shows what began within 30 days; after that absence says nothing. */
export const listedForMs = 29 * day
/** What is over and began earlier is past, never news. */
const newsForMs = 10 * day
/** The clock of the monitoring may be off by so much, and its records late. */
const lateMs = 10 * minute
/** Both ends of an alert were measured only where the poll before its end was so recent. */
const measuredWithinMs = 5 * minute
/** The world forgets after 14 days, and the disk does not: what is older and unknown gets an id that was never used. */
const knownForMs = 13 * day

/** Both lists are empty though something opened lately: the API fails, whatever it says. */
export function isImplausible({ world, nowMs }: Scene, { start, head }: Listing): boolean {
  if (start.alerts.length > 0 || head.alerts.length > 0) return false
  return [...world.alerts.values()].some((alert) => recordMs(alert) > nowMs - listedForMs)
}

export function reconcile(scene: Scene, listing: Listing): void {
  const { world, nowMs } = scene
  world.decide(() => {
    const reading = readingOf(scene, listing)
    for (const [key, record] of reading.listed) world.apart(`alert ${key}`, () => take(reading, record))
    for (const alert of [...world.open.values()]) {
      if (!reading.listed.has(alert.key)) world.apart(`alert ${alert.id}`, () => miss(reading, alert))
    }
    for (const record of [...listing.start.alerts, ...listing.head.alerts]) {
      if (reading.listed.has(record.key) || world.latest.has(record.key)) continue
      world.apart(`alert ${record.key}`, () => takePast(reading, record))
    }
    const unreadable = Math.max(listing.start.unreadable, listing.head.unreadable)
    world.setFact('polled', { atMs: nowMs, unreadable })
    const canMute = listing.start.alerts.some(({ details }) => details.canMute)
    if (canMute && world.fact('canMuteAlerts') !== true) world.setFact('canMuteAlerts', true)
  })
}

type Reading = ReturnType<typeof readingOf>

function readingOf(scene: Scene, { start, head }: Listing) {
  const { world, policy, nowMs } = scene
  const isPair = policy.lifecycle === 'pair'
  const all = [...start.alerts, ...head.alerts]
  const ends = new Map<string, number | null>()
  for (const end of head.alerts.filter(({ lifecycle }) => lifecycle === 'end')) {
    if (!isPair) ends.set(end.key, end.endedMs)
    else if (end.hasTime) ends.set(sideOf(end), Math.max(end.startedMs, ends.get(sideOf(end)) ?? 0))
  }
  /** How the monitoring says that it ended: by its own record (flip), or by a later end of its server and trigger (pair). */
  const endOf = (one: ApiAlert | Alert) => {
    const atMs = ends.get(isPair ? sideOf(one) : one.key)
    return atMs === undefined || (isPair && (atMs ?? 0) < one.startedMs) ? null : { atMs }
  }
  const listed = new Map<string, ApiAlert>()
  // In pairs a record says "start" for ever: only the list of what is open says that it is.
  for (const record of isPair ? start.alerts : all) {
    if (record.lifecycle === 'start' && endOf(record) === null) listed.set(record.key, record)
  }
  /** The keys of each number. */
  const numbers = new Map<string, Set<string>>()
  for (const { number, key } of all) numbers.set(number, (numbers.get(number) ?? new Set()).add(key))
  const polledMs = world.fact('polled')?.atMs
  const isStartComplete = start.doubt === null
  return {
    scene,
    isFirst: polledMs === undefined,
    polledMs: polledMs ?? nowMs,
    listed,
    endOf,
    numbers,
    isStartComplete,
    isComplete: isStartComplete && head.doubt === null && head.isWhole,
    isMeasured: polledMs !== undefined && nowMs - polledMs <= measuredWithinMs,
  }
}

/** A listed record: a known alert, or a new opening. */
function take(reading: Reading, record: ApiAlert): void {
  const { world, policy } = reading.scene
  const known = world.alerts.get(world.latest.get(record.key) ?? '')
  if (known !== undefined && known.closedMs === null) update(reading, known, record)
  // In pairs a record opens once, and may be listed on.
  else if (policy.lifecycle !== 'pair' || known?.closedBy !== 'end') open(reading, record)
}

/** What was taken last of an alert: where nothing differs, nothing is compared. */
type Taken = { readonly content: string; readonly policy: Policy; readonly roles: readonly string[] }
const taken = new WeakMap<Alert, Taken>()

function update({ scene }: Reading, alert: Alert, record: ApiAlert): void {
  const { world, policy, nowMs } = scene
  const roles = rolesOf(world, record.host)
  const last = taken.get(alert)
  const isSame = last?.content === record.content && last.policy === policy && last.roles === roles
  if (isSame && alert.missing === 0 && alert.unlistedMs === null) return
  const severity = severityOf(policy, { ...record, isOneoff: false }, roles)
  const said = saidOf(record)
  const isState = severity !== alert.severity || alert.missing > 0 || alert.unlistedMs !== null
  let after = alert
  // A value that moves edits no card by itself: it comes with the next change of state.
  if (isState || isOtherwise(alert, said)) {
    const hasRisen = severity === 'critical' && alert.severity !== 'critical'
    const criticalMs = severity === 'critical' ? (alert.criticalMs ?? null) : null
    after = world.patch('alerts', alert.id, { ...said, severity, criticalMs, missing: 0, unlistedMs: null })
    if (hasRisen) after = rise(scene, after, nowMs)
  }
  taken.set(after, { content: record.content, policy, roles })
}

/** It became critical: whoever slept through a warning is told, and a new round begins. */
function rise(scene: Scene, alert: Alert, nowMs: number): Alert {
  noteOf(scene, alert, { kind: 'critical' })
  return scene.world.patch('alerts', alert.id, {
    criticalMs: nowMs,
    isFirstPoll: false,
    rounds: alert.rounds + 1,
    round: null,
  })
}

/** `closedMs`: it was over before we saw it. */
function open(reading: Reading, record: ApiAlert, closedMs: number | null = null): void {
  const { scene, isFirst } = reading
  const { world, policy, nowMs } = scene
  const former = world.alerts.get(world.latest.get(record.key) ?? '')
  const isOneoff = record.lifecycle === 'oneoff'
  const isOver = isOneoff || closedMs !== null
  const alert: Alert = {
    ...saidOf(record),
    id: openingId(record, former, nowMs),
    key: record.key,
    number: record.number,
    isOneoff,
    severity: severityOf(policy, { ...record, isOneoff }, rolesOf(world, record.host)),
    startedMs: former === undefined ? record.startedMs : nowMs,
    firstSeenMs: nowMs,
    isFirstPoll: isFirst,
    missing: 0,
    unlistedMs: null,
    closedMs,
    closedAfterMs: closedMs !== null && record.endedMs !== null ? closedMs - record.startedMs : null,
    closedBy: closedMs === null ? null : 'end',
    holder: null,
    heldMs: null,
    round: null,
    rounds: 0,
    reopened: 0,
    reopenedFromMs: null,
    ...(isOver && { isUntold: !isFirst }),
  }
  world.put('alerts', alert)
  if (!isFirst) noteOf(scene, alert, { kind: former === undefined ? 'opened' : 'reopened' })
  if (!isFirst && closedMs !== null) noteOf(scene, alert, { kind: 'closed' })
}

function openingId({ key, startedMs }: ApiAlert, former: Alert | undefined, nowMs: number): string {
  if (former !== undefined) return `${key}#${Number(former.id.split('#')[1] ?? 1) + 1}`
  return startedMs < nowMs - knownForMs ? `${key}#${nowMs}` : key
}

/** A known alert that is not listed as open. */
function miss(reading: Reading, alert: Alert): void {
  const { isComplete, isStartComplete } = reading
  const end = reading.endOf(alert)
  const keys = reading.numbers.get(alert.number)
  const isReplaced = keys !== undefined && !keys.has(alert.key)
  if (end !== null) close(reading, alert, 'end', end.atMs)
  else if (isReplaced) close(reading, alert, 'replaced', null)
  else if (isStartComplete) absent(reading, alert, isComplete)
}

/** It is listed nowhere, as far as lists were read. */
function absent(reading: Reading, alert: Alert, isComplete: boolean): void {
  const { world, nowMs } = reading.scene
  const unlistedMs = alert.unlistedMs ?? nowMs
  const missing = alert.missing + 1
  const isTooOld = missing >= 2 && recordMs(alert) < nowMs - listedForMs
  if (!isComplete || isTooOld) world.patch('alerts', alert.id, { unlistedMs })
  else if (missing < 2) world.patch('alerts', alert.id, { missing })
  else close(reading, alert, 'absence', null)
}

function close(reading: Reading, alert: Alert, by: Alert['closedBy'], endedMs: number | null): void {
  const { scene, isMeasured } = reading
  const { world, nowMs } = scene
  const closedMs = Math.max(endedMs ?? nowMs, alert.startedMs)
  const isKnown = endedMs !== null || (isMeasured && by === 'end')
  const closed = world.patch('alerts', alert.id, {
    closedMs,
    closedBy: by,
    closedAfterMs: isKnown ? closedMs - alert.startedMs : null,
    unlistedMs: null,
    round: null,
  })
  noteOf(scene, closed, { kind: 'closed' })
}

/** What nobody knew while it was open: a one-off, or an alert that opened and closed between two polls. */
function takePast(reading: Reading, record: ApiAlert): void {
  const { scene, polledMs } = reading
  const { policy, nowMs } = scene
  if (policy.lifecycle === 'pair' && record.lifecycle === 'end') return
  // What the poll before could have shown, and did not, was over by then.
  if (record.startedMs < Math.max(polledMs - lateMs, nowMs - newsForMs)) return
  const end = reading.endOf(record)
  if (record.lifecycle === 'oneoff') open(reading, record)
  // A start beside a list of open ones that lacks it: the next poll says what it is.
  else if (end !== null) open(reading, { ...record, endedMs: end.atMs }, end.atMs ?? nowMs)
}

/** What a record says of its alert, apart from when it began. */
function saidOf(record: ApiAlert) {
  const { host, server, title, plugin, metric, value, url, sparklineUrl, details, mutedBy } = record
  return { host, server, title, plugin, metric, value, url, sparklineUrl, details, mutedBy }
}

/** Does it say anything else than another value? The picture's address may be new at each request. */
function isOtherwise(alert: Alert, said: ReturnType<typeof saidOf>): boolean {
  const bare = ({ host, server, title, plugin, metric, value, url, details, mutedBy }: typeof said) =>
    JSON.stringify([host, server, withoutValue(title, value), plugin, metric, url, details, mutedBy])
  return bare(alert) !== bare(said)
}

/** Where an end record of the pair form belongs: its server and trigger. */
function sideOf({ host, plugin, metric, details }: Pick<Alert, 'host' | 'plugin' | 'metric' | 'details'>) {
  return JSON.stringify([host, details.triggerId ?? [plugin, metric]])
}

/** When the API's record began; of one without a time, when it was seen first. */
function recordMs({ key, firstSeenMs }: Alert): number {
  return Number(key.slice(key.lastIndexOf('@') + 1)) || firstSeenMs
}
