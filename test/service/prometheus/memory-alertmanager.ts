/** The silences of an Alertmanager, by its own rules, in memory: to be away, frozen or cut off at each step; and a service that holds them, killed and started on one ledger. */
import { randomUUID } from 'node:crypto'
import type { z } from 'zod'
import type { Alertmanagers } from '../../../src/service/prometheus/alertmanagers.ts'
import { UpstreamNo } from '../../../src/service/prometheus/ask.ts'
import { type NamedBy, namingByLabel } from '../../../src/service/prometheus/naming.ts'
import type { Silence, SilenceDraft } from '../../../src/service/prometheus/records.ts'
import { accountMatchers, type Scope, type Subject } from '../../../src/service/prometheus/silence-book.ts'
import { openSilences, type Silences } from '../../../src/service/prometheus/silences.ts'
import { Refusal } from '../../../src/service/refusal.ts'
import { type Kind, type Ledger, memoryLedger } from '../../../src/service/store/ledger.ts'

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
    if (draft.matchers.some(({ name }) => name === 'refused')) throw new UpstreamNo('silence invalid', 400)
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

export const settings = { serverLabel: 'instance', serviceless: 'job' }

/** A process that is no more writes nothing. */
export type Process = { isDead: boolean; onKilled(): void }

export function newProcess(onKilled = () => {}): Process {
  return { isDead: false, onKilled }
}

/** A kept ledger for one process after the other. */
export function openKeptLedger(): { ledgerOf(process: Process): Ledger } {
  const documents = new Map<string, string>()
  const addressOf = (kind: Kind, key: string): string => `${kind} ${key}`
  return {
    ledgerOf: (process) => ({
      ...memoryLedger(),
      isKept: true,
      load: <Value>(kind: Kind, schema: z.ZodType<Value>) =>
        [...documents]
          .filter(([address]) => address.startsWith(`${kind} `))
          .map(([address, text]) => ({
            key: address.slice(kind.length + 1),
            value: schema.parse(JSON.parse(text)),
          })),
      put(kind, key, value) {
        if (!process.isDead) documents.set(addressOf(kind, key), JSON.stringify(value))
      },
      remove(kind, key) {
        if (!process.isDead) documents.delete(addressOf(kind, key))
      },
    }),
  }
}

export type SilenceTown = Silences & {
  readonly told: string[]
  readonly ended: Subject[]
}

export function openTownSilences(parts: {
  readonly alertmanagers: Pick<Alertmanagers, 'silences' | 'silence' | 'end'>
  readonly ledger: Ledger
  readonly nowMs?: () => number
  readonly settings?: { readonly serverLabel: string; readonly serviceless: string }
}): SilenceTown {
  const told: string[] = []
  const ended: Subject[] = []
  const silences = openSilences({
    nowMs: Date.now,
    settings,
    ...parts,
    newId: randomUUID,
    report: (line) => void told.push(line),
    onEnded: (subject) => void ended.push(subject),
  })
  return { ...silences, told, ended }
}

export function serverOf(hostname: string, by: readonly NamedBy[] = ['server'], names = settings): Scope {
  const ways = by.map((one) => namingByLabel(names).matchersOf({ hostname, by: one, used: [] }))
  return { subject: { kind: 'server', hostname }, ways }
}

export const account: Scope = { subject: { kind: 'account' }, ways: [accountMatchers] }

/** A mute of one alert; `untilMs` null: until it is ended. */
export function muteOf(id: string, alertname = 'DiskFull', untilMs: number | null = null): Scope {
  const way = { name: 'alertname', value: alertname, isRegex: false, isEqual: true }
  const terms = { untilMs, by: 'ana', why: 'known: (see #7)', trouble: null }
  return { subject: { kind: 'mute', id }, ways: [[way]], terms }
}
