/** A silence as an Alertmanager lists it, and as it is requested. */
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
  /** When it was last created, changed or ended by hand; expiry does not change this. */
  readonly updatedAtMs: number
}

/** With an id, that silence is changed if only its end differs; otherwise a new one replaces it. */
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

/** Rejects with a `Refusal` if one of them cannot be read. */
export function readSilences(name: string, answer: unknown): Promise<readonly Silence[]> {
  return listOf(name, 'silences', answer, record, ({ status, startsAt, endsAt, updatedAt, ...found }) => ({
    ...found,
    state: status.state,
    startsAtMs: startsAt ?? 0,
    endsAtMs: endsAt ?? 0,
    updatedAtMs: updatedAt ?? 0,
  }))
}

/** Each silence once, in its latest version, which all of them will have eventually. */
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

/** The id from an Alertmanager's answer. */
export function idOf(name: string, answer: unknown): string {
  const found = z.object({ silenceID: z.string().min(1) }).safeParse(answer)
  if (found.success) return found.data.silenceID
  throw new Refusal(502, `${name}: expected the id of a silence; came something else`)
}
