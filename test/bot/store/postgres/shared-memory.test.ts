/** The memory that processes share: who leads has the store, and what Postgres forgets is put right before anything goes out. */
import { expect, onTestFinished, test } from 'vitest'
import { Deposed, MemoryAway } from '../../../../src/bot/domain/base/failure.ts'
import { openSharedMemory } from '../../../../src/bot/store/postgres/shared-memory.ts'
import { realClock } from '../../../../src/shared/clock.ts'
import { keptJournal } from '../../../support/journal.ts'
import { sharedPostgres } from '../../../support/postgres.ts'
import { openTcpGate } from '../../../support/tcp-gate.ts'

async function world() {
  const postgres = await sharedPostgres()
  const database = await postgres.create()
  const query = <Row extends object>(sql: string) =>
    postgres.query<Row & Record<string, unknown>>(sql, database)

  /** One process on it; `port`: instead of the server's own. */
  function open(name: string, port?: number) {
    const logger = keptJournal()
    const deposed: Deposed[] = []
    const memory = openSharedMemory({
      url: {
        reveal: () => {
          const url = new URL(postgres.url(database))
          if (port !== undefined) url.port = String(port)
          return url.href
        },
      },
      connections: 3,
      holder: `${name}-1`,
      name,
      ownUrl: `http://${name}`,
      reachesSlack: () => true,
      clock: realClock,
      logger,
      onDeposed: (why) => void deposed.push(why),
    })
    onTestFinished(memory.close)
    return { memory, logger, deposed }
  }

  return { query, open, port: postgres.port }
}

async function leading(name: string, { open }: Awaited<ReturnType<typeof world>>, port?: number) {
  const process = open(name, port)
  const led = await process.memory.lead(new AbortController().signal)
  if (led === null) throw new Error(`${name} does not lead`)
  return { ...process, ...led }
}

test('the first to come makes the tables, leads and writes; another one stands by, and takes it when it is free', async () => {
  const here = await world()
  const first = await leading('bot-a', here)
  expect(first.leadership).toMatchObject({ holder: 'bot-a-1', term: 1 })
  expect(first.leadership.isTrusted()).toBe(true)
  await first.store.noteHome('U1', 1)
  const second = here.open('bot-b')
  const next = second.memory.lead(new AbortController().signal)
  await expect.poll(() => second.memory.state().leader).toMatchObject({ name: 'bot-a', url: 'http://bot-a' })
  await first.memory.release()
  expect(first.leadership.isTrusted()).toBe(false)
  const led = await next
  expect(led?.leadership).toMatchObject({ holder: 'bot-b-1', term: 2 })
  expect(await led?.store.homes(0)).toEqual(['U1'])
})

test('what Postgres has forgotten is put right before anything goes out', async () => {
  const here = await world()
  const { store, leadership } = await leading('bot-a', here)
  await store.noteHome('U1', 1)
  await store.noteHome('U2', 2)
  await here.query('update gate set n = n - 1')
  await expect(store.noteHome('U3', 3)).rejects.toBeInstanceOf(MemoryAway)
  expect(leadership.isTrusted()).toBe(false)
  await expect.poll(() => leadership.isTrusted()).toBe(true)
  expect(await here.query("select 1 from facts where name = 'doubted'")).toHaveLength(1)
  const [row] = await here.query<{ timeline: string }>('select timeline from leader')
  expect(row?.timeline).not.toBe('forgotten')
  await store.noteHome('U3', 3)
})

test('who leads next puts right what the last one did not come to, before it begins', async () => {
  const here = await world()
  const { memory } = await leading('bot-a', here)
  await memory.release()
  await here.query("update leader set timeline = 'forgotten'")
  await leading('bot-b', here)
  expect(await here.query("select 1 from facts where name = 'doubted'")).toHaveLength(1)
})

test('once another one leads nothing is written but late notes, and the process is told once', async () => {
  const here = await world()
  const { store, leadership, deposed } = await leading('bot-a', here)
  await here.query("update leader set holder = 'bot-b-1', term = term + 1")
  await expect(store.noteHome('U1', 1)).rejects.toBeInstanceOf(Deposed)
  await expect(store.noteHome('U1', 1)).rejects.toBeInstanceOf(Deposed)
  expect(deposed).toHaveLength(1)
  expect(leadership.isTrusted()).toBe(false)
  await store.noteCopy({ cardId: 'alert:1:C1', channel: 'C1', ts: '1.2' })
  expect(await here.query('select card_id from copies')).toEqual([{ card_id: 'alert:1:C1' }])
  expect(await here.query('select 1 from homes')).toEqual([])
})

test('a process that ends while Postgres is away leaves what is forgotten to the next one, and breaks at nothing', async () => {
  const here = await world()
  const gate = await openTcpGate(here.port)
  onTestFinished(gate.close)
  const { store, leadership, memory } = await leading('bot-a', here, gate.port)
  await store.noteHome('U1', 1)
  await here.query('update gate set n = n - 1')
  const lost = gate.loseAnswerTo('"doubt_ms"')
  await expect(store.noteHome('U2', 2)).rejects.toBeInstanceOf(MemoryAway)
  await lost
  gate.cut()
  await memory.close()
  expect(leadership.isTrusted()).toBe(false)
  const [row] = await here.query<{ timeline: string }>('select timeline from leader')
  expect(row?.timeline).toBe('forgotten')
})

test('a process that is asked to end leads no more, although what was forgotten cannot be put right', async () => {
  const here = await world()
  const { memory } = await leading('bot-a', here)
  await memory.release()
  await here.query("update leader set timeline = 'forgotten'")
  const gate = await openTcpGate(here.port)
  onTestFinished(gate.close)
  const asked = new AbortController()
  const lost = gate.loseAnswerTo('"doubt_ms"')
  const next = here.open('bot-b', gate.port)
  const led = next.memory.lead(asked.signal)
  await lost
  gate.cut()
  asked.abort()
  expect(await led).toBeNull()
})
