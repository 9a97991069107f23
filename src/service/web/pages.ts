/** Pages that people and Slack fetch without a key: an alert's page, its picture, and the start page. */
import type { Hono } from 'hono'
import { loadPaint } from '../../shared/painter.ts'
import type { Env } from '../api/answer.ts'
import type { World } from '../world.ts'
import { alertPage, alertPagePolicy } from './alert-page.ts'
import { windowOf } from './sparkline.ts'

/** How long a picture may be cached: an open alert's chart grows. */
const pictureAgeSeconds = 10

/** Routes: `GET /a/:id?t=…` (HTML), `GET /account/alerts/:id/sparkline.png?t=…` (PNG, 640 × 180), `GET /`. */
export function addPages(app: Hono<Env>, world: World): void {
  const { registry, source, log, links, nowMs } = world

  function find(id: string, token: string | undefined) {
    const alertId = Number(id)
    return /^\d{1,16}$/.test(id) && links.isToken(alertId, token ?? '') ? log.get(alertId) : undefined
  }

  app.get('/', (c) =>
    c.text('A monitoring service. Its API is under /api/v2/<API_KEY>/, described by /openapi.json.\n'),
  )

  app.get('/a/:id', (c) => {
    const alert = find(c.req.param('id'), c.req.query('t'))
    if (alert === undefined) return c.text('There is no such alert, or the link is not whole.\n', 404)
    const { fromMs, untilMs } = windowOf(alert, nowMs())
    const page = alertPage(alert, {
      picture: links.sparklineFromPage(alert.id),
      markers: registry.markers().filter(({ atMs }) => atMs >= fromMs && atMs <= untilMs),
      roles: [...registry.roles()].flatMap(([role, members]) =>
        members.includes(alert.hostname) ? [role] : [],
      ),
    })
    return c.html(page, 200, {
      'content-security-policy': alertPagePolicy,
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    })
  })

  app.get('/account/alerts/:id/sparkline.png', async (c) => {
    const alert = find(c.req.param('id'), c.req.query('t'))
    if (alert === undefined) return c.text('There is no such picture, or the link is not whole.\n', 404)
    const draw = await loadPaint()
    const png = draw(await source.picture(alert))
    return c.body(new Uint8Array(png), 200, {
      'content-type': 'image/png',
      'cache-control': `private, max-age=${pictureAgeSeconds}`,
    })
  })
}
