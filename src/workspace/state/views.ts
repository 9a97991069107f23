/**
 * Modals and Home tabs: per person one stack of at most three modals, and one Home tab; every change gives a new hash
 * (slack-facts 2.2, 2.6).
 */
import type { Fields } from './fields.ts'
import type { Ids } from './ids.ts'

/** What the app gives of a view, as it was checked and stored. */
export type ViewAsk = Fields & { readonly type: 'modal' | 'home'; readonly blocks: readonly Fields[] }

/** `block_id` → `action_id` → what is chosen or typed, in the shape of `state.values`. */
export type StateValues = Record<string, Record<string, Fields>>

export type View = {
  readonly id: string
  readonly userId: string
  readonly rootId: string
  readonly previousId: string | null
  ask: ViewAsk
  hash: string
  values: StateValues
}

export type Views = {
  /** Opens a first modal; what stood open for this person is gone. */
  open(userId: string, ask: ViewAsk): View
  /** Lays a modal on top of the stack; undefined when three lie there already. */
  push(userId: string, ask: ViewAsk): View | undefined
  change(view: View, ask: ViewAsk): void
  /** Sets the Home tab, whatever stood there. */
  publish(userId: string, ask: ViewAsk): View
  find(viewId: string): View | undefined
  /** By the app's own name for it, which is unique among the open views. */
  byExternalId(externalId: string): View | undefined
  home(userId: string): View | undefined
  /** The person's modals, the one on top last. */
  stack(userId: string): readonly View[]
  /** Takes the top one away. */
  pop(userId: string): void
  clear(userId: string): void
}

/** Modals on top of each other. */
export const stackMax = 3

export function openViews(ids: Ids, nowMs: () => number): Views {
  const stacks = new Map<string, View[]>()
  const homes = new Map<string, View>()
  let hashes = 0

  function newHash(): string {
    hashes += 1
    return `${Math.floor(nowMs() / 1_000)}.${String(hashes).padStart(8, '0')}`
  }

  function make(userId: string, ask: ViewAsk, below: View | undefined): View {
    const id = ids.make('V')
    return {
      id,
      userId,
      rootId: below?.rootId ?? id,
      previousId: below?.id ?? null,
      ask,
      hash: newHash(),
      values: {},
    }
  }

  const open = (): View[] => [...homes.values(), ...[...stacks.values()].flat()]
  const stack = (userId: string): readonly View[] => stacks.get(userId) ?? []

  return {
    open(userId, ask) {
      const view = make(userId, ask, undefined)
      stacks.set(userId, [view])
      return view
    },
    push(userId, ask) {
      const lying = stack(userId)
      if (lying.length >= stackMax) return undefined
      const view = make(userId, ask, lying.at(-1))
      stacks.set(userId, [...lying, view])
      return view
    },
    change(view, ask) {
      view.ask = ask
      view.hash = newHash()
    },
    publish(userId, ask) {
      const known = homes.get(userId)
      if (known === undefined) {
        const view = make(userId, ask, undefined)
        homes.set(userId, view)
        return view
      }
      known.ask = ask
      known.hash = newHash()
      return known
    },
    find: (viewId) => open().find((view) => view.id === viewId),
    byExternalId: (externalId) => open().find((view) => view.ask.external_id === externalId),
    home: (userId) => homes.get(userId),
    stack,
    pop: (userId) => {
      stacks.set(userId, stack(userId).slice(0, -1))
    },
    clear: (userId) => {
      stacks.delete(userId)
    },
  }
}
