/** A SQLite file of the service, in a folder that goes with the test. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Ledger } from '../../src/service/store/ledger.ts'
import { openSqliteLedger } from '../../src/service/store/sqlite-ledger.ts'

/** Its folder is not there yet. */
export function newFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'monitor-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'deep', 'state.db')
}

/** What it says goes to `told`. */
export function openLedgerFile(file: string, told: string[] = []): Ledger {
  return openSqliteLedger(file, {
    onLost: ({ message }) => void told.push(message),
    report: (line) => void told.push(line),
  })
}
