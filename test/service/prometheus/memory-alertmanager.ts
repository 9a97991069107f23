/** The silences of an Alertmanager, by its own rules, in memory: to be away, frozen or cut off at each step. */
import type { Alertmanagers } from '../../../src/service/prometheus/alertmanagers.ts'
import { UpstreamNo } from '../../../src/service/prometheus/ask.ts'
import type { Silence, SilenceDraft } from '../../../src/service/prometheus/records.ts'
import { Refusal } from '../../../src/service/refusal.ts'

/**
 * What becomes of one request. `away`: nothing. `unanswered`: done, and its answer is lost. `frozen`: no answer, and it is done
 * when it thaws. `killed-before`, `killed-after`: whoever asks is killed before or after it is done.
 */
export type Fate = 'well' | 'away' | 'unanswered' | 'frozen' | 'killed-before' | 'killed-after'

export type MemoryAlertmanager = {
  /** One process that asks; `onKilled` is told when a fate ends it. After `isDead` it hears nothing any more. */
  clientOf(process: {
    isDead: boolean
    onKilled(): void
  }): Pick<Alertmanagers, 'silences' | 'silence' | 'end'>
  /** Fates of the next requests; those after them are well. */
  fates(next: readonly Fate[]): void
  thaw(): void
  live(): readonly Silence[]
  endByHand(id: string): void
  snapshot(): void
  /** Killed, and started with what it wrote down last. */
  restore(): void
  requests(): number
}

const never = <Value>(): Promise<Value> => new Promise(() => {})

export function openMemoryAlertmanager(nowMs: () => number): MemoryAlertmanager {
  let silences = new Map<string, Omit<Silence, 'state'>>()
  let saved = new Map(silences)
  let coming: Fate[] = []
  let frozen: (() => void)[] = []
  let made = 0
  let requests = 0

  const stateOf = ({ endsAtMs }: Pick<Silence, 'endsAtMs'>): Silence['state'] =>
    endsAtMs <= nowMs() ? 'expired' : 'active'

  function expire(id: string): void {
    const found = silences.get(id)
    if (found === undefined || stateOf(found) === 'expired') return
    silences.set(id, { ...found, endsAtMs: nowMs(), updatedAtMs: nowMs() })
  }

  function set({ id, ...draft }: SilenceDraft): string {
    if (draft.endsAtMs <= nowMs()) throw new UpstreamNo("end time can't be in the past", 400)
    if (draft.comment.includes('bad')) throw new UpstreamNo('silence invalid', 400)
    const former = id === null ? undefined : silences.get(id)
    if (id !== null && former === undefined) throw new UpstreamNo('silence not found', 404)
    if (id !== null && former !== undefined) {
      const isSameStart = Math.floor(former.startsAtMs / 1_000) === Math.floor(draft.startsAtMs / 1_000)
      if (stateOf(former) === 'active' && isSameStart) {
        silences.set(id, { ...draft, id, updatedAtMs: nowMs() })
        return id
      }
      expire(id)
    }
    made += 1
    const next = `silence-${made}`
    const startsAtMs = Math.max(draft.startsAtMs, nowMs())
    silences.set(next, { ...draft, id: next, startsAtMs, updatedAtMs: nowMs() })
    return next
  }

  return {
    clientOf(process) {
      async function request<Value>(isWrite: boolean, act: () => Value): Promise<Value> {
        const fate = coming.shift() ?? 'well'
        requests += 1
        const kill = (): Promise<Value> => {
          process.isDead = true
          process.onKilled()
          return never()
        }
        await Promise.resolve()
        if (process.isDead) return never()
        if (fate === 'killed-before') return kill()
        if (fate === 'away') throw new Refusal(503, 'the Alertmanager cannot be asked')
        if (fate === 'frozen') {
          if (isWrite) frozen.push(act)
          throw new Refusal(504, 'the Alertmanager did not answer')
        }
        const value = act()
        if (fate === 'killed-after') return kill()
        if (fate === 'unanswered') throw new Refusal(504, 'the Alertmanager did not answer')
        await Promise.resolve()
        return process.isDead ? never() : value
      }

      return {
        silences: () =>
          request(false, () => [...silences.values()].map((one) => ({ ...one, state: stateOf(one) }))),
        silence: (draft) => request(true, () => set(draft)),
        end: (id) => request(true, () => expire(id)),
      }
    },
    fates(next) {
      coming = [...next]
    },
    thaw() {
      for (const act of frozen) {
        try {
          act()
        } catch (error) {
          // Its answer goes to nobody.
          if (!(error instanceof Refusal)) throw error
        }
      }
      frozen = []
    },
    live: () =>
      [...silences.values()]
        .map((one) => ({ ...one, state: stateOf(one) }))
        .filter(({ state }) => state === 'active'),
    endByHand: expire,
    snapshot() {
      saved = new Map(silences)
    },
    restore() {
      silences = new Map(saved)
    },
    requests: () => requests,
  }
}
