/** Answers as the tests of rendering build them. */
import type { Answer, Health, Paged, Status } from '../../../src/bot/domain/request/answer.ts'
import { minuteMs, startedMs } from './card-views.ts'

export const nowMs = startedMs + 60 * minuteMs

export function well(over: Partial<Health> = {}): Health {
  return {
    nowMs,
    lastPollMs: nowMs - 12_000,
    failing: null,
    coverage: { open: 'complete', past: 'complete' },
    slack: { ready: true, sinceMs: startedMs, sockets: 2 },
    troubles: [],
    unexpectedErrors: [],
    ...over,
  }
}

export const outage = well({
  lastPollMs: startedMs,
  failing: { sinceMs: startedMs + minuteMs, why: 'the monitoring API could not be reached (ECONNREFUSED)' },
})

export function aStatus(over: Partial<Status> = {}): Answer {
  const status = {
    ...well(),
    open: 0,
    unacknowledged: 0,
    mutes: [],
    cards: new Map(),
    behind: 0,
    behindIn: new Map<string, number>(),
    ...over,
  }
  return { kind: 'status', status }
}

/** A list that has room on one page. */
export function onePage<Item>(items: readonly Item[]): Paged<Item> {
  return { items, page: 1, pages: 1, total: items.length }
}
