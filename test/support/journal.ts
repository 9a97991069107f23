/** A journal that keeps what is said, so that a test can read it. */
import type { Logger } from '../../src/bot/flow/ports/ports.ts'

export type Entry = {
  readonly level: string
  readonly event: string
  readonly facts: Record<string, unknown>
}

/** A bug that the bot would survive still ends the test, unless it is what the test is about (`mayBreak`). */
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
