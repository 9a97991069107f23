/** Several bots on one Postgres, each behind gates of its own, and a supervisor that starts again whatever ends. */
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BotProcess } from '../../support/bot-process.ts'
import { openPgBouncer } from '../../support/pgbouncer.ts'
import { openPostgres, type Postgres } from '../../support/postgres.ts'
import { openTcpGate, type TcpGate } from '../../support/tcp-gate.ts'
import { openWorld, type World, type WorldOptions } from '../world.ts'
import { type Direct, type Lead, openDirect } from './direct.ts'
import { type Disk, openDisk } from './disk.ts'
import { signsOfMemory, signsOfSlack } from './signs.ts'

export type Replica = {
  readonly name: string
  /** Before Postgres, or before the pooler. */
  readonly memory: TcpGate
  readonly slack: TcpGate
  bot: BotProcess
  /** So much is its machine's clock wrong, from its next start on. */
  skewMs: number
  /** Stopped by a signal: nobody starts or ends it until it goes on. */
  isFrozen: boolean
}

/** A process that ended. `code` null: by a signal that cannot be caught. */
export type Ending = { readonly name: string; readonly code: number | null; readonly bot: BotProcess }

export type Leading = { readonly replica: Replica; readonly lead: Lead }

export type Town = {
  readonly world: World
  readonly replicas: readonly Replica[]
  readonly direct: Direct
  /** Between all bots and Postgres. */
  readonly front: TcpGate
  /** Null where this machine has none to give. */
  readonly disk: Disk | null
  readonly isPooled: boolean
  /** Every process that ended so far, oldest first. */
  readonly endings: readonly Ending[]
  server(): Postgres
  /** The row of the lease as it was a moment ago. */
  lead(): Lead | null
  /** Waits until somebody leads, of a later term than this, and has begun to work. */
  led(after?: number): Promise<Leading>
  /** Waits until everybody else stands by: only then somebody takes over as soon as is promised. */
  allStandBy(): Promise<void>
  /** Waits until a later term than this was taken; resolves to the milliseconds since then; null: it never was. */
  taken(after: number, sinceMs: number, withinMs: number): Promise<number | null>
  /** Ends all that are not frozen, lets so much time pass for everybody, and starts them again. */
  restart(passMs: number): Promise<void>
  /** The folder of the server as it is now; for that it stops for a moment. */
  copy(): Promise<string>
  /** The server dies, and one that begins with that folder takes its place. */
  failover(folder: string, isStandby: boolean): Promise<void>
  close(): Promise<void>
}

export type TownOptions = Omit<WorldOptions, 'recall'> & {
  readonly replicas: number
  /** Through PgBouncer in transaction mode, with two connections to the server. */
  readonly isPooled: boolean
}

const againAfterMs = 400
const lookEveryMs = 50
const endWithinMs = 28_000
const ledWithinMs = 150_000

export async function openTown({ replicas: count, isPooled, ...options }: TownOptions): Promise<Town> {
  const disk = openDisk()
  const within = disk?.folder ?? tmpdir()
  const settings = { max_wal_size: '64MB', min_wal_size: '32MB', wal_keep_size: 0 }
  let server = await openPostgres({ within, settings })
  const front = await openTcpGate(() => server.port)
  const pooler = isPooled ? await openPgBouncer({ ...server, port: front.port }) : null
  const database = await server.create()
  const direct = openDirect(() => server.url(database))
  const world = await openWorld({ ...options, recall: direct.recall })
  const copies: string[] = []
  const endings: Ending[] = []
  let isSupervised = true
  let last: Lead | null = null

  async function openReplica(name: string): Promise<Replica> {
    // Of the others only that they take the lease is a sign: they look at it all the time.
    const tell = (sign: string) => {
      if (last?.name === name || sign.endsWith('taking')) world.sign(`${sign} ${name}`)
    }
    const memory = await openTcpGate(pooler?.port ?? front.port, { onPiece: signsOfMemory(tell) })
    const port = Number(new URL(world.workspace.url).port)
    const onPiece = signsOfSlack(tell, port, () => slack.port)
    const slack: TcpGate = await openTcpGate(port, { onPiece })
    const replica = { name, memory, slack, skewMs: 0, isFrozen: false }
    return begin(replica as Replica)
  }

  function begin(replica: Replica): Replica {
    const { name, memory, slack, skewMs } = replica
    const settings = {
      DATABASE_URL: server.url(database, memory.port),
      REPLICA_NAME: name,
      SLACK_API_URL: `http://127.0.0.1:${slack.port}/api/`,
    }
    const bot = world.spawn(settings, skewMs)
    replica.bot = bot
    replica.isFrozen = false
    void bot.ended.then((code) => {
      endings.push({ name, code, bot })
      if (isSupervised) setTimeout(() => isSupervised && replica.bot === bot && begin(replica), againAfterMs)
    })
    return replica
  }

  const looking = setInterval(async () => {
    last = (await direct.lead()) ?? last
  }, lookEveryMs)

  const replicas: Replica[] = []
  for (let at = 0; at < count; at += 1) {
    replicas.push(await openReplica(`bot-${String.fromCharCode('a'.charCodeAt(0) + at)}`))
  }

  async function led(after = -1): Promise<Leading> {
    const untilMs = performance.now() + ledWithinMs
    for (;;) {
      const lead = await direct.lead()
      const replica = replicas.find(({ name }) => name === lead?.name)
      const isAtWork = replica?.bot.output().includes('"app:started"') === true && !replica.isFrozen
      if (lead !== null && replica !== undefined && isAtWork && !lead.free && lead.term > after) {
        return { replica, lead }
      }
      if (performance.now() > untilMs) throw new Error(`nobody leads: ${JSON.stringify(lead)}`)
      await pause(lookEveryMs)
    }
  }

  async function allStandBy(): Promise<void> {
    const { replica } = await led()
    const others = replicas.filter((one) => one !== replica)
    const untilMs = performance.now() + ledWithinMs
    while (others.some(({ bot }) => !bot.output().includes('"app:stands_by"'))) {
      if (performance.now() > untilMs) throw new Error('somebody does not stand by')
      await pause(lookEveryMs)
    }
  }

  async function taken(after: number, sinceMs: number, withinMs: number): Promise<number | null> {
    for (;;) {
      const lead = await direct.lead()
      const tookMs = performance.now() - sinceMs
      if (lead !== null && lead.term > after) return tookMs
      if (tookMs > withinMs) return null
      await pause(lookEveryMs)
    }
  }

  async function restart(passMs: number): Promise<void> {
    isSupervised = false
    // Whoever leads goes last, or another would take the lead meanwhile.
    const going = replicas
      .filter(({ isFrozen }) => !isFrozen)
      .toSorted((a) => (a.name === last?.name ? 1 : -1))
    for (const { bot } of going) {
      const timer = setTimeout(() => bot.child.kill('SIGKILL'), endWithinMs)
      await bot.kill('SIGTERM')
      clearTimeout(timer)
    }
    const before = await direct.lead()
    world.pass(passMs)
    isSupervised = true
    for (const replica of going) begin(replica)
    await led(before?.term)
  }

  async function copy(): Promise<string> {
    await server.stop()
    const folder = mkdtempSync(join(tmpdir(), 'monbot-copy-'))
    cpSync(server.folder, folder, { recursive: true, preserveTimestamps: true })
    copies.push(folder)
    await server.start()
    return folder
  }

  async function failover(from: string, isStandby: boolean): Promise<void> {
    const old = server
    await old.stop('SIGKILL')
    const next = await openPostgres({ from, isStandby, within, settings })
    server = next
    if (isStandby) await next.query('select pg_promote()')
    await old.close()
  }

  return {
    world,
    replicas,
    direct,
    front,
    disk,
    isPooled,
    endings,
    server: () => server,
    lead: () => last,
    led,
    allStandBy,
    taken,
    restart,
    copy,
    failover,
    close: async () => {
      isSupervised = false
      clearInterval(looking)
      await world.close()
      await direct.close()
      for (const { memory, slack } of replicas) await Promise.all([memory.close(), slack.close()])
      await pooler?.close()
      await front.close()
      await server.close()
      for (const folder of copies) rmSync(folder, { recursive: true, force: true })
      disk?.close()
    },
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
