/** Converts rows to domain values and back. */
import type { Insertable, Selectable, Updateable } from 'kysely'
import type { Alert, AlertRecord, AlertState, ClosedBy } from '../../domain/alert/alert.ts'
import type { Details, MutedBy } from '../../domain/alert/details.ts'
import type { CloseStyle, End } from '../../domain/alert/end.ts'
import { numberOf } from '../../domain/alert/episode.ts'
import type { SaidSeverity, Severity } from '../../domain/alert/severity.ts'
import { jsonOf } from '../../domain/base/storable.ts'
import type { NewCard } from '../../domain/card/card.ts'
import type { CardState, Delivery, DeliveryPatch } from '../../domain/delivery/delivery.ts'
import { troubleSubject } from '../../domain/mute/subject.ts'
import type { Facts } from '../../domain/plan.ts'
import type { AlertRow, CardRow, EndRow, FactRow } from '../open/schema.ts'

export function toAlert(row: Omit<Selectable<AlertRow>, 'first_acked_ms'>): Alert {
  return {
    alertId: row.alert_id,
    hostname: row.hostname,
    serverName: row.server_name,
    title: row.title,
    plugin: row.plugin,
    metric: row.metric,
    value: row.value,
    url: row.url,
    triggerId: row.trigger_id,
    saidSeverity: row.said_severity as SaidSeverity | null,
    severity: row.severity as Severity,
    state: row.state as AlertState,
    startedMs: row.started_ms,
    closedMs: row.closed_ms,
    closedBy: row.closed_by as ClosedBy | null,
    closedAfterMs: row.closed_after_ms,
    absences: row.absences,
    missingMs: row.missing_ms,
    // Most have none, and there may be tens of thousands.
    roles: row.roles === '[]' ? [] : (JSON.parse(row.roles) as string[]),
    ackedBy: row.acked_by,
    ackedMs: row.acked_ms,
    ackedBefore: row.acked_before,
    ownershipConfirmedMs: row.said_ms,
    reopenedMs: row.reopened_ms,
    unmutedMs: row.unmuted_ms,
    version: row.version,
    firstSeenMs: row.first_seen_ms,
    ...(row.ending === null ? {} : { ending: row.ending }),
    ...(row.details === null ? {} : { details: JSON.parse(row.details) as Details }),
    ...(row.muted_by === null ? {} : { mutedBy: JSON.parse(row.muted_by) as MutedBy[] }),
    ...readingIn(row),
  }
}

/** Left out where nothing is known: most alerts are closed and were never read. */
function readingIn(row: Omit<Selectable<AlertRow>, 'first_acked_ms'>): Pick<Alert, 'reading'> {
  if (row.units === null && row.limit_value === null && row.read_ms === null) return {}
  const limit =
    row.limit_value === null
      ? null
      : { value: row.limit_value, side: row.limit_side === 'low' ? ('low' as const) : ('high' as const) }
  const last =
    row.last_value === null || row.last_ms === null ? null : { value: row.last_value, atMs: row.last_ms }
  return { reading: { units: row.units, limit, last, peak: row.peak_value, readMs: row.read_ms } }
}

export function fromAlert(alert: Alert): Insertable<AlertRow> {
  return {
    alert_id: alert.alertId,
    number: numberOf(alert.alertId),
    hostname: alert.hostname,
    server_name: alert.serverName,
    title: alert.title,
    plugin: alert.plugin,
    metric: alert.metric,
    value: alert.value,
    url: alert.url,
    trigger_id: alert.triggerId,
    said_severity: alert.saidSeverity,
    severity: alert.severity,
    state: alert.state,
    started_ms: alert.startedMs,
    closed_ms: alert.closedMs,
    closed_by: alert.closedBy,
    closed_after_ms: alert.closedAfterMs,
    absences: alert.absences,
    missing_ms: alert.missingMs,
    roles: jsonOf(alert.roles),
    acked_by: alert.ackedBy,
    acked_ms: alert.ackedMs,
    first_acked_ms: alert.ackedMs,
    acked_before: alert.ackedBefore,
    said_ms: alert.ownershipConfirmedMs,
    reopened_ms: alert.reopenedMs,
    unmuted_ms: alert.unmutedMs,
    version: alert.version,
    first_seen_ms: alert.firstSeenMs,
    details: alert.details === undefined ? null : jsonOf(alert.details),
    muted_by: alert.mutedBy === undefined ? null : jsonOf(alert.mutedBy),
    trouble: troubleSubject(alert),
  }
}

export function toEnd(row: Selectable<EndRow>): End {
  return {
    // Without a severity where it was kept by a version that knew of none.
    record: Object.assign({ saidSeverity: null }, JSON.parse(row.record) as AlertRecord),
    decided: row.decided === 1,
    isHistory: row.history === 1,
  }
}

export function fromEnd(end: End): Insertable<EndRow> {
  return {
    end_id: end.record.alertId,
    number: numberOf(end.record.alertId),
    hostname: end.record.hostname,
    ended_ms: end.record.timeMs,
    decided: end.decided ? 1 : 0,
    history: end.isHistory ? 1 : 0,
    record: jsonOf(end.record),
  }
}

export function fromNewCard(card: NewCard, atMs: number): Insertable<CardRow> {
  return {
    card_id: card.cardId,
    kind: card.kind,
    topic: card.topic,
    channel: card.channel,
    parent_id: card.parentId,
    page: card.page,
    mention: card.mention,
    subject_id: card.subjectId,
    created_ms: atMs,
    state: 'wanted',
    wanted: 1,
    shown: 0,
    moved: 0,
    ts: null,
    not_before_ms: 0,
    sending_ms: null,
    first_sending_ms: null,
    attempts: 0,
    plain: 0,
    tidy_ms: null,
    tidies: 0,
    why: null,
  }
}

export function toDelivery(row: Selectable<CardRow>): Delivery {
  return {
    state: row.state as CardState,
    wanted: row.wanted,
    shown: row.shown,
    ts: row.ts,
    notBeforeMs: row.not_before_ms,
    sendingMs: row.sending_ms,
    firstSendingMs: row.first_sending_ms,
    attempts: row.attempts,
    plain: row.plain === 1,
    tidyMs: row.tidy_ms,
    tidies: row.tidies,
    why: row.why,
  }
}

export function fromDeliveryPatch(patch: DeliveryPatch): Updateable<CardRow> {
  const { notBeforeMs, sendingMs, firstSendingMs, tidyMs, plain, ...same } = patch
  return {
    ...same,
    ...(notBeforeMs === undefined ? {} : { not_before_ms: notBeforeMs }),
    ...(sendingMs === undefined ? {} : { sending_ms: sendingMs }),
    ...(firstSendingMs === undefined ? {} : { first_sending_ms: firstSendingMs }),
    ...(tidyMs === undefined ? {} : { tidy_ms: tidyMs }),
    ...(plain === undefined ? {} : { plain: plain ? 1 : 0 }),
  }
}

export function toFacts(rows: readonly Selectable<FactRow>[]): Facts {
  const values = new Map(rows.map((row) => [row.name, row.value]))
  return {
    form: (values.get('form') || null) as CloseStyle | null,
    historyMs: toNumber(values.get('historyMs')),
    polledMs: toNumber(values.get('polledMs')),
  }
}

export function fromFacts(facts: Partial<Facts>): Insertable<FactRow>[] {
  return Object.entries(facts).flatMap(([name, value]) =>
    value === undefined ? [] : [{ name, value: value === null ? '' : String(value) }],
  )
}

function toNumber(text: string | undefined): number | null {
  return text === undefined || text === '' ? null : Number(text)
}
