/** Inspects a Postgres without changing it, whether or not bots are on it. */
import { markName, parseMark, whyMoved } from '../move/mark.ts'
import { postgresMigrations } from '../open/postgres-schema.ts'
import { failureOf } from './failures.ts'
import { codeNumber, reading, tooOld } from './gate.ts'
import { beatMs } from './lease.ts'
import { type LeaderRow, leaderColumns, type PresenceRow, presenceColumns } from './lease-rows.ts'
import type { Link, PostgresPool } from './pool.ts'
import { allTables } from './prepare.ts'
import { type Ask, assertMayMigrate, assertMayWrite, assertOurs, assertServer } from './server.ts'

export type InspectedServer = {
  readonly version: string
  /** Null before the first start. */
  readonly memory: {
    readonly migrations: number
    /** How many come at the next start, and how many came with newer versions, which this one can work beside. */
    readonly waiting: number
    readonly newer: number
    readonly alerts: number
  } | null
  readonly takesWrites: boolean
}

export type InspectedWay = {
  /** Is a pooler such as PgBouncer in between? */
  readonly isPooled: boolean
  readonly roundTripMs: number
  /** How far the server's clock is ahead of this machine's. */
  readonly aheadMs: number
}

export type InspectedLead = {
  /** Null: nobody has ever led. */
  readonly leader: { readonly name: string; readonly term: number; readonly isFree: boolean } | null
  /** How long it took until the leader's beat moved; null if it did not for as long as was looked. */
  readonly movedAfterMs: number | null
  readonly lookedMs: number
  readonly standbys: readonly Pick<PresenceRow, 'name' | 'reachesSlack'>[]
}

/** A beat, and one that is late. */
const watchMs = beatMs + 2_000
const againMs = 250
const roundTrips = 9

/** Throws a `StoreError` or a `MemoryAway` if no start would succeed on it now. */
export function inspectServer(pool: PostgresPool): Promise<InspectedServer> {
  return looking(pool, async (ask) => {
    const { address } = pool
    const version = await assertServer(ask, address)
    await assertOurs(ask, address, allTables)
    const [found] = await ask(
      `select current_setting('default_transaction_read_only') = 'off' as "takesWrites",
        to_regclass('gate') is not null as "isMade"`,
    )
    const takesWrites = found?.takesWrites === true
    if (found?.isMade !== true) {
      await assertMayMigrate(ask, address, allTables)
      return { version, memory: null, takesWrites }
    }
    await assertMayWrite(ask, address, allTables)
    const [gate] = await ask('select code_min from gate')
    if (Number(gate?.code_min) > codeNumber) throw tooOld(address)
    const [mark] = await ask('select value from facts where name = $1', [markName])
    const moved = whyMoved(address, parseMark(mark?.value as string | undefined))
    if (moved !== null) throw moved
    const names = (await ask('select name from kysely_migration')).map(({ name }) => String(name))
    const known = Object.keys(postgresMigrations)
    const waiting = known.filter((name) => !names.includes(name)).length
    if (waiting > 0) await assertMayMigrate(ask, address, allTables)
    const [{ alerts } = { alerts: 0 }] = await ask('select count(*) as alerts from alerts')
    const newer = names.filter((name) => !known.includes(name)).length
    return {
      version,
      takesWrites,
      memory: { migrations: names.length, waiting, newer, alerts: Number(alerts) },
    }
  })
}

export function inspectWay(pool: PostgresPool): Promise<InspectedWay> {
  return looking(pool, async (ask, link) => {
    const { clock } = pool
    const tries: { readonly tookMs: number; readonly aheadMs: number; readonly pid: number }[] = []
    while (tries.length < roundTrips) {
      const [startMs, wallMs] = [clock.steadyMs(), clock.nowMs()]
      const [row] = await ask(
        'select pg_backend_pid() as pid, extract(epoch from clock_timestamp()) * 1000 as "nowMs"',
      )
      const tookMs = clock.steadyMs() - startMs
      tries.push({ tookMs, aheadMs: Number(row?.nowMs) - wallMs - tookMs / 2, pid: Number(row?.pid) })
    }
    // The shortest says most: whatever is longer waited for something else.
    const [{ tookMs: roundTripMs, aheadMs, pid }] = tries.toSorted((a, b) => a.tookMs - b.tookMs) as [
      (typeof tries)[number],
    ]
    return { isPooled: pid !== link.serverPid, roundTripMs, aheadMs }
  })
}

/** Who leads and who stands by, by whose beat moves: it watches for some seconds, because no clock stands in the rows. */
export async function watchLead(pool: PostgresPool): Promise<InspectedLead> {
  const { clock } = pool
  const look = () =>
    looking(pool, async (ask) => {
      const [row] = await ask(`select ${leaderColumns} from leader`)
      const others = await ask(`select ${presenceColumns} from presence order by name, holder`)
      return { row: row as LeaderRow | undefined, others: others as PresenceRow[] }
    })
  const first = await look()
  const startMs = clock.steadyMs()
  const alive = new Set<string>()
  let movedAfterMs: number | null = null
  let last = first
  for (;;) {
    const lookedMs = clock.steadyMs() - startMs
    const isLeading = last.row !== undefined && last.row.holder !== '' && !last.row.free
    const isSame = last.row?.holder === first.row?.holder && last.row?.beat === first.row?.beat
    if (isLeading && !isSame) movedAfterMs ??= lookedMs
    for (const { holder, beat } of last.others)
      if (first.others.find((one) => one.holder === holder)?.beat !== beat) alive.add(holder)
    const isClear =
      (!isLeading || movedAfterMs !== null) && last.others.every(({ holder }) => alive.has(holder))
    if (isClear || lookedMs >= watchMs) return { ...toldOf(last, alive), movedAfterMs, lookedMs }
    await clock.wait(againMs)
    last = await look()
  }
}

function toldOf(
  { row, others }: { readonly row: LeaderRow | undefined; readonly others: readonly PresenceRow[] },
  alive: ReadonlySet<string>,
): Pick<InspectedLead, 'leader' | 'standbys'> {
  const leader =
    row === undefined || row.holder === ''
      ? null
      : { name: row.name, term: Number(row.term), isFree: row.free }
  return { leader, standbys: others.filter(({ holder }) => alive.has(holder)) }
}

/** All of it in one transaction that can write nothing. */
async function looking<T>(pool: PostgresPool, work: (ask: Ask, link: Link) => Promise<T>): Promise<T> {
  const link = await pool.take()
  let isOver = false
  try {
    const ask: Ask = async (text, values) => {
      const [answer] = await link.run(text, values)
      return answer?.rows ?? []
    }
    await link.run(reading)
    const found = await work(ask, link)
    await link.run('rollback')
    isOver = true
    return found
  } catch (error) {
    throw failureOf(error, pool.address)
  } finally {
    link.release(!isOver)
  }
}
