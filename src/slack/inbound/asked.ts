/** What one interaction with Slack came to: what is asked for, and where its answer goes. */
import { z } from 'zod'
import type { Request } from '../../domain/request/intent.ts'
import type { Refusal } from '../../domain/request/reply.ts'

export type Asker = {
  readonly userId: string
  /** Null where there is none: Home, and a form that was opened from there. */
  readonly channel: string | null
  readonly threadTs: string | null
  /** A secret: whoever has it can speak for the bot for half an hour. */
  readonly responseUrl: string | null
  /** Opens one form within three seconds. */
  readonly triggerId: string | null
  /** Whether the answer takes the place of the answer of ours that was pressed: only when it went well, or in any case. */
  readonly replaces: 'never' | 'when_done' | 'always'
}

export type Asked =
  | { readonly kind: 'request'; readonly request: Request; readonly asker: Asker }
  /** It was understood well enough to say what is wrong with it. */
  | { readonly kind: 'refused'; readonly refusal: Refusal; readonly asker: Asker }
  /** There is nothing to do: a button that only opens a page. */
  | { readonly kind: 'nothing' }

/** An id of Slack's, a trigger, a response URL, a timestamp: never empty, never long. */
export const word = z.string().min(1).max(255)
export const address = z.string().max(2_000)
