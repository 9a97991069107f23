/** The API keys of the account: several, added and removed at any time (docs/api.md#requests-and-answers), compared in constant time. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import { Refusal } from '../refusal.ts'
import type { Ledger } from './ledger.ts'

const keysMax = 50

export type Keys = {
  has(key: string): boolean
  count(): number
  /** Generates one, or adds the given one, and returns it; the ledger has only its digest. */
  add(key?: string): string
  /** By its position in the order of adding, from 0, or by its text. */
  remove(which: number | string): void
  /** The keys whose text is known: given or added in this run. */
  texts(): readonly string[]
}

type Entry = { readonly digest: Buffer; readonly text: string | null }

/** Keys given at the start are always good; keys added later are kept in the ledger as digests. */
export function openKeys(ledger: Ledger, given: readonly string[]): Keys {
  const entries: Entry[] = given.map((text) => ({ digest: digestOf(text), text }))
  for (const { key } of ledger.load('key', z.object({}))) {
    const digest = Buffer.from(key, 'hex')
    if (!entries.some((entry) => entry.digest.equals(digest))) entries.push({ digest, text: null })
  }

  function places(key: string): number[] {
    const digest = digestOf(key)
    // Every entry is compared, so that the time does not reveal which one matched.
    return entries.flatMap((entry, at) => (timingSafeEqual(entry.digest, digest) ? [at] : []))
  }

  return {
    has: (key) => places(key).length > 0,
    count: () => entries.length,
    add(key = randomBytes(20).toString('hex')) {
      if (!isKey(key)) throw new Refusal(422, `key: expected ${keyRule}; came something else`)
      if (entries.length >= keysMax)
        throw new Refusal(422, `key: at most ${keysMax} keys; there are ${entries.length}`)
      if (places(key).length > 0) throw new Refusal(422, 'key: expected a new one; came one that is known')
      const digest = digestOf(key)
      ledger.put('key', digest.toString('hex'), {})
      entries.push({ digest, text: key })
      return key
    },
    remove(which) {
      const at = typeof which === 'number' ? which : places(which)[0]
      const entry = at === undefined ? undefined : entries[at]
      if (at === undefined || entry === undefined) {
        throw new Refusal(404, `no such key; there are ${entries.length}`)
      }
      ledger.remove('key', entry.digest.toString('hex'))
      entries.splice(at, 1)
    },
    texts: () => entries.flatMap(({ text }) => (text === null ? [] : [text])),
  }
}

export const keyRule = '1 to 200 visible ASCII characters without / ? # %'

/** Whether a text can be one path segment. */
export function isKey(text: string): boolean {
  return /^[!-~]{1,200}$/.test(text) && !/[/?#%\\]/.test(text) && text !== '.' && text !== '..'
}

function digestOf(key: string): Buffer {
  return createHash('sha256').update(key).digest()
}
