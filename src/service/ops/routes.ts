/** `/healthz` says that the process is alive, `/metrics` how much it does; without a key, and without names of anything. */
import type { Hono } from 'hono'
import { version } from '../../shared/version.ts'
import type { Env } from '../api/answer.ts'
import type { World } from '../world.ts'
import type { Metrics } from './metrics.ts'

/**
 * Alive is all that `/healthz` says: while a Prometheus is away, the service answers that in words (502 to 504), and
 * another start would not bring it back.
 */
export function addOps(app: Hono<Env>, world: World, metrics: Metrics): void {
  const startedMs = world.nowMs()
  app.get('/healthz', (c) => c.json({ status: 'alive', version }))
  app.get('/metrics', async (c) => {
    const { source, log, nowMs } = world
    const { hidden, lastGoodMs, doubts, silences } = source.figures()
    const isAgeing = lastGoodMs !== undefined
    const { contentType, text } = await metrics.page({
      openAlerts: log.openAlerts().length,
      hiddenAlerts: hidden,
      readingAge: isAgeing ? Math.max(0, nowMs() - (lastGoodMs ?? startedMs)) / 1_000 : 0,
      doubts,
      silences,
    })
    return c.body(text, 200, { 'content-type': contentType, 'cache-control': 'no-store' })
  })
}
