/** Databases to be moved: files and Postgres databases of one test, what is in them, and what keeps a bot out. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Secret } from '../../src/bot/config/secret.ts'
import { type BetweenParts, moveBetween, type Place } from '../../src/bot/store/move/between.ts'
import { inspectDatabase } from '../../src/bot/store/open/inspect.ts'
import { StoreError } from '../../src/bot/store/open/store-error.ts'
import { openPostgresPool } from '../../src/bot/store/postgres/pool.ts'
import { assertNotMoved } from '../../src/bot/store/postgres/prepare.ts'
import { realClock } from '../../src/shared/clock.ts'
import { compiled } from './compiled.ts'
import { fullDatabase, rowsIn } from './full-database.ts'
import { type Postgres, sharedPostgres } from './postgres.ts'

type Finished = (done: () => void | Promise<void>) => void

export type MovingWorld = {
  readonly postgres: Postgres
  file(name: string): Place & { readonly kind: 'sqlite' }
  /** A file with so many rows in each table. */
  fullFile(rows: number): Promise<Place & { readonly kind: 'sqlite' }>
  /** An empty database. */
  database(): Promise<Place & { readonly name: string; readonly kind: 'postgres' }>
}

export async function movingWorld(onTestFinished: Finished): Promise<MovingWorld> {
  const postgres = await sharedPostgres()
  const folder = mkdtempSync(join(tmpdir(), 'monbot-moving-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = (name: string) => ({ kind: 'sqlite', path: join(folder, name) }) as const
  return {
    postgres,
    file,
    fullFile: async (rows) => {
      const made = file('full.db')
      await fullDatabase(made.path, rows)
      return made
    },
    database: async () => {
      const name = await postgres.create()
      return { kind: 'postgres', name, url: new Secret(postgres.url(name)) }
    },
  }
}

let made = 0

/** Moves in this process. */
export async function moved(from: Place, to: Place, some: Partial<BetweenParts> = {}): Promise<void> {
  made += 1
  await moveBetween(from, to, {
    newId: `move-${made}`,
    holder: `mover-${made}`,
    clock: realClock,
    signal: new AbortController().signal,
    onStep: () => undefined,
    onWait: () => undefined,
    ...some,
  })
}

/** What is in it, in the order of writing; a Postgres is emptied by this into a file. */
export async function contentOf(place: Place, world: MovingWorld): Promise<Record<string, unknown[]>> {
  if (place.kind === 'sqlite') return rowsIn(place.path)
  made += 1
  const file = world.file(`content-${made}.db`)
  await moved(place, file)
  return rowsIn(file.path)
}

/** The sentence with which a bot that is started on it ends; null: it starts. */
export async function refusalOf(place: Place): Promise<string | null> {
  const said = async (done: Promise<unknown>) =>
    await done.then(
      () => null,
      (error: unknown) => {
        if (!(error instanceof StoreError) || !error.isSetting) throw error
        return error.message
      },
    )
  if (place.kind === 'sqlite') return said(inspectDatabase(place.path))
  const pool = openPostgresPool(place.url.reveal(), { clock: realClock, connections: 1 })
  try {
    return await said(assertNotMoved(pool))
  } finally {
    await pool.close()
  }
}

/** As it stands in `--from` and `--to`. */
export function addressOf(place: Place): string {
  return place.kind === 'sqlite' ? `sqlite:${place.path}` : place.url.reveal()
}

/** `npm run move` as a process. */
export function startMove(...words: readonly string[]) {
  return processOf(['src/bot/move.ts', ...words])
}

/** A process that moves, and is killed right after a step: `copied cards`. */
export function startMortal(from: Place, to: Place, step: string) {
  const script = `
    import { moveBetween } from './src/bot/store/move/between.ts'
    import { databaseOf } from './src/bot/config/config.ts'
    import { realClock } from './src/shared/clock.ts'
    const [from, to, step] = process.argv.slice(1)
    await moveBetween(databaseOf({ DATABASE_URL: from }, String), databaseOf({ DATABASE_URL: to }, String), {
      newId: crypto.randomUUID(), holder: crypto.randomUUID(), clock: realClock, signal: new AbortController().signal,
      onWait: () => undefined,
      onStep: ({ kind, table }) => {
        if ([kind, table].filter(Boolean).join(' ') === step) process.kill(process.pid, 'SIGKILL')
      },
    })`
  return processOf(['--input-type=module', '-e', script, '--', addressOf(from), addressOf(to), step])
}

function processOf(words: readonly string[]) {
  const child = spawn(process.execPath, words, {
    env: { PATH: process.env.PATH ?? '', ...compiled },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const out = { said: '' }
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      out.said += text
    })
  }
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal, said: out.said }))
  return { child, ended, said: () => out.said }
}
