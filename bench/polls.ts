/** What polls cost: requests, bytes, the first reading of a long list, and comparing what is listed with what is stored. */
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import type { Alert, AlertRecord } from '../src/bot/domain/alert/alert.ts'
import { connectMonitor } from '../src/bot/monitor/client.ts'
import { openOpenList } from '../src/bot/monitor/listing/open-list.ts'
import { openService, type Service } from '../src/service/service.ts'
import { reconcile } from '../test/support/at-once.ts'
import { anAlert } from '../test/support/delivery-world.ts'
import { firstWords, startBeside } from './beside.ts'
import { type Figure, many, median } from './figure.ts'
import { measured, sized } from './measured.ts'
import { openMany, openTown, until } from './town.ts'

const idleMs = sized(20_000, 3_000)
const pageRecords = 50
/** Open while the others are listed as closed. */
const staysOpen = 30
const runs = sized(3, 1)

const requestsOf = (service: Service) =>
  Object.values(service.requests()).reduce((sum, count) => sum + count, 0)

/** A road to that address that counts the bytes that come back. */
async function openCountingRoad(to: string) {
  const { port, hostname } = new URL(to)
  let bytes = 0
  const road = createServer((near) => {
    const far = connect(Number(port), hostname)
    far.on('data', (chunk) => {
      bytes += chunk.length
    })
    for (const end of [near, far]) end.on('error', () => [near, far].map((one) => one.destroy()))
    near.pipe(far).pipe(near)
  }).listen(0, '127.0.0.1')
  await once(road, 'listening')
  return {
    url: `http://127.0.0.1:${(road.address() as { port: number }).port}`,
    bytes: () => bytes,
    close: () => road.close(),
  }
}

/** The floor is one request, and the bytes of one page of what is listed. */
export async function measureIdle(listed: number): Promise<Figure[]> {
  const town = await openTown('off')
  const road = await openCountingRoad(town.service.url)
  try {
    openMany(town.service, listed, staysOpen)
    const page = `${road.url}/api/v2/${town.service.keys[0]}/alerts.json`
    await (await fetch(page)).text()
    const pageBytes = road.bytes()
    const { bot } = await town.start({ LOG_LEVEL: 'debug', MONITOR_URL: road.url })
    await wait(5_000)
    const now = () => ({
      requests: requestsOf(town.service),
      polls: bot.logged('poll:done').length,
      bytes: road.bytes(),
    })
    const from = now()
    await wait(idleMs)
    const to = now()
    const perPoll = (of: 'requests' | 'bytes') => (to[of] - from[of]) / (to.polls - from.polls)
    const size = `${many(listed)} listed, ${staysOpen} open`
    return [
      {
        figure: 'requests of an idle poll',
        size,
        unit: 'requests',
        measured: perPoll('requests'),
        floor: 1,
        floorIs: 'one page',
        goal: { of: 'ratio', atMost: 2 },
      },
      {
        figure: 'bytes that an idle poll reads',
        size,
        unit: 'bytes',
        measured: perPoll('bytes'),
        floor: pageBytes,
        floorIs: 'one page',
        goal: null,
      },
    ]
  } finally {
    road.close()
    await town.close()
  }
}

/** A service without bot and Slack, and the bot's own connection to it. */
export async function openMonitored() {
  const key = 'bench-key-000001'
  const service = await openService({ key, sample: false, fleet: false })
  const clock = { nowMs: Date.now, wait: (ms: number) => wait(ms) }
  const apiKey = { reveal: () => key }
  const monitor = connectMonitor({ baseUrl: service.url, apiKey, clock, random: Math.random })
  return { service, monitor, clock }
}

/** As every poll but the first. The lower bound is the list's number of full pages, without overlap. */
export async function measureSweep(open: number): Promise<Figure> {
  const { service, monitor, clock } = await openMonitored()
  try {
    openMany(service, open, open)
    const silent = () => {}
    const read = openOpenList({
      monitor,
      clock,
      logger: { debug: silent, info: silent, warn: silent, error: silent },
    })
    const ids = (await read([])).alertRecords.map(({ alertId }) => alertId)
    const listing = await read(ids)
    if (!listing.complete || listing.alertRecords.length !== open) throw new Error('not all of it was read')
    return {
      figure: 'requests of a sweep of what is open',
      size: `${many(open)} open`,
      unit: 'requests',
      measured: listing.requests,
      floor: Math.ceil(open / pageRecords),
      floorIs: `${pageRecords} a page`,
      goal: { of: 'ratio', atMost: 1.15 },
    }
  } finally {
    await monitor.close()
    await service.close()
  }
}

/** Calls `page` for all pages, four at a time, and prints how long that took. */
const reading = `
let next = 0
async function work() {
  while (next < count) await page((next++) * ${pageRecords})
}
const fromMs = performance.now()
await Promise.all([work(), work(), work(), work()])
console.log(performance.now() - fromMs)
process.exit()
`

/** Reads each answer with undici and a loose schema, and keeps nothing. */
const bareReader = `
import { Agent, request } from 'undici'
import { z } from 'zod'
const read = z.object({ results: z.array(z.object({ id: z.coerce.string(), time: z.coerce.string(), title: z.string() }).loose()) }).loose()
const [url, key, count] = process.argv.slice(1)
const dispatcher = new Agent({ pipelining: 1 })
async function page(offset) {
  const { body } = await request(url + '/api/v2/' + key + '/alerts.json?lifecycle=all&offset=' + offset, { dispatcher })
  read.parse(await body.json())
}
${reading}`

/** The bot's own connection, with everything that it checks in an answer. */
const ownReader = `
import { connectMonitor } from ${JSON.stringify(new URL('../src/bot/monitor/client.ts', import.meta.url).href)}
import { keepHeapSmall } from ${JSON.stringify(new URL('../src/bot/small-heap.ts', import.meta.url).href)}
const [url, key, count] = process.argv.slice(1)
keepHeapSmall()
const clock = { nowMs: Date.now, wait: (ms) => new Promise((done) => setTimeout(done, ms)) }
const monitor = connectMonitor({ baseUrl: url, apiKey: { reveal: () => key }, clock, random: Math.random })
const page = (offset) => monitor.alerts({ lifecycle: 'all', offset })
${reading}`

async function readOnlyMs(reader: string, { url, keys }: Service, pages: number): Promise<number> {
  const child = startBeside(['--input-type=module', '-e', reader, url, keys[0] ?? '', String(pages)])
  const tookMs = await firstWords(child)
  child.kill()
  return measured('what reads alone', Number(tookMs))
}

/**
 * The first poll of an empty database, against reading as many pages and nothing else; and what of it is the bot's own reading. Of a
 * list that is newest first it reads 200.
 */
export async function measureCatchUp(listed: number): Promise<Figure[]> {
  const tookMs: number[] = []
  const ownMs: number[] = []
  const bareMs: number[] = []
  for (let run = 0; run < runs; run += 1) {
    const town = await openTown('off')
    try {
      openMany(town.service, listed, Math.ceil(listed / 100))
      const { bot } = await town.start({ LOG_LEVEL: 'debug' })
      await until('the first poll is done', 180_000, () => bot.logged('poll:done').length > 0)
      const [poll] = bot.logged('poll:done')
      tookMs.push(Number(poll?.tookMs))
      await bot.kill('SIGTERM')
      ownMs.push(await readOnlyMs(ownReader, town.service, Number(poll?.requests)))
      bareMs.push(await readOnlyMs(bareReader, town.service, Number(poll?.requests)))
    } finally {
      await town.close()
    }
  }
  const beside = {
    size: `${many(listed)} listed, a hundredth open`,
    unit: 'ms',
    floor: median(bareMs),
    floorIs: 'fetching and parsing alone',
  } as const
  return [
    {
      figure: 'first poll, until all is stored and decided',
      ...beside,
      measured: median(tookMs),
      goal: { of: 'ratio', atMost: 1.3 },
    },
    { figure: 'reading as much with all checks', ...beside, measured: median(ownMs), goal: null },
  ]
}

/** All of them stored as open, all listed, one new. The floor is one pass that finds each by its id. */
export function measureReconcile(stored: number): Figure {
  const nowMs = Date.now()
  const startedMs = nowMs - 3_600_000
  const alerts = new Map<string, Alert>(
    Array.from({ length: stored }, (_, n) => [
      `${n}`,
      anAlert(`${n}`, { startedMs, firstSeenMs: startedMs, serverName: `server-${n % 1_000}` }),
    ]),
  )
  const records = [...alerts.values(), anAlert('new', { startedMs: nowMs })].map(
    (alert): AlertRecord => ({
      alertId: alert.alertId,
      timeMs: alert.startedMs,
      serverName: alert.serverName,
      hostname: alert.hostname,
      lifecycle: 'start',
      title: alert.title,
      plugin: alert.plugin,
      metric: alert.metric,
      value: alert.value,
      url: alert.url,
      triggerId: alert.triggerId,
      saidSeverity: alert.saidSeverity,
    }),
  )
  const tookMs: number[] = []
  const passMs: number[] = []
  for (let run = 0; run < runs; run += 1) {
    let fromMs = performance.now()
    const news = records.filter(({ alertId, timeMs }) => alerts.get(alertId)?.startedMs !== timeMs)
    passMs.push(performance.now() - fromMs)
    fromMs = performance.now()
    const { changes } = reconcile(
      { alerts, ends: [] },
      {
        open: { alertRecords: records, complete: true },
        all: { alertRecords: [], depth: 'newest', lacks: new Set() },
        nowMs,
        form: 'flip',
        isFormFixed: true,
        catchingUp: false,
        polledMs: null,
        historyMs: null,
      },
    )
    tookMs.push(performance.now() - fromMs)
    if (changes.length !== news.length) throw new Error(`found ${changes.length} changes, not ${news.length}`)
  }
  return {
    figure: 'comparing what is listed with what is stored',
    size: `${many(stored)} stored and listed`,
    unit: 'ms',
    measured: median(tookMs),
    floor: median(passMs),
    floorIs: 'looking each up by its id',
    goal: { of: 'measured', atMost: 1_000 },
  }
}
