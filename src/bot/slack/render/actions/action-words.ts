/** All words of one action, wherever it is mentioned. */
import type { Change } from '../../../domain/request/actions.ts'
import type { AuditEntry } from '../../../domain/request/audit.ts'
import type { Done } from '../../../domain/request/reply.ts'
import type { When } from '../text/phrases.ts'
import type { ListedParts, ToldParts } from './entry-parts.ts'

/** For an audit row. */
export type EntryWords = {
  /** The announcement to everyone, in one line. */
  readonly told: (parts: ToldParts) => string
  /** In the audit list, after the person; used if it was not done, or if `told` is too long. */
  readonly wanted: (parts: ListedParts) => string
  /** In the last line of a closed card, before the person. Absent: it is mentioned elsewhere, or nowhere. */
  readonly timeline?: (entry: AuditEntry) => string
}

type ActionWords = EntryWords & {
  /** After "You may not". */
  readonly may: string
  /** After "Could not". */
  readonly attempt: string
  /** After "Couldn't confirm", before the server; absent for what never leaves monbot. */
  readonly thing?: string
  /** What monbot or the person does if it is not known whether it was done. */
  readonly doubt: string
}

/** The answer to the person who asked. That of a mute depends on the outcome, so its words are in `replies/`. */
export type DoneWords<Kind extends Done['act']> = {
  readonly done: (reply: Extract<Done, { act: Kind }>, when: When) => string[]
  /** Does the clicked card show the outcome, so that an answer would only repeat it? */
  readonly isOnCard: (reply: Extract<Done, { act: Kind }>) => boolean
}

export type WordsOf<Asked extends Change> = {
  readonly [Kind in Asked['kind']]: ActionWords & (Kind extends Done['act'] ? DoneWords<Kind> : unknown)
}

export const doubts = {
  again: 'Try again in a minute: doing it twice does no harm.',
  mute: 'Taking it back, and retrying that for 30 min in case it is muted late. An earlier mute stays as it was.',
  unmute: 'monbot does not retry this by itself. Try again: doing it twice does no harm.',
} as const
