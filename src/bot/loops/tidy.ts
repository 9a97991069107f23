/**
 * Lets go of what is over: the world holds what is not over, what was over within 14 days, and whatever one of these refers to. Alerts
 * and acts go into the past of the disk and stay there for a year; the rest is gone.
 */
import { type Clock, day, hour, minute } from '../clock.ts'
import type { Log } from '../log.ts'
import type { Scene } from '../view/view.ts'
import type { Store } from '../world/store.ts'
import type { Kind } from '../world/types.ts'
import type { World } from '../world/world.ts'
import { type Loop, startLoop } from './loop.ts'

export type TidyParts = {
  readonly store: Store
  readonly scene: () => Scene
  readonly clock: Clock
  readonly log: Log
}

const everyMs = 10 * minute
const worldMs = 14 * day
const pastMs = 365 * day
const requestsMs = hour

type Name = readonly [kind: Kind, id: string]

export function startTidy({ store, scene, clock, log }: TidyParts): Loop {
  const run = async () => {
    tidy(scene())
    await store.prune('alerts', clock.nowMs() - pastMs)
    await store.prune('acts', clock.nowMs() - pastMs)
  }
  return startLoop({ name: 'tidy', everyMs, clock, log, run })
}

export function tidy(scene: Scene): void {
  const { world } = scene
  const kept = keptOf(scene)
  world.decide(() => {
    for (const kind of ['alerts', 'posts', 'mutes', 'switches', 'acts', 'effects', 'requests'] as const) {
      for (const id of world[kind].keys()) {
        if (!kept.has(`${kind} ${id}`))
          world.remove(kind, id, kind === 'alerts' || kind === 'acts' ? 'past' : 'gone')
      }
    }
  })
}

/** `kind id` of all that stays: what is needed by itself, and from there all that is referred to. */
function keptOf(scene: Scene): Set<string> {
  const { world } = scene
  const kept = new Set<string>()
  const waiting = rootsOf(scene)
  const referredBy = referencesIn(world)
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    const text = name.join(' ')
    if (kept.has(text)) continue
    kept.add(text)
    waiting.push(...referredBy(name))
  }
  return kept
}

function rootsOf({ world, nowMs }: Scene): Name[] {
  const youngMs = nowMs - worldMs
  const roots: Name[] = []
  for (const { id, closedMs, isOneoff, firstSeenMs } of world.alerts.values()) {
    const overMs = isOneoff ? firstSeenMs : closedMs
    if (overMs === null || overMs > youngMs) roots.push(['alerts', id])
  }
  for (const post of world.posts.values()) {
    const isUnderWay = post.state !== 'live' && post.state !== 'dead'
    const isAsked = post.recheckMs !== null || post.repeatMs !== null
    const isStanding =
      post.kind === 'board' || (post.kind === 'outage' && (post.data.untilMs ?? null) === null)
    if (isUnderWay || isAsked || isStanding || post.createdMs > youngMs) roots.push(['posts', post.id])
  }
  for (const { id, ended } of world.mutes.values()) {
    if (ended === null || ended.atMs > youngMs) roots.push(['mutes', id])
  }
  for (const { id, told, repeatsMs, missingMs } of world.switches.values()) {
    // What it was told is the only trace of a mute that has not been taken back.
    if (told !== 'on' || repeatsMs.length > 0 || missingMs !== null) roots.push(['switches', id])
  }
  for (const { id, atMs } of world.acts.values()) if (atMs > youngMs) roots.push(['acts', id])
  for (const effect of world.effects.values()) {
    const isOver = effect.state === 'done' || effect.state === 'failed'
    if (!isOver || effect.atMs > youngMs) roots.push(['effects', effect.id])
  }
  for (const { id, atMs } of world.requests.values())
    if (atMs > nowMs - requestsMs) roots.push(['requests', id])
  return roots
}

/** What a record that stays needs: of an open alert its cards and pages, of a mute its act and the message that tells of it. */
function referencesIn(world: World): (name: Name) => Name[] {
  const pages = new Map<string, string[]>()
  for (const { id, data } of world.effects.values())
    if (data.alert !== undefined) pages.set(data.alert, [...(pages.get(data.alert) ?? []), id])
  return ([kind, id]) => {
    if (kind === 'alerts' && world.open.has(id)) {
      return [...names('posts', world.about.get(id)), ...names('effects', pages.get(id))]
    }
    const post = kind === 'posts' ? world.posts.get(id) : undefined
    const mute = kind === 'mutes' ? world.mutes.get(id) : undefined
    const effect = kind === 'effects' ? world.effects.get(id) : undefined
    const act = kind === 'acts' ? world.acts.get(id) : undefined
    const shown = post?.shows.map(({ alert }) => alert)
    return [
      ...names('alerts', [...(shown ?? []), mute?.alert, effect?.data.alert]),
      ...names('posts', [post?.thread, post?.data.about, effect?.data.post]),
      ...names('posts', mute && world.telling.get(mute.act)),
      ...names('acts', [post?.data.act, mute?.act]),
      ...names('mutes', act?.data.mutes),
    ]
  }
}

function names(kind: Kind, ids: Iterable<string | null | undefined> = []): Name[] {
  return [...ids].flatMap((id): Name[] => (id ? [[kind, id]] : []))
}
