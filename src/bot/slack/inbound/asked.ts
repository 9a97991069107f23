/** What one interaction with Slack means: the request, and where its answer goes. */
import { z } from 'zod'
import type { Request } from '../../domain/request/intent.ts'
import type { Refusal } from '../../domain/request/reply.ts'

export type Asker = {
  readonly userId: string
  /** Null if there is none: Home, and a form that was opened from there. */
  readonly channel: string | null
  readonly threadTs: string | null
  /** A secret: anybody who has it can post as the bot for half an hour. */
  readonly responseUrl: string | null
  /** Allows opening one form within three seconds. */
  readonly triggerId: string | null
  /** Does the answer replace the message with the clicked button: never, only on success, or always? */
  readonly replaces: 'never' | 'when_done' | 'always'
}

export type Asked =
  | { readonly kind: 'request'; readonly request: Request; readonly asker: Asker }
  /** It was understood well enough to say what is wrong. */
  | { readonly kind: 'refused'; readonly refusal: Refusal; readonly asker: Asker }
  /** Nothing to do: a button that only opens a page. */
  | { readonly kind: 'nothing' }

/** A request, or the refusal of one that is not understood. */
export type Answerable = Exclude<Asked, { kind: 'nothing' }>

/**
 * The thread that somebody acted in; null for a message of the channel. Such a message names itself as its thread once it has
 * replies, but an answer in there would not be seen.
 */
export function threadOf(
  threadTs: string | null | undefined,
  messageTs: string | null | undefined,
): string | null {
  return threadTs === messageTs ? null : (threadTs ?? null)
}

/** An id, trigger or timestamp of Slack's: never empty, never long. */
export const word = z.string().min(1).max(255)
export const address = z.string().max(2_000)
