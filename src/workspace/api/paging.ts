/** Cursors, as Slack gives them: opaque text that names where the next page begins. */
import type { Args } from './args.ts'
import { type No, no } from './reply.ts'

export type PageAsk = { readonly limit: number; readonly after: string | undefined }
export type PageVerdict =
  | { readonly ok: true; readonly page: PageAsk }
  | { readonly ok: false; readonly reply: No }

/** Reads `limit` and `cursor`; a limit outside 1…max is `invalid_limit`, a cursor not of ours `invalid_cursor`. */
export function readPage(args: Args, { usual, max }: { usual: number; max: number }): PageVerdict {
  const limit = args.whole('limit') ?? usual
  // Zero is what clients send for "no limit of mine".
  const wanted = limit === 0 ? usual : limit
  if (Number.isNaN(wanted) || wanted < 1 || wanted > max) return { ok: false, reply: no('invalid_limit') }
  const cursor = args.text('cursor')
  if (cursor === undefined || cursor === '') return { ok: true, page: { limit: wanted, after: undefined } }
  const after = /^next:(.+)$/.exec(Buffer.from(cursor, 'base64').toString('utf8'))?.[1]
  if (after === undefined) return { ok: false, reply: no('invalid_cursor') }
  return { ok: true, page: { limit: wanted, after } }
}

/** One page of an ordered list: what comes after the key that the cursor names. */
export function cut<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string,
  { limit, after }: PageAsk,
): { readonly items: readonly Item[]; readonly nextCursor: string } {
  const found = after === undefined ? -1 : items.findIndex((item) => keyOf(item) === after)
  const rest = items.slice(found + 1)
  const shown = rest.slice(0, limit)
  const last = shown.at(-1)
  const more = rest.length > shown.length && last !== undefined
  return { items: shown, nextCursor: more ? Buffer.from(`next:${keyOf(last)}`).toString('base64') : '' }
}
