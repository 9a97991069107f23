/** The words of every action, and of what monbot does by itself. */
import type { Change } from '../../../domain/request/actions.ts'
import type { Act } from '../../../domain/request/audit.ts'
import type { Done } from '../../../domain/request/reply.ts'
import type { EntryWords, WordsOf } from './action-words.ts'
import { alertWords } from './alert-words.ts'
import { muteWords } from './mute-words.ts'
import { ownWords } from './own-words.ts'
import { serviceWords } from './service-words.ts'

export const actionWords: WordsOf<Change> = { ...alertWords, ...muteWords, ...serviceWords }

export const entryWords: Readonly<Record<Act, EntryWords>> = { ...actionWords, ...ownWords }

/** The reply to the person whose change was made. */
export function doneLines<Kind extends Done['act']>(act: Kind, done: Extract<Done, { act: Kind }>): string[] {
  const words: { readonly [One in Done['act']]: { done: (done: Extract<Done, { act: One }>) => string[] } } =
    actionWords
  return words[act].done(done)
}
