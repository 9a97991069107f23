/** The service as a process that scrapes a fleet, killed again and again in the middle of its work. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { request } from 'undici'
import { expect, test, vi } from 'vitest'
import { z } from 'zod'
import { patienceMs } from '../../support/patience.ts'
import { newFolder } from '../ledger-file.ts'
import { startService } from '../process.ts'
import { exporter, textType } from './exporters.ts'

const serversMax = 30
const kills = 6
const key = 'a-key'

const page = z.object({
  results: z.array(
    z.object({ id: z.number(), server_hostname: z.string(), lifecycle: z.enum(['start', 'end']) }),
  ),
})

/** The same in every run. */
function openDice(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return state / 2 ** 31
  }
}

test('killed in the middle of its work, it loses no alert of the servers that it scrapes, and opens none twice', async () => {
  const dice = openDice(7)
  const names = Array.from({ length: serversMax }, (_, n) => `web-${n}`)
  const loads = new Map(names.map((name) => [name, 0]))
  const rises = new Map(names.map((name) => [name, 0]))
  const address = new URL(
    await exporter(({ url = '' }, response) => {
      response.setHeader('content-type', textType)
      response.end(`node_load1 ${loads.get(url.slice(1))}\n`)
    }),
  )
  const folder = newFolder()
  const file = join(folder, 'fleet.yml')
  const targets = names.map((name) => `    - { url: "${address.origin}/${name}", server: ${name} }`)
  const trigger = 'triggers: [{ metric: last_minute, above: 3 }]'
  writeFileSync(file, ['scrape:', '  interval: 1s', '  targets:', ...targets, trigger, ''].join('\n'))
  const start = () =>
    startService({
      MONITOR_API_KEY: key,
      MONITOR_CONFIG: file,
      MONITOR_FILE: join(folder, 'monitor.db'),
    })

  let service = await start()
  const list = async (lifecycle: 'start' | 'all') => {
    const found: z.output<typeof page>['results'] = []
    for (let offset = 0; ; offset += 50) {
      const { body } = await request(
        `${service.url}/api/v2/${key}/alerts.json?lifecycle=${lifecycle}&offset=${offset}`,
      )
      const { results } = page.parse(await body.json())
      found.push(...results)
      if (results.length < 50) return found
    }
  }

  for (let kill = 0; kill < kills; kill += 1) {
    for (const name of names.filter(() => dice() < 0.5)) {
      const isLow = loads.get(name) === 0
      if (isLow) rises.set(name, (rises.get(name) ?? 0) + 1)
      loads.set(name, isLow ? 5 : 0)
    }
    await wait(dice() * 2_000)
    await service.kill()
    service = await start()
    const loaded = names.filter((name) => loads.get(name) !== 0).sort()
    await vi.waitFor(
      async () => expect((await list('start')).map((one) => one.server_hostname).sort()).toEqual(loaded),
      { timeout: patienceMs, interval: 100 },
    )
  }
  const all = await list('all')
  expect(new Set(all.map(({ id }) => id)).size).toBe(all.length)
  const counted = names.map((name) => [name, all.filter((one) => one.server_hostname === name).length])
  expect(counted).toEqual([...rises])
  expect(await service.stop()).toBe(0)
})
