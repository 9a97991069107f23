/** The process that moves is killed at each of its steps, and between them: run again it ends well, and meanwhile no bot uses either. */
import SQLite from 'better-sqlite3'
import { type TestContext, test } from 'vitest'
import type { Place } from '../../../src/bot/store/move/between.ts'
import { rowsIn } from '../../support/full-database.ts'
import {
  addressOf,
  contentOf,
  type MovingWorld,
  moved,
  movingWorld,
  refusalOf,
  startMortal,
  startMove,
} from '../../support/moving.ts'
import { openTcpGate } from '../../support/tcp-gate.ts'

type Way = 'to' | 'from'

/** A full file that goes to a Postgres, or that came from one and goes back. */
async function begun(way: Way, { onTestFinished }: Pick<TestContext, 'onTestFinished'>) {
  const here = await movingWorld(onTestFinished)
  const full = await here.fullFile(30)
  const database = await here.database()
  if (way === 'from') await moved(full, database)
  const [from, to]: [Place, Place] = way === 'to' ? [full, database] : [database, here.file('to.db')]
  return { here, from, to, database, before: rowsIn(full.path) }
}

/** Nobody led there but the process that was killed: as if half a minute had passed. */
async function afterAWhile({ postgres }: MovingWorld, name: string): Promise<void> {
  await postgres.query('update leader set free = true', name)
}

const steps = [
  'source marked',
  'target marked',
  'copied alerts',
  'copied cards',
  'copied facts',
  'kept',
  'moved',
]

test.concurrent.for(steps.flatMap((step) => [['to', step] as const, ['from', step] as const]))(
  '%s a Postgres, killed at the step "%s"',
  async ([way, step], context) => {
    const { expect } = context
    const { here, from, to, database, before } = await begun(way, context)
    expect(await startMortal(from, to, step).ended).toMatchObject({ signal: 'SIGKILL', said: '' })
    expect(await refusalOf(from)).toContain(step === 'moved' ? 'was moved to' : 'is being moved to')
    const isThere = step === 'kept' || step === 'moved'
    if (isThere) expect(await refusalOf(to)).toBeNull()
    else if (step !== 'source marked') expect(await refusalOf(to)).toContain('is being filled from')
    await afterAWhile(here, database.name)
    if (step !== 'moved') {
      // Only where it was going.
      await expect(moved(from, here.file('other.db'))).rejects.toThrow('is being moved to')
      expect(await startMove('--from', addressOf(from), '--to', addressOf(to)).ended).toMatchObject({
        code: 0,
      })
    }
    expect(await refusalOf(from)).toContain('was moved to')
    expect(await contentOf(to, here)).toEqual(before)
  },
)

/** Which message that begins like this, of all that the process sends; before it arrives, or after. */
const messages = [
  ['begin', 1],
  ['begin', 2],
  ['insert into "facts"', 1],
  ['insert into "alerts"', 1],
  ['declare moved', 1],
  ['set constraints all immediate', 1],
  ['commit', 1],
  ['commit', 2],
  ['commit', 3],
  ['commit', 4],
  ['update leader set free', 1],
] as const

/** Each message both ways, and each way on both sides of its arrival. */
const kills = messages.flatMap(([text, nth], place) =>
  (['to', 'from'] as const).map(
    (way, turn) => [way, (place + turn) % 2 === 0 ? 'before' : 'after', text, nth] as const,
  ),
)

test.concurrent.for(kills)(
  '%s a Postgres, killed %s the message "%s" (%i) arrives',
  async ([way, when, text, nth], context) => {
    const { expect, onTestFinished } = context
    const { here, from, to, database, before } = await begun(way, context)
    let found = 0
    let kill: () => void = () => undefined
    const gate = await openTcpGate(here.postgres.port, {
      onPiece: (sender, piece) => {
        if (sender === 'server' || !piece.includes(text)) return piece
        found += 1
        if (found !== nth) return piece
        kill()
        return when === 'before' ? Buffer.alloc(0) : piece
      },
    })
    onTestFinished(gate.close)
    const through = ({ ...place }: Place): string =>
      place.kind === 'sqlite' ? addressOf(place) : here.postgres.url(database.name, gate.port)
    const first = startMove('--from', through(from), '--to', through(to))
    kill = () => first.child.kill('SIGKILL')
    const { code, signal } = await first.ended
    // Not every way has every message so often.
    if (code === 0) expect(found).toBeLessThan(nth)
    else expect(signal).toBe('SIGKILL')
    await expect
      .poll(() => here.postgres.query(`select 1 from pg_stat_activity where datname = '${database.name}'`))
      .toEqual([])
    const hasTables = await here.postgres.query(
      "select 1 from pg_tables where tablename = 'leader'",
      database.name,
    )
    if (hasTables.length > 0) await afterAWhile(here, database.name)
    // Where it is marked, it is for good, or until it is run again.
    const isDone = (await refusalOf(from))?.includes('was moved to') === true
    if (!isDone) {
      const again = await startMove('--from', addressOf(from), '--to', through(to)).ended
      expect(again).toMatchObject({ code: 0 })
    }
    expect(await refusalOf(from)).toContain('was moved to')
    expect(await contentOf(to, here)).toEqual(before)
  },
)

test.concurrent('killed, and run again at once, it waits until it is sure that nobody leads', async (context) => {
  const { expect } = context
  const { here, from, to, before } = await begun('to', context)
  await startMortal(from, to, 'copied cards').ended
  const again = await startMove('--from', addressOf(from), '--to', addressOf(to)).ended
  expect(again.said).toMatch(
    /^127\S+: waiting, for half a minute, until it is sure that nobody leads\.\nalerts: 30 rows\n/,
  )
  expect(again.said).toMatch(
    /\nMoved to 127\S+: set DATABASE_URL to that one\. \S+ stays as it was, and no bot uses it any more\.\n$/,
  )
  expect(await contentOf(to, here)).toEqual(before)
})

test.concurrent('asked to end, it leaves both as they were', async (context) => {
  const { expect } = context
  const { from, to } = await begun('to', context)
  const asked = startMove('--from', addressOf(from), '--to', addressOf(to))
  asked.child.stdout.once('data', () => asked.child.kill('SIGTERM'))
  const { code, said } = await asked.ended
  if (code === 1) {
    expect(said).toMatch(/\nThe move was broken off: nothing was moved\.\n$/)
    expect([await refusalOf(from), await refusalOf(to)]).toEqual([null, null])
  } else expect({ code, said }).toMatchObject({ code: 0, said: expect.stringContaining('Moved to') })
})

test.concurrent('it says what it expected, and shows no password', async (context) => {
  const { expect } = context
  const { here, from } = await begun('to', context)
  const secret = 'correct-horse'
  const url = `postgres://postgres:${secret}@127.0.0.1:${here.postgres.port}`
  const told: [words: string[], code: number, said: RegExp][] = [
    [
      [],
      2,
      /^Expected --from and --to, each with the address of a database; came nothing\nUsage: npm run move -- --from/,
    ],
    [['--from', addressOf(from)], 2, /came 2 words\n/],
    [['--to', `${url}/x`, '--to', addressOf(from)], 2, /came 4 words\n/],
    [[`${url}/x`], 2, /came 1 word\n/],
    [
      [`--from=${addressOf(from)}`, '--to', `${url}/x?a=b`],
      78,
      /^--to: expected no parameters but sslmode and sslrootcert; came /,
    ],
    [['--from', addressOf(from), '--to', 'sqlite::memory:'], 78, /^--to: expected the path of a file/],
    [
      [`--from=${addressOf(from)}`, `--to=${url}/nowhere`],
      78,
      /^Postgres at 127\S+ has no database of that name/,
    ],
    [['--from', 'sqlite:/nowhere/at.db', `--to=${url}/x`], 1, /^There is no database \/nowhere\/at\.db\.\n$/],
    [
      ['--to', `postgres://u:${secret}@127.0.0.1:1/x`, '--from', addressOf(from)],
      1,
      /^Postgres at 127\.0\.0\.1:1\/x cannot be reached \(ECONNREFUSED\)\.\n$/,
    ],
    [['--help'], 0, /^Usage: npm run move -- --from/],
  ]
  for (const [words, code, pattern] of told) {
    const ended = await startMove(...words).ended
    expect(ended.said).toMatch(pattern)
    expect(ended.said).not.toContain(secret)
    expect(ended.code).toBe(code)
  }
  expect(await refusalOf(from)).toBeNull()
})

test.concurrent('a bot that used the new one since the kill keeps what it wrote, and the old one stays closed', async (context) => {
  const { expect } = context
  const { here, from, to, database } = await begun('from', context)
  await startMortal(from, to, 'kept').ended
  if (to.kind !== 'sqlite') throw new Error('It goes to a file')
  new SQLite(to.path).exec("insert into homes values ('U9', 1)").close()
  const since = rowsIn(to.path)
  await afterAWhile(here, database.name)
  await moved(from, to)
  expect(rowsIn(to.path)).toEqual(since)
  expect(await refusalOf(from)).toContain('was moved to')
})
