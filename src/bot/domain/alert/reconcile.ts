/** What follows from one poll of the API: compares what is remembered with what was seen. Pure; decides nothing about Slack. */

import type { Steps } from '../base/steps.ts'
import {
  type Alert,
  type AlertRecord,
  isLastAbsence,
  isLongMissing,
  isLost,
  isUnknownServer,
  listed,
  mayBeOpen,
  reopenedAlert,
} from './alert.ts'
import { asEpisodes } from './as-episodes.ts'
import { believed } from './believable.ts'
import { type Change, change, closedAt, toAlert } from './change.ts'
import { endedUnseen, newEnds, settleEnds, startsOfEnded } from './ends.ts'
import { numberOf } from './episode.ts'
import { withLostFields } from './lost-fields.ts'
import { gradeOf, type SeverityRule } from './match.ts'
import { byServer, type CloseStyle, type End, type EndsByServer, endOf } from './pairing.ts'
import { withoutRemark } from './remark.ts'
import { asSpelt } from './respelt.ts'
import { severities } from './severity.ts'
import {
  isHistory,
  latest,
  learnForm,
  listedOpen,
  type Memory,
  type Snapshot,
  unreadAfter,
} from './snapshot.ts'

/** The API lists alerts of the last 30 days only (docs/api.md#alerts). */
const reportedForMs = 30 * 24 * 60 * 60 * 1000
/** The API's clock and ours differ, and zones are mistaken: what left the list so close to its age limit may have left it by its age. */
const reportedSkewMs = 24 * 60 * 60 * 1000
/** As many are tried in the time of one step (see `steps.ts`). */
const rulesPerStep = 10

export type Reconciled = {
  readonly changes: readonly Change[]
  /** Ends to keep, new or newly decided. */
  readonly keptEnds: readonly End[]
  /** Ids of kept ends that turned out to be separate alerts. */
  readonly droppedEndIds: readonly string[]
  /** The form as far as it is known now. */
  readonly form: CloseStyle | null
}

/**
 * In steps, as tens of thousands of alerts may be listed and remembered. `rules`: of open alerts that are known; how severe new ones
 * are is decided once their roles are known.
 */
export function* reconciling(
  memory: Memory,
  polled: Snapshot,
  rules: readonly SeverityRule[] = [],
): Steps<Reconciled> {
  const count = polled.open.alertRecords.length + polled.all.alertRecords.length
  const filled = withLostFields(polled, memory)
  yield count
  const spelt = yield* asSpelt(filled.snapshot, filled.memory)
  const snapshot = believed(yield* asEpisodes(spelt, filled.memory))
  yield count
  const seen = latest(snapshot)
  yield count
  const form = learnForm(memory, snapshot, seen)
  yield count
  const openNow = listedOpen(snapshot, form, memory)
  yield count
  const starts = startsOfEnded(snapshot, seen)
  const fresh = newEnds(memory, seen, form, snapshot).filter(({ record }) => !starts.has(record.alertId))
  const ends = byServer([...memory.ends, ...fresh])
  yield count
  const changes: Change[] = []
  const used = new Set<string>()
  // An end that was history when it came is history still at the poll that shows how alerts end.
  const pastEnds = new Set(memory.ends.flatMap((end) => (end.isHistory ? [end.record.alertId] : [])))
  const isPast = (record: AlertRecord) => pastEnds.has(record.alertId) || isHistory(record, snapshot)

  for (const alertRecord of seen.values()) {
    const { alertId } = alertRecord
    const known = memory.alerts.get(alertId)
    yield 1 + rules.length / rulesPerStep
    const change = known
      ? changeOfKnown(known, alertRecord, openNow.has(alertId), { snapshot, rules })
      : firstSight(alertRecord, openNow.has(alertId), { form, ends, used, starts, snapshot, isPast })
    if (change) changes.push(change)
  }
  const later = latestStarts(seen.values())
  yield count
  for (const alert of memory.alerts.values()) {
    yield 1
    if (!mayBeOpen(alert) || openNow.has(alert.alertId)) continue
    if (seen.get(alert.alertId)?.lifecycle === 'end') continue
    const number = numberOf(alert.alertId)
    const isReplaced = !seen.has(alert.alertId) && (later.get(number) ?? 0) > alert.startedMs
    // What one list lacks may be in the other, as long as that one was not searched.
    const isListed = seen.get(alert.alertId)?.lifecycle === 'start'
    const isUnlisted = !isListed && (later.has(number) || snapshot.all.lacks.has(number))
    const change = changeOfMissing(alert, snapshot, { form, ends, used, isReplaced, isUnlisted })
    if (change) changes.push(change)
  }
  return settleEnds({ memory, fresh, used, changes, form, snapshot })
}

function changeOfKnown(
  known: Alert,
  seen: AlertRecord,
  openNow: boolean,
  { snapshot, rules }: { readonly snapshot: Snapshot; readonly rules: readonly SeverityRule[] },
): Change | null {
  if (seen.lifecycle === 'end') {
    if (!mayBeOpen(known)) return null
    // A flipped record keeps its opening time; if it took the closing time instead, that time is more accurate.
    const { goneMs, closedAfterMs } = goneFrom(known, snapshot)
    const over =
      seen.timeMs > known.startedMs
        ? closedAt(seen.timeMs, 'record')
        : closedAt(goneMs, 'record', closedAfterMs)
    return change('closed', known, { ...over, title: withoutRemark(known.title) })
  }
  if (!openNow) return null
  if (known.state !== 'open') {
    // Where nothing said that it closed, whoever acknowledged it still holds it.
    const isSame = known.state === 'unreported'
    const again = isSame
      ? ({ state: 'open', closedMs: null, closedBy: null } as const)
      : reopenedAlert(known, snapshot.nowMs)
    return change('reopened', known, { ...again, ...listed })
  }
  const { hostname, serverName } = seen
  const isRemarked = known.title !== '' && withoutRemark(known.title) === withoutRemark(seen.title)
  // These stay as they were when the alert opened, unless they could not be read then: an end is matched by them.
  const late = {
    title: isRemarked || known.title === '' ? seen.title : known.title,
    plugin: known.plugin === '' ? seen.plugin : known.plugin,
    metric: known.metric ?? seen.metric,
    triggerId: known.triggerId ?? seen.triggerId,
  }
  // A record that says nothing of it takes nothing back.
  const saidSeverity = seen.saidSeverity ?? known.saidSeverity
  const facts = { hostname, serverName, saidSeverity, ...late }
  const next = { ...facts, severity: gradeOf({ ...known, ...facts }, rules), ...listed }
  const differs = (field: keyof typeof facts) => known[field] !== facts[field]
  const isNamed =
    (isUnknownServer(known.hostname) && differs('hostname')) ||
    (known.title === '' && differs('title')) ||
    (['plugin', 'metric'] as const).some(differs)
  if (isNamed) return change('named', known, next)
  if ((['hostname', 'serverName', 'triggerId', 'title'] as const).some(differs))
    return change('renamed', known, next)
  if (known.severity !== next.severity)
    return change(isWorse(next, known) ? 'worsened' : 'eased', known, next)
  return known.absences > 0 ? change('found', known, listed) : null
}

/** When it was first not listed any more, and where that was after a time of no reading, the last one before it. */
function goneFrom({ missingMs, closedAfterMs }: Alert, snapshot: Snapshot) {
  return missingMs === null
    ? { goneMs: snapshot.nowMs, closedAfterMs: unreadAfter(snapshot) }
    : { goneMs: missingMs, closedAfterMs }
}

function isWorse(one: Pick<Alert, 'severity'>, other: Pick<Alert, 'severity'>): boolean {
  return severities.indexOf(one.severity) < severities.indexOf(other.severity)
}

/** When the last episode of each listed number began. */
function latestStarts(seen: Iterable<AlertRecord>): ReadonlyMap<string, number> {
  const starts = new Map<string, number>()
  for (const { alertId, timeMs } of seen) {
    const number = numberOf(alertId)
    starts.set(number, Math.max(starts.get(number) ?? 0, timeMs))
  }
  return starts
}

/** How alerts end as far as it is known, all ends that may close one, and the ids of those that did. */
type Closing = {
  readonly form: CloseStyle | null
  readonly ends: EndsByServer
  readonly used: Set<string>
}

function firstSight(
  seen: AlertRecord,
  openNow: boolean,
  {
    form,
    ends,
    used,
    starts,
    snapshot,
    isPast,
  }: Closing & {
    /** Of alerts whose end is listed as well, by their id. */
    readonly starts: ReadonlyMap<string, AlertRecord>
    readonly snapshot: Snapshot
    /** Was it over before the bot started watching? */
    readonly isPast: (record: AlertRecord) => boolean
  },
): Change | null {
  const alert = toAlert(seen, snapshot.nowMs)
  switch (seen.lifecycle) {
    case 'oneoff':
      return isPast(seen)
        ? { kind: 'recorded', alert: { ...alert, state: 'oneoff' }, was: null }
        : { kind: 'happened', alert: { ...alert, state: 'oneoff' }, was: null }
    case 'end': {
      if (form === 'flip') return endedUnseen(seen, isPast(seen), snapshot)
      // In pair form, and while the form is unknown, an end alone is kept as one: see newEnds.
      const start = starts.get(seen.alertId)
      if (start === undefined) return null
      const over = { ...toAlert(start, snapshot.nowMs), ...closedAt(seen.timeMs, 'pair') }
      return { kind: isPast(seen) ? 'recorded' : 'passed', alert: over, was: null }
    }
    case 'start': {
      const end = openNow || form === 'flip' ? null : endOf(alert, ends, { isGone: snapshot.open.complete })
      // Not known to be open: its end may be where nothing could be read. If it is open, the list of open alerts has it.
      if (!end && !openNow && !snapshot.all.endsSeen) return null
      if (!end) return { kind: 'opened', alert, was: null }
      used.add(end.record.alertId)
      const kind = end.isHistory ? 'recorded' : 'passed'
      return { kind, alert: { ...alert, ...closedAt(end.record.timeMs, 'pair') }, was: null }
    }
  }
}

function changeOfMissing(
  alert: Alert,
  snapshot: Snapshot,
  {
    form,
    ends,
    used,
    isReplaced,
    isUnlisted,
  }: Closing & {
    /** Its number belongs to another alert now. */
    readonly isReplaced: boolean
    /**
     * The list of everything does not show it either. If it shows the start but no end, the alert is open: in pair form too,
     * and as long as it is not known how alerts end.
     */
    readonly isUnlisted: boolean
  },
): Change | null {
  const isAbsentEnough = snapshot.open.complete && isLastAbsence(alert)
  const end = form === 'flip' ? null : endOf(alert, ends, { isGone: isAbsentEnough || isReplaced })
  if (end) {
    used.add(end.record.alertId)
    // An end that gives the time of the start says nothing of its own.
    const { goneMs, closedAfterMs } = goneFrom(alert, snapshot)
    const hasTime = end.record.timeMs > alert.startedMs
    const over = hasTime ? closedAt(end.record.timeMs, 'pair') : closedAt(goneMs, 'pair', closedAfterMs)
    return change('closed', alert, over)
  }
  if (isReplaced) return change('closed', alert, closedAt(snapshot.nowMs, 'absence'))
  if (!snapshot.open.complete) return null
  const ageMs = snapshot.nowMs - alert.startedMs
  if (ageMs >= reportedForMs - reportedSkewMs) {
    return isLost(alert) ? null : change('expired', alert, { state: 'unreported', missingMs: null })
  }
  const absences = alert.absences + 1
  const { goneMs: missingMs, closedAfterMs } = goneFrom(alert, snapshot)
  if (!isAbsentEnough) return change('missed', alert, { absences, missingMs, closedAfterMs })
  if (isUnlisted) {
    const closedMs = isLost(alert) || closedAfterMs !== null ? missingMs : snapshot.nowMs
    return change('closed', alert, { ...closedAt(closedMs, 'absence', closedAfterMs), absences })
  }
  if (isLost(alert)) return null
  // Without a note of when it went missing, its time begins now.
  if (alert.missingMs === null) return change('missed', alert, { missingMs })
  return isLongMissing(missingMs, snapshot.nowMs) ? change('lost', alert, { state: 'unreported' }) : null
}
