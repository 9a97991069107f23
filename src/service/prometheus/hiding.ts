/** Says in a few words why nobody is notified of a firing alert: somebody else's silences, or inhibition. */
import { Refusal } from '../refusal.ts'
import type { Alertmanagers } from './alertmanagers.ts'
import type { ManagedAlert, Silence } from './records.ts'

export type Hiding = {
  /** `silenced by ana until 15:04 UTC`, `inhibited`; without parentheses. */
  readonly words: string
  /** Since when; null: not known. */
  readonly sinceMs: number | null
}

/** Null: it is not hidden, or only by our own silences. */
export type HidingOf = (alert: ManagedAlert) => Hiding | null

/** Silences can be extended; those that are in use are read again after this long. */
const freshMs = 15_000
const nameCharsMax = 40

/** Reads what the words need. A failure only makes them shorter. */
export function openHidings(parts: {
  readonly managers: Pick<Alertmanagers, 'silences'>
  readonly isOurs: (silenceId: string) => boolean
  readonly nowMs: () => number
}): { read(alerts: readonly ManagedAlert[]): Promise<HidingOf> } {
  const { managers, isOurs, nowMs } = parts
  let silences: ReadonlyMap<string, Silence> = new Map()
  let readMs = Number.NEGATIVE_INFINITY

  async function readSilences(ids: readonly string[]): Promise<void> {
    const isFresh = nowMs() - readMs < freshMs && nowMs() >= readMs
    if (isFresh && ids.every((id) => silences.has(id))) return
    try {
      silences = new Map((await managers.silences()).map((one) => [one.id, one]))
      readMs = nowMs()
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
    }
  }

  const theirs = ({ silencedBy }: ManagedAlert): readonly string[] => silencedBy.filter((id) => !isOurs(id))

  return {
    async read(alerts) {
      const ids = [...new Set(alerts.flatMap(theirs))]
      if (ids.length > 0) await readSilences(ids)
      const startOf = new Map(alerts.map(({ fingerprint, startsAtMs }) => [fingerprint, startsAtMs]))
      return (alert) => {
        const own = theirs(alert)
        if (alert.state !== 'suppressed' || own.length + alert.inhibitedBy.length === 0) return null
        const known = own.flatMap((id) => silences.get(id) ?? [])
        const starts = [
          ...own.map((id) => silences.get(id)?.startsAtMs),
          ...alert.inhibitedBy.map((by) => startOf.get(by)),
        ].filter((startMs) => startMs !== undefined)
        return {
          words: own.length > 0 ? wordsOf(known, nowMs()) : 'inhibited',
          sinceMs: starts.length === 0 ? null : Math.min(...starts),
        }
      }
    },
  }
}

/** Of several silences the one that ends last. */
function wordsOf(silences: readonly Silence[], nowMs: number): string {
  const [last] = silences.toSorted((one, other) => other.endsAtMs - one.endsAtMs)
  if (last === undefined) return 'silenced'
  const name = last.createdBy
    .replace(/[()\p{Cc}\s]+/gu, ' ')
    .trim()
    .slice(0, nameCharsMax)
    .toWellFormed()
  const until = last.endsAtMs > 0 ? ` until ${timeOf(last.endsAtMs, nowMs)}` : ''
  return `silenced${name === '' ? '' : ` by ${name}`}${until}`
}

function timeOf(ms: number, nowMs: number): string {
  const [day = '', time = ''] = new Date(ms).toISOString().split('T')
  const isToday = day === new Date(nowMs).toISOString().slice(0, day.length)
  return `${isToday ? '' : `${day} `}${time.slice(0, 5)} UTC`
}
