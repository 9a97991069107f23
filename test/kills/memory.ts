/** What the bot has on disk, read beside it. */

import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import SQLite from 'better-sqlite3'
import type { Selectable } from 'kysely'
import type {
  AlertRow,
  AuditRow,
  CardAlertRow,
  CardRow,
  MuteRow,
  SwitchRow,
} from '../../src/bot/store/open/schema.ts'

export type Memory = {
  readonly alerts: ReadonlyMap<string, Selectable<AlertRow>>
  readonly cards: readonly CardRow[]
  readonly members: readonly CardAlertRow[]
  /** Those that are active, or whose end the API has not confirmed. */
  readonly mutes: readonly Selectable<MuteRow>[]
  /** What the API is still to be told, or to be told again as a request may be carried out late. */
  readonly switches: readonly SwitchRow[]
  readonly done: readonly AuditRow[]
}

/** In one transaction, so that all of it is of one moment. */
export function readMemory(path: string): Memory {
  const db = new SQLite(path, { readonly: true })
  try {
    return db.transaction(() => {
      const all = <Row>(sql: string): Row[] => db.prepare<[], Row>(sql).all()
      return {
        alerts: new Map(all<Selectable<AlertRow>>('select * from alerts').map((row) => [row.alert_id, row])),
        cards: all<CardRow>('select * from cards'),
        members: all<CardAlertRow>('select * from card_alerts order by place'),
        mutes: all<Selectable<MuteRow>>(
          `select * from mutes where state = 'active' or confirmation <> 'confirmed'`,
        ),
        switches: all<SwitchRow>(
          'select * from switches where said_revision < revision or asked_ms is not null or doubt_ms is not null',
        ),
        done: all<AuditRow>(`select * from audit where outcome = 'done'`),
      }
    })()
  } finally {
    db.close()
  }
}

/** What a check of the whole file finds; empty where it is sound. No bot may run. */
export function damageOf(path: string): string[] {
  return examine(path, (db) => {
    const found = db.pragma('integrity_check') as { integrity_check: string }[]
    const broken = db.pragma('foreign_key_check') as object[]
    const words = found.map(({ integrity_check }) => integrity_check).filter((word) => word !== 'ok')
    return [...words, ...broken.map((row) => `foreign key: ${JSON.stringify(row)}`)]
  })
}

/**
 * Reads a copy of what a kill has left. A reader of the file itself would repair what the next start is to repair, or, where it
 * may only read, fail at a journal that is to be rolled back.
 */
export function examine<Found>(path: string, read: (db: SQLite.Database) => Found): Found {
  const folder = mkdtempSync(join(tmpdir(), 'monbot-examined-'))
  try {
    for (const end of ['', '-wal', '-journal']) {
      if (existsSync(path + end)) copyFileSync(path + end, join(folder, `copy.db${end}`))
    }
    const db = new SQLite(join(folder, 'copy.db'))
    try {
      return read(db)
    } finally {
      db.close()
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
