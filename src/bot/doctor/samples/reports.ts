/** The longest of what a report and a handoff count. */
import type { Report } from '../../domain/request/report.ts'
import { type Happened, rulesMax } from '../../domain/request/rule-counts.ts'
import { minuteMs, several, startedMs } from './made-up.ts'

export function longestHappened(text: string, nowMs: number): Happened {
  const many = 123_456
  const rules = several(rulesMax, () => ({
    ...{ rule: text, opened: many, before: 1, servers: many, alone: many, closed: many, openMs: nowMs },
    ...{ isAtLeast: true, medianMs: minuteMs, acknowledged: many, hidden: many, useful: 1, noise: many },
  }))
  return { fromMs: startedMs, toMs: nowMs, opened: many, before: 1, rules, count: many }
}

export function longestReport(text: string, nowMs: number): Report {
  return {
    fromMs: startedMs,
    toMs: nowMs,
    opened: 123_456,
    closed: 123_456,
    stillOpen: 123_456,
    openBefore: 123_456,
    lost: 123_456,
    oneoffs: 123_456,
    servers: several(10, () => ({ name: text, count: 123_456 })),
    parts: [],
    toAcknowledgeMs: minuteMs,
    toCloseMs: minuteMs,
    acknowledged: 123_456,
    happened: longestHappened(text, nowMs),
    outage: { times: 123, ms: minuteMs, isSure: false },
  }
}
