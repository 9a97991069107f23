/** Things that are handed out by a name that nobody can guess, live for a while and serve a number of times. */

export type Use<Thing> =
  | { readonly ok: true; readonly thing: Thing }
  | { readonly ok: false; readonly why: 'unknown' | 'expired' | 'used' }

type Options = {
  readonly nowMs: () => number
  readonly newName: () => string
  readonly lifeMs: number
  readonly usesMax: number
}

/** Of more than these the oldest is unknown. */
const rememberedMax = 5_000

export function openIssued<Thing>({ nowMs, newName, lifeMs, usesMax }: Options) {
  const issued = new Map<string, { thing: Thing; bornMs: number; uses: number }>()
  return {
    issue(thing: Thing): string {
      const name = newName()
      issued.set(name, { thing, bornMs: nowMs(), uses: 0 })
      for (const oldest of issued.keys()) {
        if (issued.size <= rememberedMax) break
        issued.delete(oldest)
      }
      return name
    },
    /** Takes one use of it. */
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
