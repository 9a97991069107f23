/** Ids as Slack's. The same seed gives the same ones; what must not be guessed comes from the system's own randomness. */
import { randomBytes, randomUUID } from 'node:crypto'

export type IdKind = 'A' | 'B' | 'C' | 'D' | 'Ev' | 'F' | 'S' | 'T' | 'U' | 'V'

export type Ids = ReturnType<typeof openIds>

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'

export function openIds(seed: number) {
  let state = seed >>> 0

  // mulberry32: small, and good enough to share out envelopes.
  function chance(): number {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }

  const pick = (below: number): number => Math.floor(chance() * below)
  const draw = (count: number): string =>
    Array.from({ length: count }, () => letters.charAt(pick(letters.length))).join('')

  const number = (): number => 10 ** 12 + pick(9 * 10 ** 9)
  const secret = (bytes: number): string => randomBytes(bytes).toString('hex')

  return {
    make: (kind: IdKind) => `${kind}0${draw(9)}`,
    blockId: () => draw(5).toLowerCase(),
    pick,
    uuid: (): string => randomUUID(),
    trigger: () => `${number()}.${number()}.${secret(16)}`,
    secret,
  }
}

export type Use<Thing> =
  | { readonly ok: true; readonly thing: Thing }
  | { readonly ok: false; readonly why: 'unknown' | 'expired' | 'used' }

type Options = {
  readonly nowMs: () => number
  readonly newName: () => string
  readonly lifeMs: number
  readonly usesMax: number
}

const rememberedMax = 5_000

export function openIssued<Thing>({ nowMs, newName, lifeMs, usesMax }: Options) {
  const issued = new Map<string, { thing: Thing; bornMs: number; uses: number }>()
  return {
    issue(thing: Thing): string {
      const name = newName()
      issued.set(name, { thing, bornMs: nowMs(), uses: 0 })
      const [oldest] = issued.size > rememberedMax ? issued.keys() : []
      if (oldest !== undefined) issued.delete(oldest)
      return name
    },
    use(name: string): Use<Thing> {
      const one = issued.get(name)
      if (one === undefined) return { ok: false, why: 'unknown' }
      if (one.uses >= usesMax) return { ok: false, why: 'used' }
      if (nowMs() - one.bornMs >= lifeMs) return { ok: false, why: 'expired' }
      one.uses += 1
      return { ok: true, thing: one.thing }
    },
  }
}
