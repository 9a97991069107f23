/** The API keys of the account: added and withdrawn at any time, kept as digests (docs/api.md#keys). */
import { createHash, randomBytes } from 'node:crypto'
import { Refusal } from './source.ts'
import type { Db } from './store.ts'

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
  const all = () => [...fixed, ...kept()]
  return {
    // Digests: the time of a comparison tells nothing of a key.
    has: (key) => all().some(({ digest }) => digest === digestOf(key)),
    list: () => all().map(({ digest, addedMs }) => ({ id: digest.slice(0, idChars), addedMs })),
    add(nowMs, key = randomBytes(20).toString('hex')) {
      if (!isKey(key)) throw new Refusal(422, `key: expected ${keyRule}; came something else`)
      if (this.has(key)) throw new Refusal(422, 'key: expected a new one; came one that is known')
      db.prepare('insert into keys values (?, ?)').run(digestOf(key), nowMs)
      return key
    },
    remove(which) {
      const found = kept().find(({ digest }) =>
        [digest, digest.slice(0, idChars)].some((one) => [which, digestOf(which)].includes(one)),
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
