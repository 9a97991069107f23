/** Backups that a timer makes: each in a file named by its time, in one folder, from which the old ones are removed. */
import { readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'

const dayMs = 24 * 60 * 60 * 1_000
const daysMax = 3_650
const dated = /^(.+)-(\d{4}-\d\d-\d\d)T(\d\d-\d\d-\d\d)Z\.db$/
/** What stands beside a file that a bot or a service uses or has used, and beside no copy of a timer. */
const besideUsed = ['-lock', '-wal', '-shm']

/** Where a backup goes: the new file, or with `keepDays` a folder that keeps those of so many days. */
export type BackupTarget = { readonly path: string; readonly keepDays: number | null }

/** Reads `FILE` or `--keep DAYS FOLDER`; `wrong` is a sentence that says what was expected and what came. */
export function readBackupTarget(
  words: readonly string[],
): BackupTarget | { readonly path: null; readonly wrong: string } {
  const came = words.length === 0 ? 'nothing' : words.map((word) => JSON.stringify(word)).join(' ')
  const wrong = {
    path: null,
    wrong: `Expected the name of one file, or --keep DAYS and a folder; came ${came}`,
  } as const
  const [option, days = '', ...folders] = words
  const isKept = option === '--keep'
  const paths = isKept ? folders : words
  const [path = ''] = paths
  if (paths.length !== 1 || path === '' || path.startsWith('-')) return wrong
  if (!isKept) return { path, keepDays: null }
  const keepDays = Number(days)
  if (/^\d+$/.test(days) && keepDays >= 1 && keepDays <= daysMax) return { path, keepDays }
  return { path: null, wrong: `--keep: expected 1 to ${daysMax} days; came ${JSON.stringify(days)}` }
}

/** The file of this time: `monbot-2026-11-25T03-00-07Z.db`. `stem` is `monbot`. */
export function datedFile({ path, keepDays }: BackupTarget, stem: string, nowMs: number): string {
  if (keepDays === null) return path
  return join(path, `${stem}-${new Date(nowMs).toISOString().slice(0, 19).replaceAll(':', '-')}Z.db`)
}

/**
 * Removes the files with such names whose time is more than `keepDays` ago. `said` goes after the sentence about the new one; `failed`
 * is an error of its own, as nothing else tells of a folder that fills up. To be called once the new one is whole: what cannot be
 * copied any more must not lose its last copies. No other file is touched, and never a copy that was taken into use, be it the
 * `source` or of another bot.
 */
export function removeOld(
  { path, keepDays }: BackupTarget,
  { stem, source, nowMs }: { readonly stem: string; readonly source: string; readonly nowMs: number },
): { readonly said: string; readonly failed: string | null } {
  if (keepDays === null) return { said: '', failed: null }
  // A name says no smaller part of a second.
  const beforeMs = Math.floor(nowMs / 1_000) * 1_000 - keepDays * dayMs
  const used = statSync(source, { bigint: true })
  const files = readdirSync(path, { withFileTypes: true })
  const names = new Set(files.map(({ name }) => name))
  const old = files.filter((file) => {
    const [, of, day, time = ''] = dated.exec(file.name) ?? []
    const isOld = of === stem && Date.parse(`${day}T${time.replaceAll('-', ':')}Z`) < beforeMs
    return isOld && file.isFile() && !besideUsed.some((end) => names.has(`${file.name}${end}`))
  })
  let removed = 0
  const left = old.flatMap(({ name }) => {
    try {
      const { dev, ino } = statSync(join(path, name), { bigint: true })
      if (dev === used.dev && ino === used.ino) return []
      rmSync(join(path, name))
      removed += 1
      return []
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : error
      // Another backup may remove it at the same time.
      return code === 'ENOENT' ? [] : [`${name} (${code})`]
    }
  })
  const days = `${keepDays} ${keepDays === 1 ? 'day' : 'days'}`
  return {
    said: removed === 0 ? '' : `; ${removed} older than ${days} removed`,
    failed: left.length === 0 ? null : `Old copies could not be removed from ${path}: ${left.join(', ')}`,
  }
}
