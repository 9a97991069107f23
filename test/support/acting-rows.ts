/** Makes mutes, notes and audit entries for tests: complete, with defaults that a test may override. */

import type { Alert, Note } from '../../src/bot/domain/alert/alert.ts'
import type { Mute, MutedAlert } from '../../src/bot/domain/mute/mute.ts'
import type { PlannedMute } from '../../src/bot/domain/mute/planned.ts'
import { troubleSubject } from '../../src/bot/domain/mute/subject.ts'
import type { AuditEntry } from '../../src/bot/domain/request/audit.ts'

const atMs = Date.UTC(2026, 10, 21, 3, 30, 0)
const hourMs = 60 * 60 * 1000

/** An active mute of web-1 for an hour, by ana. */
export function aMute(muteId: string, over: Partial<Mute> = {}): Mute {
  return {
    muteId,
    subject: 'web-1',
    alert: null,
    mode: 'timed',
    untilMs: atMs + hourMs,
    userId: 'U0ANA',
    reason: 'deploying',
    state: 'active',
    confirmation: 'confirmed',
    startedMs: atMs,
    termsMs: atMs,
    previous: null,
    channel: 'C1',
    cardId: null,
    expiryNoticeMs: null,
    endedMs: null,
    endedBy: null,
    endedByUserId: null,
    version: 1,
    ...over,
  }
}

/** web-? every Tuesday from 02:00 to 04:00 in Berlin, by ana; planned on Saturday, 2026-11-21. */
export function aPlannedMute(plannedId: string, over: Partial<PlannedMute> = {}): PlannedMute {
  return {
    plannedId,
    what: { of: 'servers', names: ['web-?'] },
    rule: { is: 'weekly', days: [2], nth: null, minute: 120, length: { untilMinute: 240 } },
    zone: 'Europe/Berlin',
    reason: 'patch day',
    userId: 'U0ANA',
    channel: 'C1',
    cardId: null,
    doneMs: atMs,
    skippedMs: null,
    toldMs: null,
    version: 1,
    ...over,
  }
}

/** Something that ana did to web-1 with a button. */
export function anEntry(auditId: string, over: Partial<AuditEntry> = {}): AuditEntry {
  return {
    auditId,
    atMs,
    userId: 'U0ANA',
    via: 'button',
    act: 'mute_server',
    hostname: 'web-1',
    alertId: null,
    channel: 'C1',
    outcome: 'done',
    why: null,
    detail: {},
    ...over,
  }
}

export function aNote(noteId: string, over: Partial<Note> = {}): Note {
  return { noteId, alertId: '1', userId: 'U0ANA', atMs, text: 'looking', ...over }
}

/** The same of this alert alone, as monbot hides it without the API's help. */
export function anAlertMute(
  muteId: string,
  of: Alert,
  over: Partial<Mute> = {},
  alert: Partial<MutedAlert> = {},
): Mute {
  const { alertId, hostname, serverName, plugin, metric, title, severity } = of
  const about = { alertId, hostname, serverName, plugin, metric, title }
  const muted = { about, isCritical: severity === 'critical', isAtService: false, matchers: null, ...alert }
  return aMute(muteId, { subject: troubleSubject(of), alert: muted, ...over })
}
