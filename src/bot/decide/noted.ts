/** What is written down: an act of the history, and a call to the outside that is wanted. What differs from the usual is named. */
import type { Scene } from '../view/scene.ts'
import type { Act, ActKind, Effect, EffectData } from '../world/types.ts'

export type ActWish = Partial<Act> & { readonly kind: ActKind; readonly subject: string }

export function note({ world, nowMs }: Scene, wish: ActWish): Act {
  const { id = world.nextId(nowMs) } = wish
  const act: Act = { by: 'monbot', outcome: 'done', data: {}, atMs: nowMs, ...wish, id }
  world.put('acts', act)
  return act
}

/** What became of an act, and why: it failed for good, and what was unclear may have arrived since. */
export function noteOutcome(
  { world }: Scene,
  id: string,
  outcome: 'done' | 'unknown' | 'failed',
  why: string | null,
): void {
  const act = world.acts.get(id)
  if (act === undefined || act.outcome === outcome || act.outcome === 'failed') return
  if (outcome === 'unknown' && act.outcome !== 'asked') return
  world.patch('acts', id, { outcome, data: why === null ? act.data : { ...act.data, why } })
}

export function wantEffect(
  { world, nowMs }: Scene,
  wish: {
    readonly id: string
    readonly does: Effect['does']
    readonly data: EffectData
    readonly act?: string
  },
): Effect {
  const effect: Effect = { ...wish, state: 'new', tries: 0, dueMs: nowMs, atMs: nowMs, why: null }
  world.put('effects', effect)
  return effect
}
