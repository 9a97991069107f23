/** Says by what an Alertmanager mutes a firing alert: by silences, ours and others', and by alerts that inhibit it. */
import type { MutedBy } from '../alerts/alert-records.ts'
import { Refusal } from '../refusal.ts'
import type { Alertmanagers } from './alertmanagers.ts'
import { oneLine } from './annotations.ts'
import type { Labels, Naming } from './naming.ts'
import type { ManagedAlert, Silence } from './records.ts'

/** Empty: somebody is notified of it. */
export type MutesOf = (alert: ManagedAlert) => readonly MutedBy[]

/** What is known of a silence of our own; what it leaves out is not known. */
export type OwnMute = Partial<Pick<MutedBy, 'id' | 'by' | 'untilMs' | 'why'>>

/** Silences can be extended; those that are in use are read again after this long. */
const freshMs = 15_000
/** Of one alert; those that end last come first. */
const mutesMax = 5
const nameCharsMax = 100
const whyCharsMax = 300

/** Reads what is to be said. A failure only makes it shorter: the alert is muted all the same. */
export function openMutedBy(parts: {
  readonly managers: Pick<Alertmanagers, 'silences'>
  /** Null: the silence is not ours. */
  readonly ownOf: (silenceId: string) => OwnMute | null
  readonly naming: Pick<Naming, 'of'>
  readonly nowMs: () => number
}): { read(alerts: readonly ManagedAlert[]): Promise<MutesOf> } {
  const { managers, ownOf, naming, nowMs } = parts
  let silences: ReadonlyMap<string, Silence> = new Map()
  let readMs = Number.NEGATIVE_INFINITY

  async function readSilences(ids: ReadonlySet<string>): Promise<void> {
    const isFresh = nowMs() - readMs < freshMs && nowMs() >= readMs
    if (isFresh && [...ids].every((id) => silences.has(id))) return
    try {
      silences = new Map((await managers.silences()).map((one) => [one.id, one]))
      readMs = nowMs()
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
    }
  }

  function muteOf(id: string): MutedBy {
    const own = ownOf(id)
    if (own !== null) return { ...unknown, id, ...own, isOurs: true }
    const found = silences.get(id)
    if (found === undefined) return { ...unknown, id }
    return {
      ...unknown,
      id,
      by: oneLine(found.createdBy, nameCharsMax) || null,
      untilMs: found.endsAtMs > 0 ? found.endsAtMs : null,
      why: oneLine(found.comment, whyCharsMax) || null,
    }
  }

  return {
    async read(alerts) {
      const suppressed = alerts.filter(({ state }) => state === 'suppressed')
      const ids = new Set(suppressed.flatMap(({ silencedBy }) => silencedBy))
      const theirs = new Set([...ids].filter((id) => ownOf(id) === null))
      if (theirs.size > 0) await readSilences(theirs)
      const muteById = new Map([...ids].map((id) => [id, muteOf(id)]))
      const inhibiting = new Set(suppressed.flatMap(({ inhibitedBy }) => inhibitedBy))
      const labelsOf = new Map(
        alerts.flatMap(({ fingerprint, labels }) =>
          inhibiting.has(fingerprint) ? [[fingerprint, labels] as const] : [],
        ),
      )
      return ({ state, silencedBy, inhibitedBy }) => {
        if (state !== 'suppressed') return []
        // Whatever it was suppressed by could not be read.
        if (silencedBy.length + inhibitedBy.length === 0) return [unknown]
        const bySilence = silencedBy.flatMap((id) => muteById.get(id) ?? [])
        const names = new Set(inhibitedBy.map((by) => wordsOf(labelsOf.get(by), naming)))
        const byAlert = [...names].map((by): MutedBy => ({ ...unknown, kind: 'inhibition', by }))
        return [...bySilence.sort((one, other) => endOf(other) - endOf(one)), ...byAlert].slice(0, mutesMax)
      }
    },
  }
}

const unknown: MutedBy = { kind: 'silence', id: null, by: null, untilMs: null, why: null, isOurs: false }

/** For the order only: ours may be until it is ended, of another's only the end could be unreadable. */
function endOf({ untilMs, isOurs }: MutedBy): number {
  return untilMs ?? (isOurs ? Number.MAX_VALUE : 0)
}

/** `NodeDown on node-3`; null if that alert is not listed. */
function wordsOf(labels: Labels | undefined, naming: Pick<Naming, 'of'>): string | null {
  if (labels === undefined) return null
  const { hostname, by } = naming.of(labels)
  const name = labels.alertname || 'an alert'
  return oneLine(by === 'none' ? name : `${name} on ${hostname}`, nameCharsMax)
}
