/**
 * Keeps the log in step with what fires: an alert opens when it is listed, and closes when two good readings in a row prove that it
 * is over. Its absence from the list alone proves nothing: an Alertmanager that has just started lists nothing.
 */
import type { AlertLog, UpstreamDraft } from '../alerts/alert-log.ts'
import type { AlertRecord } from '../alerts/alert-records.ts'
import { labelsLeftOut } from '../alerts/details.ts'
import { heartbeatKey } from '../alerts/triggers.ts'
import type { Ledger } from '../store/ledger.ts'
import { oneLine, wordsOf } from './annotations.ts'
import { type EngineView, type Firing, isOfEngine, isPart, withoutNames } from './firing.ts'
import type { Bearing } from './identity.ts'
import type { Labels, Naming } from './naming.ts'
import { keyOfName } from './rules.ts'

/** Good readings in a row without the alert before it is over. */
const readingsMin = 2
/** After this time every sender has repeated its alerts to a restarted Alertmanager; Prometheus does so every minute. */
export const resentMs = 5 * 60_000
const conditionCharsMax = 500

/** What is known of an alert beyond its labels. */
export type BearingOf = (labels: Labels) => Bearing

/** One good reading: all lists were complete. */
export type Reading = {
  readonly firing: readonly Firing[]
  readonly view: EngineView
  /** Servers of which no target could be scraped, among those of alerts that say so. */
  readonly silent: ReadonlySet<string>
  /** Since when at least one of the Alertmanagers has been up; null: there is none. */
  readonly managedSinceMs: number | null
}

type Upstream = NonNullable<AlertRecord['upstream']>

/** What is to be known of the names of alerts. */
export type AlertNames = Naming & {
  bearingOf(labels: Labels): Bearing
  /** Whether the one that reported an alert with these labels is away, or another one has only just taken its place. */
  isReporterAway(labels: Labels): boolean
}

export type Alerts = {
  /**
   * Whether names are to be read again: for a new alert, as its name is for good; or as one is not listed that comes from one who
   * reports about everything, and may be away.
   */
  needsNames(firing: readonly Firing[]): boolean
  /** Of these, the servers of new alerts that would be the silence of a server. */
  saidSilent(firing: readonly Firing[]): ReadonlySet<string>
  take(reading: Reading): void
  /** How an alert was listed last, if not with the labels of its record: a silence must match these. */
  labelsNow(id: number): Labels | undefined
  /** Its part of the state; `labels_left_out`: of open alerts, those that are over a limit of the API. */
  counts(): { readonly open: number; readonly muted: number; readonly labels_left_out: number }
}

export function openAlerts(parts: {
  readonly ledger: Ledger
  readonly log: AlertLog
  readonly names: AlertNames
  readonly isDeleted: (hostname: string) => boolean
  readonly nowMs: () => number
}): Alerts {
  const { ledger, log, names: naming, isDeleted, nowMs } = parts
  const { bearingOf } = naming
  const note = openNotes({ log, naming, bearingOf })
  /** For each open alert that is missing: since when, and in how many good readings. */
  let missing = new Map<number, { readonly sinceMs: number; readonly readings: number }>()
  let otherLabels: ReadonlyMap<number, Labels> = new Map()

  function mayClose(
    upstream: Upstream,
    { view, managedSinceMs }: Reading,
    represented: ReadonlySet<unknown>,
  ): boolean {
    if (isOfDeleted(upstream)) return true
    const { labels, bearing } = upstream
    // Nothing is known of it while nobody reports; whoever does so then may not have done so for long enough.
    const isHeld = () =>
      naming.isReporterAway(labels) || view.hasBut(labels, bearing?.reporter ?? [], represented)
    if (isReported(upstream) && isHeld()) return false
    // The engine's alert is listed with other labels now; that it fires says nothing about these any more.
    const isListedElse = represented.has(view.find(upstream.labels)?.alert)
    const evidence = isListedElse ? 'unknown' : view.evidence(upstream.labels, upstream.rule !== null)
    if (evidence === 'there') return false
    if (evidence === 'over' && upstream.isCopied !== true) return true
    return managedSinceMs === null || nowMs() - managedSinceMs >= resentMs
  }

  return {
    needsNames: (firing) => needsNames(log.openAlerts(), firing, naming),
    saidSilent(firing) {
      const said = firing.filter((one) => one.rule?.isSilence === true && isOfServer(one, naming))
      if (said.length === 0) return new Set()
      const open = byFingerprint(log.openAlerts())
      const isKnown = (by: string): boolean => (open.get(by)?.upstream?.rule ?? null) !== null
      const news = said.filter((one) => !fingerprintsOf(one).some(isKnown))
      return new Set(news.map(({ labels }) => naming.of(labels).hostname))
    },
    take(reading) {
      const open = byFingerprint(log.openAlerts())
      const current = withoutOutdated(reading.firing, naming)
      const listed = current.filter((one) => !isOfDeleted(one))
      // One that is not muted may take the record of one that is; not the reverse.
      const inTurn = [...listed.filter((one) => !isMuted(one)), ...listed.filter(isMuted)]
      const held = new Set<number>()
      const formerOf = byOtherLabels(open, { ...reading, firing: current }, naming)
      const represented = new Set(reading.firing.flatMap(({ engineAlert }) => engineAlert ?? []))
      const other = new Map<number, Labels>()
      ledger.together(() => {
        for (const one of inTurn) {
          // Before copies were one alert, each had a record.
          const [first = formerOf(one), ...others] = fingerprintsOf(one).flatMap((by) => open.get(by) ?? [])
          const record = first ?? log.openUpstream(draftOf(one, naming, reading.silent, bearingOf))
          for (const each of [record, ...others]) {
            held.add(each.id)
            note(each, one, reading.silent)
            if (each.upstream?.fingerprint !== one.fingerprint) other.set(each.id, one.labels)
          }
          const { fingerprint, labels, copies, isOfPair } = one
          if (isByOther(record, one) || (copies.length > 0 && isOtherwise(record, one))) {
            const upstream = { fingerprint, labels: { ...labels }, ...(isOfPair ? { isCopied: true } : {}) }
            log.note(record.id, { upstream })
          }
        }
        const next: typeof missing = new Map()
        for (const record of open.values()) {
          if (held.has(record.id) || record.upstream === undefined) continue
          if (!mayClose(record.upstream, reading, represented)) continue
          const before = missing.get(record.id)
          const one = { sinceMs: before?.sinceMs ?? nowMs(), readings: (before?.readings ?? 0) + 1 }
          if (one.readings >= readingsMin) log.close(record.id, null, one.sinceMs)
          else next.set(record.id, one)
        }
        missing = next
      })
      otherLabels = other
    },
    labelsNow: (id) => otherLabels.get(id),
    counts() {
      const open = log.openAlerts()
      const muted = open.filter(({ upstream }) => upstream?.mutedBy !== undefined).length
      return { open: open.length, muted, labels_left_out: labelsLeftOut(open) }
    },
  }

  /** Only a server can be deleted: alerts without one go on, whatever was deleted under the name that they are listed by. */
  function isOfDeleted({ labels }: Pick<Firing, 'labels'>): boolean {
    const { hostname, by } = naming.of(labels)
    return by === 'server' && isDeleted(hostname)
  }
}

/**
 * Brings a record up to date with the alert as it is listed. What its author wrote stays as it was when it opened: it may name a value
 * of then, and cards are not edited at each evaluation.
 */
function openNotes({
  log,
  naming,
  bearingOf,
}: {
  readonly log: AlertLog
  readonly naming: Naming
  readonly bearingOf: BearingOf
}): (record: AlertRecord, one: Firing, silent: ReadonlySet<string>) => void {
  function noteWords({ id, upstream }: AlertRecord, one: Firing): void {
    const isOfEarlierVersion = upstream !== undefined && upstream.links === undefined
    if (!isOfEarlierVersion) return
    const { mutedBy: _, limitSide, ...facts } = factsOf(one, bearingOf)
    log.note(id, { limitSide, upstream: facts })
  }

  /** The Alertmanager may have heard of it from another Prometheus, or before the engine was asked. */
  function noteRule({ id, upstream }: AlertRecord, one: Firing, silent: ReadonlySet<string>): void {
    if (upstream === undefined || upstream.rule !== null || one.rule === null) return
    const { metric, value, key, limit, limitSide, upstream: now } = draftOf(one, naming, silent, bearingOf)
    const { rule, triggerId, units } = now
    log.note(id, { metric, value, key, limit, limitSide, upstream: { rule, triggerId, units } })
  }

  return (record, one, silent) => {
    noteWords(record, one)
    noteRule(record, one, silent)
    const former = record.upstream?.mutedBy
    if (former === undefined && one.mutedBy.length === 0) return
    const mutedBy = one.mutedBy.length === 0 ? undefined : one.mutedBy
    if (JSON.stringify(mutedBy) !== JSON.stringify(former)) log.note(record.id, { upstream: { mutedBy } })
  }
}

/**
 * Finds the same alert under another fingerprint: one that was read from the engine while none of its alerts reached the
 * Alertmanager and is now read from the Alertmanager, or the reverse; and one whose labels at the Alertmanager have changed
 * (external labels, `alert_relabel_configs`). Two alerts of the same list are never the same.
 */
function byOtherLabels(
  open: ReadonlyMap<string, AlertRecord>,
  { firing, view }: Reading,
  naming: Naming,
): (one: Firing) => AlertRecord | undefined {
  const listed = new Set(firing.flatMap(fingerprintsOf))
  const left = [...open.values()].filter(
    ({ upstream }) => upstream !== undefined && !listed.has(upstream.fingerprint),
  )
  const records = Map.groupBy(left, ({ upstream }) => upstream?.labels.alertname ?? '')
  const byAlert = new Map<object, AlertRecord>()
  for (const record of left) {
    const held = view.find(record.upstream?.labels ?? {})
    if (held !== null) byAlert.set(held.alert, record)
  }
  const reported = Map.groupBy(
    left.filter(({ upstream }) => isReported(upstream)),
    ({ upstream }) => upstream?.labels.alertname ?? '',
  )
  const taken = new Set<AlertRecord>()
  return (one) => {
    const { fingerprint, labels, engineAlert: alert } = one
    const elsewhere = reported
      .get(labels.alertname ?? '')
      ?.find((record) => !taken.has(record) && isByOther(record, one))
    if (elsewhere !== undefined) {
      taken.add(elsewhere)
      return elsewhere
    }
    const same = alert === null ? undefined : byAlert.get(alert)
    if (alert !== null && same?.hostname === naming.of(labels).hostname) {
      byAlert.delete(alert)
      return same
    }
    return records.get(labels.alertname ?? '')?.find(({ upstream }) => {
      if (upstream === undefined || isOfEngine(upstream.fingerprint) === isOfEngine(fingerprint)) return false
      return isPart(upstream.labels, labels) || isPart(labels, upstream.labels)
    })
  }
}

function byFingerprint(open: readonly AlertRecord[]): ReadonlyMap<string, AlertRecord> {
  return new Map(open.flatMap((record) => (record.upstream ? [[record.upstream.fingerprint, record]] : [])))
}

function needsNames(open: readonly AlertRecord[], firing: readonly Firing[], naming: AlertNames): boolean {
  const listed = new Set(firing.flatMap(fingerprintsOf))
  const known = byFingerprint(open)
  const isNew = (one: Firing): boolean => !fingerprintsOf(one).some((by) => known.has(by))
  const isUnsure = ({ labels }: Firing): boolean =>
    naming.of(labels).isUnsure === true || naming.bearingOf(labels).reporter?.includes('instance') === true
  if (firing.some((one) => isNew(one) && isUnsure(one))) return true
  return open.some(({ upstream }) => isReported(upstream) && !listed.has(upstream?.fingerprint ?? ''))
}

/** Whether it has labels of the one who reports it. */
function isReported(upstream: Upstream | undefined): boolean {
  return (upstream?.bearing?.reporter ?? []).length > 0
}

/** Whether a copy has taken its place: of another Prometheus, or of an exporter that runs elsewhere by now. */
function isOtherwise({ upstream }: AlertRecord, { fingerprint, labels }: Firing): boolean {
  return upstream?.fingerprint !== fingerprint || !isPart(labels, upstream.labels)
}

/** Without those of a reporter that is gone, which an Alertmanager lists a little longer, if the next one reports the same. */
function withoutOutdated(firing: readonly Firing[], names: AlertNames): readonly Firing[] {
  const away = firing.filter(({ labels }) => names.isReporterAway(labels))
  if (away.length === 0) return firing
  const textOf = ({ labels }: Firing): string =>
    JSON.stringify(Object.entries(withoutNames(labels, names.bearingOf(labels).reporter ?? [])).sort())
  const gone = new Set(away)
  const current = new Set(firing.filter((one) => !gone.has(one)).map(textOf))
  return firing.filter((one) => !gone.has(one) || !current.has(textOf(one)))
}

/** Whether this is the alert of a record, but reported by another one: kube-state-metrics was started anew elsewhere. */
function isByOther({ upstream }: AlertRecord, { fingerprint, labels }: Firing): boolean {
  if (upstream === undefined || upstream.fingerprint === fingerprint || !isReported(upstream)) return false
  const but = upstream.bearing?.reporter ?? []
  const [own, other] = [withoutNames(upstream.labels, but), withoutNames(labels, but)]
  return isPart(own, other) && isPart(other, own)
}

function fingerprintsOf({ fingerprint, copies }: Firing): readonly string[] {
  return [fingerprint, ...copies]
}

function isMuted({ mutedBy }: Firing): boolean {
  return mutedBy.length > 0
}

const sides = { max: 'high', low: 'low' } as const

/** What else is known of an alert when it opens. */
function factsOf(one: Firing, bearingOf: BearingOf) {
  const { labels, annotations, isOfPair, rule, mutedBy } = one
  const { description, links } = wordsOf(annotations)
  const side = rule?.limit?.side
  return {
    description,
    links,
    units: rule?.units ?? '',
    ...(isOfPair ? { isCopied: true } : {}),
    bearing: bearingOf(labels),
    ...(mutedBy.length === 0 ? {} : { mutedBy }),
    limitSide: side === undefined ? undefined : sides[side],
  }
}

/** A firing alert as one for the log. `silent`: servers that send no data at all. */
export function draftOf(
  one: Firing,
  naming: Naming,
  silent: ReadonlySet<string>,
  bearingOf: BearingOf,
): UpstreamDraft {
  const { labels, rule, engineAlert } = one
  const { hostname, isLonePod } = naming.of(labels)
  const alertname = labels.alertname ?? ''
  const about = isOfServer(one, naming) ? rule : null
  const isSilent = about?.isSilence === true && silent.has(hostname)
  const key = isSilent ? heartbeatKey : (about?.key ?? keyOfName(alertname))
  // The rule says 0 of it, which is no time: it has been silent since the rule has held.
  const silentMs = one.startsAtMs - Date.parse(engineAlert?.activeAt ?? '')
  const silentSeconds = Number.isNaN(silentMs) ? null : Math.max(0, silentMs / 1_000)
  const { limitSide, ...facts } = factsOf(one, bearingOf)
  return {
    hostname,
    // Told as it is: a mute of a pod ends with the pod.
    serverName: isLonePod === true ? `${hostname} (pod)` : hostname,
    title: titleOf(one),
    plugin: alertname || 'alert',
    metric: key.metric || null,
    value: isSilent ? silentSeconds : one.value,
    key,
    limit: isSilent ? null : (rule?.limit?.value ?? null),
    limitSide,
    triggerId: null,
    closesAtMs: null,
    timeMs: one.startsAtMs,
    upstream: {
      fingerprint: one.fingerprint,
      labels: { ...labels },
      rule: rule?.expression ?? null,
      ...(rule === null ? {} : { triggerId: rule.trigger.id }),
      ...facts,
    },
  }
}

/** Whether what names its server is of what its rule read. */
function isOfServer({ labels, rule }: Firing, naming: Naming): boolean {
  const { by, used } = naming.of(labels)
  return by === 'server' && used.every((name) => rule?.labels[name] === undefined)
}

/** The words of the rule's author; the rule's condition if there are none. */
function titleOf({ labels, annotations, rule }: Firing): string {
  const condition = oneLine(rule?.trigger.condition ?? '', conditionCharsMax)
  return wordsOf(annotations).title || condition || (labels.alertname ?? 'alert')
}
