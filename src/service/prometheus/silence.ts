/** A silence as an Alertmanager has it, and as it is asked for. */
import { z } from 'zod'
import { Refusal } from '../refusal.ts'
import type { Matcher } from './naming.ts'
import { instant, listOf } from './records.ts'

export type Silence = {
  readonly id: string
  readonly state: 'active' | 'pending' | 'expired'
  readonly createdBy: string
  readonly comment: string
  readonly matchers: readonly Matcher[]
  readonly startsAtMs: number
  readonly endsAtMs: number
  /** When it was asked for, changed or ended by hand last; the end of one that just ran out changes nothing. */
  readonly updatedAtMs: number
}

/** With an id, the one of that id is changed: its end at least; where more differs, another one takes its place. */
export type SilenceDraft = Pick<Silence, 'createdBy' | 'comment' | 'matchers' | 'startsAtMs' | 'endsAtMs'> & {
  readonly id: string | null
}

const record = z.object({
  id: z.string().min(1),
  status: z.object({ state: z.enum(['active', 'pending', 'expired']) }),
  createdBy: z.string().catch(''),
  comment: z.string().catch(''),
  matchers: z
    .array(
      z.object({
        name: z.string(),
        value: z.string(),
        isRegex: z.boolean().default(false),
        isEqual: z.boolean().default(true),
      }),
    )
    .catch(() => []),
  startsAt: instant,
  endsAt: instant,
  updatedAt: instant,
})

/** Rejects with a `Refusal` where one of them cannot be read. */
export function readSilences(name: string, answer: unknown): Promise<readonly Silence[]> {
  return listOf(name, 'silences', answer, record, ({ status, startsAt, endsAt, updatedAt, ...found }) => ({
    ...found,
    state: status.state,
    startsAtMs: startsAt ?? 0,
    endsAtMs: endsAt ?? 0,
    updatedAtMs: updatedAt ?? 0,
  }))
}

/** Each silence once, as whoever heard of it last has it: that is what all of them will say. */
export function uniteSilences(views: readonly (readonly Silence[])[]): readonly Silence[] {
  const found = new Map<string, Silence>()
  for (const silence of views.flat()) {
    const known = found.get(silence.id)
    if (known === undefined || silence.updatedAtMs > known.updatedAtMs) found.set(silence.id, silence)
  }
  return [...found.values()]
}

export function bodyOf({ id, startsAtMs, endsAtMs, ...draft }: SilenceDraft): object {
  return {
    ...(id === null ? {} : { id }),
    ...draft,
    startsAt: new Date(startsAtMs).toISOString(),
    endsAt: new Date(endsAtMs).toISOString(),
  }
}

/** The id that an Alertmanager gave. */
export function idOf(name: string, answer: unknown): string {
  const found = z.object({ silenceID: z.string().min(1) }).safeParse(answer)
  if (found.success) return found.data.silenceID
  throw new Refusal(502, `${name}: expected the id of a silence; came something else`)
}
