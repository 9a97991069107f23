/** Modals and Home tabs: per person one of each; every change gives a new hash (docs/slack.md#forms). */
import type { Fields } from './fields.ts'
import type { Ids } from './ids.ts'

export type ViewAsk = Fields & { readonly type: 'modal' | 'home'; readonly blocks: readonly Fields[] }

/** `block_id` → `action_id` → what is chosen or typed, in the shape of `state.values`. */
export type StateValues = Record<string, Record<string, Fields>>

export type View = {
  readonly id: string
  readonly userId: string
  ask: ViewAsk
  hash: string
  values: StateValues
}

export type Views = ReturnType<typeof openViews>

export function openViews(ids: Ids, nowMs: () => number) {
  const modals = new Map<string, View>()
  const homes = new Map<string, View>()
  let hashes = 0

  function newHash(): string {
    hashes += 1
    return `${Math.floor(nowMs() / 1_000)}.${String(hashes).padStart(8, '0')}`
  }

  function put(views: Map<string, View>, userId: string, ask: ViewAsk): View {
    const view = { id: ids.make('V'), userId, ask, hash: newHash(), values: {} }
    views.set(userId, view)
    return view
  }

  function change(view: View, ask: ViewAsk): View {
    view.ask = ask
    view.hash = newHash()
    return view
  }

  return {
    open: (userId: string, ask: ViewAsk) => put(modals, userId, ask),
    change,
    publish(userId: string, ask: ViewAsk): View {
      const known = homes.get(userId)
      return known === undefined ? put(homes, userId, ask) : change(known, ask)
    },
    find: (viewId: string) => [...homes.values(), ...modals.values()].find((view) => view.id === viewId),
    home: (userId: string) => homes.get(userId),
    modal: (userId: string) => modals.get(userId),
    close(userId: string): void {
      modals.delete(userId)
    },
  }
}
