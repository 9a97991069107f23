/** Files of a test: a folder that goes with it, and a SQLite file of the service in one. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Ledger } from '../../src/service/store/ledger.ts'
import { openSqliteLedger } from '../../src/service/store/sqlite-ledger.ts'

/** An empty folder that goes with the test. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'monitor-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Its folder is not there yet. */
export function newFile(): string {
  return join(newFolder(), 'deep', 'state.db')
}

/** What it says goes to `told`. */
export function openLedgerFile(file: string, told: string[] = []): Ledger {
  return openSqliteLedger(file, {
    onLost: ({ message }) => void told.push(message),
    report: (line) => void told.push(line),
  })
}
