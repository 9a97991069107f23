/** A service that holds silences, killed and started on one ledger: what it has in memory goes, and what it wrote stays. */
import { randomUUID } from 'node:crypto'
import type { z } from 'zod'
import type { Alertmanagers } from '../../../src/service/prometheus/alertmanagers.ts'
import type { Scope } from '../../../src/service/prometheus/silence-book.ts'
import { openSilences, type Silences } from '../../../src/service/prometheus/silences.ts'
import { type Kind, type Ledger, memoryLedger } from '../../../src/service/store/ledger.ts'

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
  readonly ended: Scope[]
}

export function openTownSilences(parts: {
  readonly alertmanagers: Pick<Alertmanagers, 'silences' | 'silence' | 'end'>
  readonly ledger: Ledger
  readonly nowMs?: () => number
  readonly settings?: { readonly serverLabel: string; readonly serviceless: string }
}): SilenceTown {
  const told: string[] = []
  const ended: Scope[] = []
  const silences = openSilences({
    nowMs: Date.now,
    settings,
    ...parts,
    newId: randomUUID,
    report: (line) => void told.push(line),
    onEnded: (scope) => void ended.push(scope),
  })
  return { ...silences, told, ended }
}

export function serverOf(hostname: string): Scope {
  return [{ hostname, by: 'server' }]
}

export const account: Scope = [null]
