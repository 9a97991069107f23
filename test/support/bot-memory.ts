/** Reads the bot's database beside it. While no bot runs, a test may also let time pass there. */
import { join } from 'node:path'
import SQLite from 'better-sqlite3'
import type { MuteRow } from '../../src/bot/store/open/schema.ts'
import type { Town } from './town.ts'

/** Every column with a time at which something is due for a mute. */
const timesOfMutes = ['until_ms', 'started_ms', 'terms_ms', 'handback_ms'] as const

export function memoryOf(town: Town) {
  function read<Row>(sql: string): Row[] {
    const db = new SQLite(join(town.folder, 'monbot.db'), { readonly: true })
    const rows = db.prepare<[], Row>(sql).all()
    db.close()
    return rows
  }
  return {
    /** `web-1 active`: mutes that have not ended at the API (`asked`, `ending`: it has not confirmed that), in the order in which they began. */
    mutes: () =>
      read<MuteRow>(
        `select * from mutes where state = 'active' or confirmation <> 'confirmed' order by started_ms`,
      ).map(({ subject, state, confirmation }) => {
        const standing = state === 'ended' ? 'ending' : confirmation === 'waiting' ? 'asked' : 'active'
        return `${subject === '' ? 'account' : subject} ${standing}`
      }),
    /** `mute_server done`: of this server, oldest first. */
    audit: (hostname: string) =>
      read<{ act: string; outcome: string; hostname: string | null }>(
        'select * from audit order by at_ms, rowid',
      )
        .filter((row) => row.hostname === hostname)
        .map(({ act, outcome }) => `${act} ${outcome}`),
    /** `17 web-1`: each that it knows, by number and by its server's name. */
    alerts: () =>
      read<{ number: string; server_name: string }>('select number, server_name from alerts').map(
        (row) => `${row.number} ${row.server_name}`,
      ),
    /** `open`, `closed`: as the bot knows it. */
    alert: (alertId: number) =>
      read<{ alert_id: string; state: string }>('select alert_id, state from alerts').find(
        (row) => row.alert_id === String(alertId),
      )?.state,
    /** How many mutes are planned. */
    planned: () => read('select planned_id from planned_mutes').length,
    /** Moves what is planned once so that its window began a second ago and lasts so long. The bot must not run. */
    beginPlanned: (ms: number) => {
      const db = new SQLite(join(town.folder, 'monbot.db'))
      const startMs = Date.now() - 1_000
      const rule = JSON.stringify({ is: 'once', startMs, endMs: startMs + ms })
      db.prepare('update planned_mutes set rule = ?, done_ms = ?').run(rule, startMs - 1)
      db.close()
    },
    /** Moves the times of every mute, and of what is repeated for it, into the past. The bot must not run. */
    passTime: (ms: number) => {
      const db = new SQLite(join(town.folder, 'monbot.db'))
      const changes = timesOfMutes.map((column) => `${column} = ${column} - ${ms}`)
      db.exec(`update mutes set ${changes.join(', ')}`)
      const switched = ['asked_ms', 'doubt_ms', 'not_before_ms', 'gone_ms']
      db.exec(`update switches set ${switched.map((column) => `${column} = ${column} - ${ms}`).join(', ')}`)
      db.close()
    },
  }
}
