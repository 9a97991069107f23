/** The API keys of the account: added and withdrawn at any time, kept as digests, compared in constant time (docs/api.md#keys). */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { Refusal } from './source.ts'
import type { Db } from './store.ts'

const keysMax = 50
export const keyRule = '1 to 200 visible ASCII characters without / ? # %'

export function isKey(text: string): boolean {
  return /^[!-~]{1,200}$/.test(text) && !/[/?#%\\]/.test(text) && text !== '.' && text !== '..'
}

export type Keys = {
  has(key: string): boolean
  /** The first characters of each digest, by which one is told from the others, and when it was added. */
  list(): readonly { readonly id: string; readonly addedMs: number | null }[]
  /** Makes one, or adds the given one; it is shown this once only. */
  add(nowMs: number, key?: string): string
  /** By its id, or by its text. */
  remove(which: string): void
}

/**
 * `given` keys are good in each run, whatever the file says. Others are read from the file at each request, so that
 * `monbot service keys` beside a running service holds at once.
 */
export function openKeys(db: Db, given: readonly string[]): Keys {
  db.exec('create table if not exists keys (digest text primary key, added_ms integer not null) strict')
  const select = db.prepare('select digest, added_ms addedMs from keys order by added_ms')
  const kept = () => select.all() as { digest: string; addedMs: number }[]
  const fixed = given.map((key) => ({ digest: digestOf(key), addedMs: null }))
  return {
    has(key) {
      const wanted = Buffer.from(digestOf(key))
      // Each one is compared, so that the time does not tell which one matched.
      return (
        [...fixed, ...kept()].filter(({ digest }) => timingSafeEqual(Buffer.from(digest), wanted)).length > 0
      )
    },
    list: () =>
      [...fixed, ...kept()].map(({ digest, addedMs }) => ({ id: digest.slice(0, idChars), addedMs })),
    add(nowMs, key = randomBytes(20).toString('hex')) {
      if (!isKey(key)) throw new Refusal(422, `key: expected ${keyRule}; came something else`)
      const known = [...fixed, ...kept()]
      if (known.length >= keysMax)
        throw new Refusal(422, `key: expected at most ${keysMax} keys; there are that many`)
      if (known.some(({ digest }) => digest === digestOf(key)))
        throw new Refusal(422, 'key: expected a new one; came one that is known')
      db.prepare('insert into keys values (?, ?)').run(digestOf(key), nowMs)
      return key
    },
    remove(which) {
      const found = kept().find(
        ({ digest }) => digest === digestOf(which) || digest.slice(0, idChars) === which,
      )
      if (found === undefined)
        throw new Refusal(404, 'no such key can be withdrawn; one of MONITOR_API_KEY is changed there')
      db.prepare('delete from keys where digest = ?').run(found.digest)
    },
  }
}

const idChars = 12

function digestOf(key: string): string {
  return createHash('sha256').update(key).digest('hex')
}
