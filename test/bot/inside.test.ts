/** The service in the bot's process: when it is opened, with which settings, and what is said when it cannot be. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent } from 'undici'
import { expect, onTestFinished, test } from 'vitest'
import { openMonitor } from '../../src/bot/api/client.ts'
import { muteName } from '../../src/bot/api/port.ts'
import { hour, realClock } from '../../src/bot/clock.ts'
import { Secret } from '../../src/bot/config/settings.ts'
import { openInside } from '../../src/bot/inside.ts'
import type { Pass } from '../../src/bot/world/journal.ts'
import { FakeManager, serve } from '../service/worlds/engines.ts'

const report = () => {}
const pass = {} as Pass

function alertmanager(): FakeManager {
  const manager = new FakeManager({ nowMs: Date.now, pass() {} })
  manager.add({ alertname: 'DiskFull', instance: 'db-1:9100' })
  return manager
}

test('an Alertmanager and no service: its alerts are there by an address and a key of this process', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'monbot-inside-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const manager = alertmanager()
  const given = {
    ALERTMANAGER_URL: String(await serve(manager)),
    DATABASE_URL: `sqlite:${folder}/monbot.db`,
    // Those of the bot are none of the service.
    PORT: '3000',
  }
  const open = () => openInside(given, { isKept: true, report })
  const inside = await open()
  if (!inside.ok) throw new Error(String(inside.problems))
  onTestFinished(inside.close)
  expect(inside.env).toMatchObject(given)
  const { MONITOR_URL, MONITOR_API_KEY } = inside.env
  const answer = await fetch(`${MONITOR_URL}/api/v2/${MONITOR_API_KEY}/alerts.json`)
  const listed = (await answer.json()) as { results: { id: unknown }[] }
  expect(listed).toMatchObject({
    results: [
      {
        server_name: 'db-1',
        plugin_name: 'DiskFull',
        url: expect.stringMatching(/^\/a\//),
        sparkline_url: expect.stringMatching(/^http:/),
      },
    ],
  })
  const key = new Secret(MONITOR_API_KEY ?? '')
  const dispatcher = new Agent()
  const monitor = openMonitor({ url: MONITOR_URL ?? '', key, dispatcher, clock: realClock })
  const wish = { alert: null, matchers: null, untilMs: Date.now() + hour, by: 'Ana', why: '' }
  const alert = String(listed.results[0]?.id)
  // As the bot calls its mutes.
  await monitor.putMute(pass, 'act-1:alert:DiskFull on db-1', { ...wish, alert })
  await monitor.putMute(pass, 'act-2:labels:instance=db-*', { ...wish, matchers: ['instance=~"db-.*"'] })
  expect(manager.active()).toHaveLength(2)
  await monitor.endMute(pass, 'act-1:alert:DiskFull on db-1')
  const [left] = manager.active()
  expect((await monitor.mutes()).held).toEqual([muteName('act-2:labels:instance=db-*')])
  manager.expire(left?.id ?? '')
  await inside.tick()
  expect((await monitor.mutes()).held).toEqual([])
  expect(await open()).toEqual({ ok: false, problems: [expect.stringMatching(/no other service uses/)] })
})

test.each<[what: string, env: Record<string, string>, said: string | null]>([
  ['a service that is named', { MONITOR_URL: 'http://m', ALERTMANAGER_URL: 'http://a' }, null],
  ['neither', {}, null],
  ['a wrong address', { ALERTMANAGER_URL: 'a' }, 'ALERTMANAGER_URL: expected 1 to 10 addresses'],
  [
    'bots on a Postgres',
    { ALERTMANAGER_URL: 'http://a', DATABASE_URL: 'postgres://b@c/d' },
    'MONITOR_URL: expected a service for all bots on a Postgres; came nothing',
  ],
])('%s', async (_, env, said) => {
  const inside = await openInside(env, { isKept: false, report })
  if (inside.ok) expect([said, inside.env]).toEqual([null, env])
  else expect(inside.problems).toEqual([expect.stringContaining(said ?? '')])
})
