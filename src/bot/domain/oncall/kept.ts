/** What is kept on disk of an on-call calendar, and what was told of it last. Pure. */
import { type OnCall, type OnCallPerson, onCallAt, type Skipped } from './shift.ts'

/** All but where it is read from. */
export type Kept = Omit<OnCall, 'from'>

export function keptText(
  { readMs, knownUntilMs, duties, skipped, skippedWhy, failing, lookUpFailed }: Kept,
  id: string,
): string {
  return JSON.stringify({ id, readMs, knownUntilMs, duties, skipped, skippedWhy, failing, lookUpFailed })
}

/** Null: nothing is kept, or it is of another source (`id`). */
export function parseKept(text: string | undefined, id: string): Kept | null {
  if (text === undefined) return null
  const { id: of, ...kept } = JSON.parse(text) as Kept & { readonly id: string }
  return of === id ? kept : null
}

/** A change of shift, as the audit keeps it. */
export type ShiftChange = Partial<Skipped> & {
  /** Null: nobody. */
  readonly now: Pick<OnCallPerson, 'name' | 'userId'> | null
  readonly before: Pick<OnCallPerson, 'name' | 'userId'> | null
  /** Until when; for nobody, when the next shift begins. Null: not known. */
  readonly untilMs: number | null
  /** The calendar could not be read since then: it is as last known. Null: it could. */
  readonly unreadSinceMs: number | null
  /** When the shift before it began, or the gap; null or absent: not known. */
  readonly beforeFromMs?: number | null
}

/** What is to be told, if somebody else is on call than was told (`told`, a `toldText`; undefined: nothing was yet). */
export function shiftChange(
  onCall: OnCall,
  told: string | undefined,
  nowMs: number,
): { readonly shift: ShiftChange; readonly now: OnCallPerson | null } | null {
  const at = onCallAt(onCall, nowMs)
  if (at.kind === 'unknown') return null
  const before = told === undefined ? null : (JSON.parse(told) as OnCallPerson | null)
  const now = at.kind === 'person' ? at.duty.person : null
  if (told !== undefined && before?.key === now?.key) return null
  const untilMs = at.kind === 'person' ? at.duty.endMs : (at.next?.startMs ?? null)
  const unreadSinceMs = onCall.failing?.sinceMs ?? null
  const beforeFromMs = startBefore(onCall, nowMs)
  const { skipped, skippedWhy = null } = onCall
  const doubt = { unreadSinceMs, skipped, skippedWhy }
  return { shift: { now: shown(now), before: shown(before), untilMs, ...doubt, beforeFromMs }, now }
}

/** When what was before the present duty, or the present gap, began. */
function startBefore({ duties }: OnCall, nowMs: number): number | null {
  const begun = duties.filter(({ startMs }) => startMs <= nowMs)
  const edges = begun.flatMap(({ startMs, endMs }) => [startMs, endMs]).filter((ms) => ms <= nowMs)
  return [...new Set(edges)].sort((a, b) => a - b).at(-2) ?? null
}

export function toldText(now: OnCallPerson | null): string {
  return JSON.stringify(now)
}

function shown(person: OnCallPerson | null): ShiftChange['now'] {
  return person === null ? null : { name: person.name, userId: person.userId }
}
