/** A log that a test can read. */
import type { Logger } from '../../src/bot/flow/ports/ports.ts'

export type Entry = {
  readonly level: string
  readonly event: string
  readonly facts: Record<string, unknown>
}

/** The log. A bug that the bot would survive still fails the test, unless the test is about it (`mayBreak`). */
export function keptJournal({ mayBreak = false } = {}): Logger & {
  readonly entries: Entry[]
  events(): string[]
} {
  const entries: Entry[] = []
  const keep =
    (level: string) =>
    (event: string, facts: Record<string, unknown> = {}) => {
      entries.push({ level, event, facts })
      if (event === 'job:broken' && !mayBreak) throw facts.error
    }
  return {
    entries,
    events: () => entries.map((entry) => entry.event),
    debug: keep('debug'),
    info: keep('info'),
    warn: keep('warn'),
    error: keep('error'),
  }
}
