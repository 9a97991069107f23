/** Home tabs: published when somebody opens theirs, and kept up to date for whoever looked lately. */
import { type Clock, minute } from '../clock.ts'
import type { Log } from '../log.ts'
import { homeView } from '../view/board.ts'
import type { Scene } from '../view/scene.ts'
import { digest } from '../view/values.ts'
import type { Outside } from '../world/journal.ts'
import type { SlackPort } from './port.ts'

const lookedWithinMs = 10 * minute
const viewersMax = 50

export type Homes = {
  opened(userId: string): void
  /** Publishes those that changed. */
  refresh(): Promise<void>
}

export function openHomes(parts: {
  slack: SlackPort
  scene: () => Scene
  outside: Outside
  clock: Clock
  log: Log
}): Homes {
  const { slack, scene, outside, log } = parts
  const viewers = new Map<string, { readonly sinceMs: number; shown: string }>()

  async function publish(userId: string): Promise<void> {
    const viewer = viewers.get(userId)
    const view = homeView(userId, scene())
    const hash = digest(JSON.stringify(view), 12)
    if (viewer === undefined || viewer.shown === hash) return
    viewer.shown = hash
    const outcome = await outside((pass) => slack.publishHome(pass, userId, view))
    if (outcome.kind === 'ok') return
    viewer.shown = ''
    log.warn('home:not_published', { outcome: outcome.kind })
  }

  return {
    opened(userId) {
      viewers.delete(userId)
      viewers.set(userId, { sinceMs: scene().nowMs, shown: '' })
      publish(userId).catch((error: unknown) => log.warn('home:failed', { error: String(error) }))
    },
    async refresh() {
      const { nowMs } = scene()
      for (const [userId, { sinceMs }] of [...viewers].reverse().slice(viewersMax))
        if (sinceMs < nowMs) viewers.delete(userId)
      for (const [userId, { sinceMs }] of viewers) {
        if (nowMs - sinceMs > lookedWithinMs) viewers.delete(userId)
        else await publish(userId)
      }
    },
  }
}
