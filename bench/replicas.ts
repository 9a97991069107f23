/**
 * What a memory on Postgres costs beside SQLite: `npm run bench:replicas` measures a start, an idle poll, the way from an alert to its
 * card, a click, memory at rest and the first poll of 50,000 alerts with each, in one run; Postgres at once and a millisecond away.
 */
import { connect, createServer } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { openPostgres, type Postgres } from '../test/support/postgres.ts'
import { median } from './figure.ts'
import { isShort, measured, sized } from './measured.ts'
import { measureCards, measureClicks } from './people.ts'
import { residentMb } from './process-use.ts'
import { openMany, openTown, until } from './town.ts'

const listed = 100
const staysOpen = 30
const restMs = sized(10_000, 500)
const idleMs = sized(20_000, 3_000)
const many = sized(50_000, 300)
const firstWithinMs = 180_000
const awayMs = 1
const idleGoalMs = 10
const clickGoalMs = 100
const storeGoalMs = 5_000

type Found = Awaited<ReturnType<typeof measurePlace>> &
  Awaited<ReturnType<typeof measureFirst>> & { readonly name: string }

type Place = { readonly name: string; settings(): Promise<Record<string, string>> }

/** Each answer of the server comes so much later: a round trip of that length. */
async function openDistance(to: number, ms: number) {
  const server = createServer((near) => {
    const far = connect(to, '127.0.0.1')
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      one.setNoDelay()
      one.on('error', () => other.destroy())
      one.on('close', () => other.destroy())
    }
    near.on('data', (data) => far.write(data))
    far.on('data', (data) => setTimeout(() => near.write(data), ms))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { port: (server.address() as { port: number }).port, close: () => server.close() }
}

/** Of a bot that knows what is listed: its start, rest, idle polls, cards and clicks. */
async function measurePlace({ settings }: Place) {
  const town = await openTown('off')
  try {
    openMany(town.service, listed, staysOpen)
    const memory = await settings()
    const { bot: first } = await town.start({ ...memory, LOG_LEVEL: 'debug' })
    await until('all is stored', firstWithinMs, () => first.logged('poll:done').length > 1)
    await first.kill('SIGTERM')
    const { bot, tookMs: startMs } = await town.start({ ...memory, LOG_LEVEL: 'debug' })
    await wait(restMs)
    const restMb = residentMb(bot.child.pid)
    const before = bot.logged('poll:done').length
    await wait(idleMs)
    const idle = bot
      .logged('poll:done')
      .slice(before)
      .map(({ tookMs }) => Number(tookMs))
    const { tookMs: cardMs, cards } = await measureCards(town)
    const clickMs = await measureClicks(town.workspace, cards)
    return { startMs, restMb, idleMs: median(idle), cardMs: median(cardMs), clickMs: median(clickMs) }
  } finally {
    await town.close()
  }
}

/** The first poll of a bot that remembers nothing. */
async function measureFirst({ settings }: Place) {
  const town = await openTown('off')
  try {
    openMany(town.service, many)
    const { bot } = await town.start({ ...(await settings()), LOG_LEVEL: 'debug' })
    await until('the first poll is over', firstWithinMs, () => bot.logged('poll:done').length > 0)
    return { firstMs: Number(bot.logged('poll:done')[0]?.tookMs), firstMb: town.mostMb() }
  } finally {
    await town.close()
  }
}

async function placesOn(postgres: Postgres, far: { readonly port: number }): Promise<Place[]> {
  const at = (port?: number) => async () => ({
    DATABASE_URL: postgres.url(await postgres.create(), port),
  })
  return [
    { name: 'SQLite', settings: async () => ({}) },
    { name: 'Postgres, 0 ms', settings: at() },
    { name: `Postgres, ${awayMs} ms`, settings: at(far.port) },
  ]
}

const postgres = await openPostgres()
const far = await openDistance(postgres.port, awayMs)
try {
  const found: Found[] = []
  for (const place of await placesOn(postgres, far)) {
    process.stderr.write(`${place.name} …\n`)
    found.push({ name: place.name, ...(await measurePlace(place)), ...(await measureFirst(place)) })
  }
  const row = (what: string, unit: string, of: (one: Found) => number) =>
    `| ${what} | ${found.map((one) => `${measured(what, of(one)).toFixed(0)} ${unit}`).join(' | ')} |`
  process.stdout.write(
    [
      `| | ${found.map(({ name }) => name).join(' | ')} |`,
      '|---|---:|---:|---:|',
      row('from start to ready', 'ms', ({ startMs }) => startMs),
      row('memory at rest', 'MB', ({ restMb }) => restMb),
      row('an idle poll, the API in it, median', 'ms', (one) => Math.max(one.idleMs, 0.5)),
      row('from alert to card, median', 'ms', ({ cardMs }) => cardMs),
      row('from *Acknowledge* to the card, median', 'ms', ({ clickMs }) => clickMs),
      row(`first poll of ${many.toLocaleString('en')}, the API in it`, 'ms', ({ firstMs }) => firstMs),
      row('the most memory meanwhile', 'MB', ({ firstMb }) => firstMb),
      '',
    ].join('\n'),
  )
  const [sqlite, , away] = found
  if (sqlite === undefined || away === undefined) throw new Error('expected three places')
  const isMissed =
    away.idleMs - sqlite.idleMs > idleGoalMs ||
    away.clickMs > clickGoalMs ||
    away.firstMs - sqlite.firstMs > storeGoalMs
  if (!isShort && isMissed) {
    process.stderr.write(
      `expected, ${awayMs} ms away, an idle poll of at most ${idleGoalMs} ms more than SQLite's, a click of at most ${clickGoalMs} ms, and 50,000 alerts stored in at most ${storeGoalMs} ms more\n`,
    )
    process.exitCode = 1
  }
} finally {
  far.close()
  await postgres.close()
}
