/** Decides who is on call from the shifts that a calendar lists. Pure. */

/** Whom a calendar names: by e-mail (in lower case), or only by a name. */
export type Named = { readonly email: string | null; readonly name: string }

/** One shift as the calendar has it; shifts may overlap. Times are epoch milliseconds, the end not included. */
export type Shift = {
  readonly startMs: number
  readonly endMs: number
  readonly who: Named
  /** The calendar's words do not say who it is; `who.name` is its title. */
  readonly isUnclear: boolean
}

/** Events that could not be read, and may be shifts around now. */
export type Skipped = {
  readonly skipped: number
  /** Why the first of them could not; null or absent: not known. */
  readonly skippedWhy?: string | null
}

/** What one reading of a calendar gave. */
export type ListedShifts = Skipped & {
  /** By the order that decides between two that begin at once: the last one wins. */
  readonly shifts: readonly Shift[]
}

/** Somebody on call. */
export type OnCallPerson = {
  /** The same for the same person: the e-mail, or the name in lower case. */
  readonly key: string
  readonly name: string
  /** Null: not found in Slack. */
  readonly userId: string | null
}

/** Who is on call from when to when: duties do not overlap, and the same person follows nobody but others, or a gap. */
export type Duty = { readonly startMs: number; readonly endMs: number; readonly person: OnCallPerson }

/** What is known of the on-call calendar. */
export type OnCall = Skipped & {
  /** Where it is read from, in words without a secret: `the calendar`, `PagerDuty schedule P1`. */
  readonly from: string
  /** When it was last read; null: never. */
  readonly readMs: number | null
  /** Until when the last reading says who is on call. */
  readonly knownUntilMs: number
  /** In their order. */
  readonly duties: readonly Duty[]
  /** Why it cannot be read now, and since when; null if it can. */
  readonly failing: { readonly sinceMs: number; readonly why: string } | null
  /** Why people could not be looked up in Slack by e-mail; null if they could. */
  readonly lookUpFailed: string | null
}

/**
 * Who is on call at a time. `unknown`: the calendar was never read, or so long ago that it says nothing of now; or it lists nobody,
 * and some of it could not be read.
 */
export type OnCallAt =
  | { readonly kind: 'person'; readonly duty: Duty; readonly next: Duty | null }
  | { readonly kind: 'nobody'; readonly sinceMs: number; readonly next: Duty | null }
  | { readonly kind: 'unknown' }

type Candidate = Omit<Shift, 'who'> & { readonly person: OnCallPerson }

/**
 * The duties that these shifts amount to: of those that overlap the one that began last counts, and of two that began at once the
 * later in the list. One that does not say who it is counts only where no other does.
 */
export function dutiesOf(shifts: readonly Candidate[]): readonly Duty[] {
  const edges = [...new Set(shifts.flatMap(({ startMs, endMs }) => [startMs, endMs]))].sort((a, b) => a - b)
  const duties: Duty[] = []
  for (const [at, startMs] of edges.entries()) {
    const endMs = edges[at + 1]
    if (endMs === undefined) break
    const person = winnerAt(shifts, startMs)
    if (person === null) continue
    const last = duties.at(-1)
    if (last !== undefined && last.endMs === startMs && last.person.key === person.key)
      duties[duties.length - 1] = { ...last, endMs }
    else duties.push({ startMs, endMs, person })
  }
  return duties
}

function winnerAt(shifts: readonly Candidate[], ms: number): OnCallPerson | null {
  let best: Candidate | null = null
  for (const one of shifts) {
    if (one.startMs > ms || one.endMs <= ms) continue
    if (best === null || (best.isUnclear && !one.isUnclear)) best = one
    else if (best.isUnclear === one.isUnclear && one.startMs >= best.startMs) best = one
  }
  return best?.person ?? null
}

export function onCallAt({ readMs, knownUntilMs, duties, skipped }: OnCall, ms: number): OnCallAt {
  if (readMs === null || ms >= knownUntilMs) return { kind: 'unknown' }
  const duty = duties.find(({ startMs, endMs }) => startMs <= ms && ms < endMs) ?? null
  const next = duties.find(({ startMs }) => startMs > ms) ?? null
  if (duty !== null) return { kind: 'person', duty, next }
  if (skipped > 0) return { kind: 'unknown' }
  const sinceMs = duties.findLast(({ endMs }) => endMs <= ms)?.endMs ?? readMs
  return { kind: 'nobody', sinceMs, next }
}

/** The next moment at which somebody else may be on call; null if none is known. */
export function nextEdgeMs({ duties, knownUntilMs }: OnCall, ms: number): number | null {
  const edges = [...duties.flatMap(({ startMs, endMs }) => [startMs, endMs]), knownUntilMs]
  const later = edges.filter((edge) => edge > ms)
  return later.length === 0 ? null : Math.min(...later)
}

/** A calendar that cannot be read for so long is a problem that every surface tells. */
const troubleAfterMs = 15 * 60_000

/** Is it worth a warning? What is known stays good for a while: shifts are planned ahead. */
export function isOnCallTrouble(onCall: OnCall, nowMs: number): boolean {
  const { failing } = onCall
  if (failing === null) return false
  return nowMs - failing.sinceMs >= troubleAfterMs || onCallAt(onCall, nowMs).kind === 'unknown'
}
