/** Alerts, mutes and audit entries that never were, for samples of what monbot shows. */
import type { Alert } from '../../domain/alert/alert.ts'
import type { Mute } from '../../domain/mute/mute.ts'
import type { Health } from '../../domain/request/answer.ts'
import type { Act, AuditEntry } from '../../domain/request/audit.ts'

/** When everything in the samples began, epoch milliseconds. */
export const startedMs = Date.UTC(2026, 10, 21, 3, 0, 0)
export const minuteMs = 60_000

/** Longer than anything that Slack takes, and five times as long once it is escaped. */
export const longText = '&<>'.repeat(2_000)
/** The API takes no longer hostname in a request, so there is no mute of one either. */
const hostnameCharsMax = 1_000
/** Near Slack's limit on the address of a button, and within it when it is written out. */
const urlChars = 1_900

export function anAlert(text: string, n: number, over: Partial<Alert> = {}): Alert {
  const isShort = text.length < urlChars
  return {
    alertId: String(n),
    hostname: text.slice(0, hostnameCharsMax),
    serverName: text,
    title: text,
    plugin: text,
    metric: 'last_minute',
    value: 3.5,
    url: isShort ? 'https://monitor.example/a/1' : `https://monitor.example/${'x'.repeat(urlChars)}`,
    triggerId: null,
    saidSeverity: null,
    details: {
      labels: { pod: text },
      description: text,
      links: [],
      trouble: null,
      canMute: true,
      units: text,
    },
    severity: 'warning',
    state: 'open',
    startedMs,
    closedMs: null,
    closedBy: null,
    closedAfterMs: null,
    absences: 0,
    missingMs: null,
    roles: [text, text],
    ackedBy: null,
    ackedMs: null,
    ackedBefore: null,
    ownershipConfirmedMs: null,
    reopenedMs: null,
    unmutedMs: null,
    version: 1,
    firstSeenMs: startedMs + 5_000,
    ...over,
  }
}

export function aMute(text: string, over: Partial<Mute> = {}): Mute {
  return {
    muteId: 'm1',
    subject: text.slice(0, hostnameCharsMax),
    alert: null,
    mode: 'timed',
    untilMs: startedMs + 60 * minuteMs,
    userId: 'U0123ABC2',
    reason: text,
    state: 'active',
    confirmation: 'confirmed',
    startedMs,
    termsMs: startedMs,
    previous: null,
    channel: 'C0123ABC1',
    cardId: null,
    expiryNoticeMs: null,
    endedMs: null,
    endedBy: null,
    endedByUserId: null,
    version: 1,
    ...over,
  }
}

export function anEntry(act: Act, over: Partial<AuditEntry> = {}): AuditEntry {
  return {
    auditId: 'a1',
    atMs: startedMs,
    userId: 'U0123ABC1',
    via: 'button',
    act,
    hostname: 'web-1',
    alertId: null,
    channel: 'C0123ABC1',
    outcome: 'done',
    why: null,
    detail: {},
    ...over,
  }
}

/** Of a bot that has not read what is open for a while, for this reason. */
export function unwell(why: string): Health {
  return {
    nowMs: startedMs + 60 * minuteMs,
    lastPollMs: startedMs,
    failing: { sinceMs: startedMs + minuteMs, why },
    coverage: { open: 'partial', past: 'complete' },
    slack: { ready: true, sinceMs: startedMs, sockets: 2 },
    troubles: [],
    unexpectedErrors: [],
  }
}

/** As many as are wanted. */
export function several<Item>(count: number, make: (n: number) => Item): Item[] {
  return Array.from({ length: count }, (_, n) => make(n))
}
