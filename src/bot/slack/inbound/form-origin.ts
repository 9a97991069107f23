/** What Slack stores with a form while it is filled in: where it was opened, and what it is about. */
import { z } from 'zod'
import type { Shown } from '../../domain/mute/shown.ts'
import type { Request } from '../../domain/request/intent.ts'
import { type FormName, formNames } from '../../domain/request/named.ts'
import { address, word } from './asked.ts'

export type FormOrigin = {
  readonly form: FormName
  readonly alertId: string | null
  /** What the command already gave: a server, or names joined by commas. */
  readonly given: string | null
  readonly card: Request['card']
  /** When it was opened, epoch milliseconds. */
  readonly openedMs: number
  /** What a mute form showed of the mute. */
  readonly shown: Shown
  readonly channel: string | null
  readonly threadTs: string | null
  readonly responseUrl: string | null
}

/** Slack's limit. */
const metadataCharsMax = 3_000

const shape = z.object({
  form: z.enum(formNames),
  alertId: word.nullable(),
  given: z.string().max(metadataCharsMax).nullable(),
  card: z.object({ cardId: word, version: z.int() }).nullable(),
  // Absent in a form opened by an older version.
  openedMs: z.int().default(0),
  shown: z
    .object({
      servers: z.array(z.string()).readonly(),
      open: z.int(),
      mutes: z.array(z.string()).readonly(),
    })
    .default({ servers: [], open: 0, mutes: [] }),
  channel: word.nullable(),
  threadTs: word.nullable(),
  responseUrl: address.nullable(),
}) satisfies z.ZodType<FormOrigin>

/** The text for `private_metadata`; null if it would be longer than Slack allows. */
export function metadataText(origin: FormOrigin): string | null {
  const full = JSON.stringify(origin)
  if (full.length <= metadataCharsMax) return full
  // The answer can also be delivered without the response URL.
  const bare = JSON.stringify({ ...origin, responseUrl: null })
  return bare.length <= metadataCharsMax ? bare : null
}

/** Reads what `metadataText` wrote; null for anything else. */
export function parseMetadata(text: string): FormOrigin | null {
  try {
    return shape.safeParse(JSON.parse(text)).data ?? null
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return null
  }
}
