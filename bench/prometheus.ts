/**
 * What a big Prometheus costs: `npm run bench:prometheus` measures one poll of a bot over 5,000 firing alerts with 15 labels each, 300
 * rules and 2,000 pods, as processor time of the service's own process, and counts what the engine is asked while five bots poll; then
 * the memory of a bot that reads these alerts, beside that of one to which nothing but the fields of the plain API is told.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { median } from './figure.ts'
import { counted, isShort, measured, sized } from './measured.ts'
import { cpuMs, residentMb } from './process-use.ts'
import { alerts, type BigTown, openBigTown } from './prometheus-town.ts'
import { openTown, until } from './town.ts'

const polls = sized(10, 2)
const bots = sized(5, 2)
const busyMs = sized(10_000, 5_000)
const pollGoalMs = 600
const requestsGoal = 1
const memoryGoal = 1.3
const memoryRuns = sized(3, 1)
const pollsSeen = sized(15, 3)
const firstWithinMs = 180_000
const pageSize = 50

/** What the bot reads at each poll: everything that is open, and the newest page of all. */
async function poll({ url, key }: BigTown): Promise<number> {
  const list = `${url}/api/v2/${key}/alerts.json`
  let count = 0
  for (let offset = 0; ; offset += pageSize) {
    const answer = await fetch(`${list}?lifecycle=start&offset=${offset}`)
    const { results } = (await answer.json()) as { results: unknown[] }
    count += results.length
    if (results.length < pageSize) break
  }
  await (await fetch(list)).json()
  return count
}

const rows: [string, string][] = []

async function measurePolls(town: BigTown): Promise<number> {
  await poll(town)
  const idleFromMs = cpuMs(town.pid)
  const idleForMs = sized(10_000, 5_000)
  await wait(idleForMs)
  const idleMs = ((cpuMs(town.pid) - idleFromMs) * 1_000) / idleForMs
  const took: number[] = []
  for (let at = 0; at < polls; at += 1) {
    // The reading of before is too old by then.
    await wait(2_100)
    const fromMs = cpuMs(town.pid)
    const count = await poll(town)
    took.push(cpuMs(town.pid) - fromMs)
    if (count !== alerts) throw new Error(`expected ${alerts} alerts; came ${count}`)
  }
  const most = Math.max(...took)
  rows.push([
    'one poll over 5,000 alerts, the reading of engine and Alertmanager in it: median, at most',
    `${median(took)} ms, ${most} ms`,
  ])
  rows.push(['a second in which nobody asks', `${idleMs.toFixed(0)} ms`])
  return sized(measured, counted)('a poll', median(took))
}

/** Answers how often the engine is asked in a second. */
async function measureRequests(town: BigTown): Promise<number> {
  town.engineAsked.length = 0
  town.managerAsked.length = 0
  const fromMs = performance.now()
  await Promise.all(
    Array.from({ length: bots }, async () => {
      while (performance.now() - fromMs < busyMs) await poll(town)
    }),
  )
  const seconds = (performance.now() - fromMs) / 1_000
  const engine = measured('requests to the engine', town.engineAsked.length) / seconds
  const manager = measured('requests to the Alertmanager', town.managerAsked.length) / seconds
  rows.push([`requests a second to the engine while ${bots} bots poll without a pause`, engine.toFixed(2)])
  rows.push(['to the Alertmanager', manager.toFixed(2)])
  rows.push(['resident memory of the service', `${residentMb(town.pid).toFixed(0)} MB`])
  return engine
}

/** Fields that the plain API does not have. */
const beyond: ReadonlySet<string> = new Set([
  ...['labels', 'description', 'links', 'trouble', 'muted_by', 'can_mute', 'units', 'limit', 'limit_side'],
])

/** In front of the service; `isPlain`: leaves out what the plain API does not have. */
async function openRoad(to: string, isPlain: boolean): Promise<{ readonly url: string; close(): void }> {
  const server = createServer(async (request, response) => {
    const answer = await fetch(to + request.url, { method: request.method ?? 'GET' }).catch(() => null)
    if (answer === null) return void response.writeHead(502).end('{}')
    const text = await answer.text()
    const plain = (_: string, value: unknown) =>
      typeof value === 'object' && value !== null && 'lifecycle' in value
        ? Object.fromEntries(Object.entries(value).filter(([name]) => !beyond.has(name)))
        : value
    const said = isPlain ? JSON.stringify(JSON.parse(text, plain)) : text
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(said)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** Of a bot that has read all of it several times: after its first start on these alerts, and the most until then. */
async function memoryOf(service: BigTown, isPlain: boolean): Promise<{ rest: number; most: number }> {
  const town = await openTown('off')
  const road = await openRoad(service.url, isPlain)
  try {
    const { bot } = await town.start({
      MONITOR_URL: road.url,
      MONITOR_API_KEY: service.key,
      LOG_LEVEL: 'debug',
    })
    await until('it has polled', firstWithinMs, () => bot.logged('poll:done').length >= pollsSeen)
    return { rest: residentMb(bot.child.pid), most: town.mostMb() }
  } finally {
    road.close()
    await town.close()
  }
}

/** Answers by how much the labels make it more. */
async function measureMemory(service: BigTown): Promise<number> {
  const found = {
    plain: [] as number[],
    whole: [] as number[],
    mostPlain: [] as number[],
    most: [] as number[],
  }
  for (let run = 0; run < memoryRuns; run += 1) {
    const plain = await memoryOf(service, true)
    const whole = await memoryOf(service, false)
    found.plain.push(plain.rest)
    found.mostPlain.push(plain.most)
    found.whole.push(whole.rest)
    found.most.push(whole.most)
  }
  const said = (without: readonly number[], withAll: readonly number[]) =>
    `${median(without).toFixed(0)} MB, ${median(withAll).toFixed(0)} MB, ${(median(withAll) / median(without)).toFixed(2)}`
  rows.push(['memory of the bot without labels, with, ratio', said(found.plain, found.whole)])
  rows.push(['the most that it was since its start', said(found.mostPlain, found.most)])
  return measured('memory', median(found.whole)) / measured('memory without labels', median(found.plain))
}

const town = await openBigTown()
try {
  const pollMs = await measurePolls(town)
  const requests = await measureRequests(town)
  const ratio = await measureMemory(town)
  process.stdout.write(
    ['| | measured |', '|---|---:|', ...rows.map(([figure, value]) => `| ${figure} | ${value} |`), ''].join(
      '\n',
    ),
  )
  if (!isShort && (pollMs > pollGoalMs || requests > requestsGoal || ratio > memoryGoal)) {
    process.stderr.write(
      `expected a poll of at most ${pollGoalMs} ms, at most ${requestsGoal} request a second to the engine, and ${memoryGoal} times the memory\n`,
    )
    process.exitCode = 1
  }
} finally {
  town.close()
}
