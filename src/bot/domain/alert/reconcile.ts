/** Compares what is stored with what the API lists, and returns the changes. Pure; decides nothing about Slack. */
import type { Steps } from '../base/steps.ts'
import {
  type Alert,
  isLastAbsence,
  isLongMissing,
  isLost,
  isUnknownServer,
  listed,
  reopenedAlert,
} from './alert.ts'
import { type Change, change, closedAt, toAlert } from './change.ts'
import { areSameDetails, areSameMutedBy, detailsAfter } from './details.ts'
import { type AlertRules, gradeOf, isIgnored, type SeverityRule } from './match.ts'
import { withoutRemark } from './remark.ts'
import { severities } from './severity.ts'
import { type Ended, type Found, type Listed, type Missing, type ReadTimes, unreadAfter } from './snapshot.ts'
import { mutedAfter } from './unmuting.ts'

/** The API lists alerts of the last 30 days only (docs/api.md). */
const reportedForMs = 30 * 24 * 60 * 60 * 1000
/** The API's clock and ours differ, and zones are mistaken: what left the list so close to its age limit may have left it by its age. */
const reportedSkewMs = 24 * 60 * 60 * 1000
/** As many are tried in the time of one step (see `steps.ts`). */
const rulesPerStep = 10

/**
 * The changes, in steps, because tens of thousands of alerts may be listed. `rules` give the severity of known open alerts, and
 * say which are ignored; for new ones that is decided once their roles are known. `gapMs`: the longest time between two polls as they are scheduled.
 */
export function* reconciling(
  { open, ended, missing, ...times }: Found & ReadTimes,
  { severity, ignore }: AlertRules = { severity: [], ignore: [] },
  gapMs?: number,
): Steps<readonly Change[]> {
  const changes: (Change | null)[] = []
  for (const one of open) {
    yield 1 + (severity.length + ignore.length) / rulesPerStep
    const { record, known } = one
    const graded = (by: readonly SeverityRule[]) =>
      changeOfOpen({ record, known: asOpen(known) }, by, times, gapMs)
    changes.push(known === null ? graded(severity) : orIgnored(known, graded, { severity, ignore }, times))
  }
  for (const one of ended) {
    yield 1
    const change = changeOfEnded({ ...one, known: asOpen(one.known) }, times)
    changes.push(one.known?.state === 'ignored' ? goneIgnored(change, times) : change)
  }
  for (const one of missing) {
    yield 1
    const change = changeOfMissing({ ...one, alert: asOpen(one.alert) }, times)
    changes.push(one.alert.state === 'ignored' && change !== null ? goneIgnored(change, times) : change)
  }
  return changes.filter((one) => one !== null)
}

/** What is ignored changes as what is open does. */
function asOpen<Known extends Alert | null>(known: Known): Known {
  return known?.state === 'ignored' ? { ...known, state: 'open' } : known
}

/**
 * Of an alert that is listed: what the policy leaves out is kept up to date, and is open again when it does so no longer. As when a
 * mute ends, it is heard of again from then on.
 */
function orIgnored(
  known: Alert,
  graded: (by: readonly SeverityRule[]) => Change | null,
  { severity, ignore }: AlertRules,
  { nowMs }: ReadTimes,
): Change | null {
  const wasIgnored = known.state === 'ignored'
  const came = graded(severity)
  const alert = came?.alert ?? known
  const isNow = isIgnored({ ...alert, state: 'open' }, ignore)
  if (!isNow && !wasIgnored) return came
  if (!isNow) {
    const unmutedMs = alert.mutedBy === undefined ? nowMs : alert.unmutedMs
    const kind = isWorse(alert, known) && alert.severity === 'critical' ? 'worsened' : 'reopened'
    return change(kind, known, { ...alert, state: 'open', unmutedMs, version: known.version })
  }
  // That it is worse was said nowhere, so it is kept as people knew it: it is news once it is ignored no longer.
  const kept = isWorse(alert, known) ? graded([{ match: {}, is: known.severity }]) : came
  if (kept === null && wasIgnored) return null
  return change('ignored', known, { ...(kept?.alert ?? known), state: 'ignored', version: known.version })
}

/** Of one that is ignored: its end is noted, and is told nobody. */
function goneIgnored({ kind, alert, was }: Change, { nowMs }: ReadTimes): Change {
  if (kind === 'missed') return { kind, alert: { ...alert, state: 'ignored' }, was }
  const closedMs = alert.closedMs ?? nowMs
  return { kind: 'ignored', alert: { ...alert, state: 'ignored', closedMs }, was }
}

function changeOfOpen(
  { record: seen, known }: Listed,
  rules: readonly SeverityRule[],
  times: ReadTimes,
  gapMs: number | undefined,
): Change | null {
  const { nowMs } = times
  if (known === null) return { kind: 'opened', alert: toAlert(seen, nowMs), was: null }
  const details = detailsAfter(known.details, seen.details)
  if (known.state !== 'open') {
    // If nothing said that it closed, the person who acknowledged it still has it.
    const isSame = known.state === 'unreported'
    const again = isSame
      ? ({ state: 'open', closedMs: null, closedBy: null, ...mutedAfter(known, seen, times, gapMs) } as const)
      : { ...reopenedAlert(known, nowMs), mutedBy: seen.mutedBy, unmutedMs: null }
    return change('reopened', known, { ...again, ...listed, details })
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
  const muted = mutedAfter(known, seen, times, gapMs)
  const facts = { hostname, serverName, saidSeverity, details, ...muted, ...late }
  const next = { ...facts, severity: gradeOf({ ...known, ...facts }, rules), ...listed }
  const differs = (field: keyof typeof facts) => known[field] !== facts[field]
  const isNamed =
    (isUnknownServer(known.hostname) && differs('hostname')) ||
    (known.title === '' && differs('title')) ||
    (['plugin', 'metric'] as const).some(differs)
  if (isNamed) return change('named', known, next)
  if (
    !areSameDetails(known.details, details) ||
    (['hostname', 'serverName', 'triggerId', 'title'] as const).some(differs)
  )
    return change('renamed', known, next)
  if (known.severity !== next.severity)
    return change(isWorse(next, known) ? 'worsened' : 'eased', known, next)
  // A word that means as much may be one that the policy ignores.
  if (differs('saidSeverity')) return change('renamed', known, next)
  if (!areSameMutedBy(known.mutedBy, muted.mutedBy))
    return change(muted.mutedBy === undefined ? 'unmuted' : 'muted', known, next)
  if (differs('unmutedMs')) return change('unmuting', known, next)
  return known.absences > 0 ? change('found', known, listed) : null
}

/**
 * A flipped record keeps its opening time, so all that is known of an end that was never seen open is "since the last poll", and of
 * history not even that.
 */
function changeOfEnded({ record, known, by, endedMs, isHistory }: Ended, times: ReadTimes): Change {
  if (known !== null) {
    const closedBy = by === 'pair' ? 'pair' : 'record'
    const { goneMs, closedAfterMs } = goneFrom(known, times)
    const over = endedMs === null ? closedAt(goneMs, closedBy, closedAfterMs) : closedAt(endedMs, closedBy)
    return change('closed', known, {
      ...over,
      title: by === 'record' ? withoutRemark(known.title) : known.title,
    })
  }
  const alert = toAlert(record, times.nowMs)
  if (by === 'oneoff')
    return { kind: isHistory ? 'recorded' : 'happened', alert: { ...alert, state: 'oneoff' }, was: null }
  const kind = isHistory ? 'recorded' : 'passed'
  if (endedMs !== null || isHistory) return { kind, alert: { ...alert, ...closedAt(endedMs, by) }, was: null }
  const readMs = unreadAfter(times)
  const afterMs = readMs === null ? null : Math.max(readMs, alert.startedMs)
  return { kind, alert: { ...alert, ...closedAt(times.nowMs, by, afterMs) }, was: null }
}

function changeOfMissing({ alert, why }: Missing, times: ReadTimes): Change | null {
  const { nowMs } = times
  if (why === 'replaced') return change('closed', alert, closedAt(nowMs, 'absence'))
  if (nowMs - alert.startedMs >= reportedForMs - reportedSkewMs) {
    return isLost(alert) ? null : change('expired', alert, { state: 'unreported', missingMs: null })
  }
  const absences = alert.absences + 1
  const { goneMs: missingMs, closedAfterMs } = goneFrom(alert, times)
  if (!isLastAbsence(alert)) return change('missed', alert, { absences, missingMs, closedAfterMs })
  if (why === 'nowhere') {
    const closedMs = isLost(alert) || closedAfterMs !== null ? missingMs : nowMs
    return change('closed', alert, { ...closedAt(closedMs, 'absence', closedAfterMs), absences })
  }
  if (isLost(alert)) return null
  // Without a note of when it went missing, its time begins now.
  if (alert.missingMs === null) return change('missed', alert, { missingMs })
  return isLongMissing(missingMs, nowMs) ? change('lost', alert, { state: 'unreported' }) : null
}

/** When it was first not listed any more, and where that was after a time of no reading, the last one before it. */
function goneFrom({ missingMs, closedAfterMs }: Alert, times: ReadTimes) {
  return missingMs === null
    ? { goneMs: times.nowMs, closedAfterMs: unreadAfter(times) }
    : { goneMs: missingMs, closedAfterMs }
}

function isWorse(one: Pick<Alert, 'severity'>, other: Pick<Alert, 'severity'>): boolean {
  return severities.indexOf(one.severity) < severities.indexOf(other.severity)
}
