/** Moves everything from one database to another, each of which is a file or a Postgres. */
import { existsSync, statSync } from 'node:fs'
import { StoreError } from '../open/store-error.ts'
import type { End } from './end.ts'
import { type MoveParts, move } from './move.ts'
import { openPostgresEnd, type PostgresEndParts } from './postgres-end.ts'
import { openSqliteEnd } from './sqlite-end.ts'

export type Place =
  | { readonly kind: 'sqlite'; readonly path: string }
  | { readonly kind: 'postgres'; readonly url: { reveal(): string } }

type Role = 'source' | 'target'

export type BetweenParts = Omit<MoveParts, 'nowMs'> & PostgresEndParts

/** What was moved, and where to: as people are told it. */
export type Moved = { readonly from: string; readonly to: string }

/** Throws as `move` and the opening of both ends do. */
export async function moveBetween(from: Place, to: Place, parts: BetweenParts): Promise<Moved> {
  if (isSame(from, to)) throw new StoreError('Both are the same database: nothing was moved.')
  const source = await open(from, 'source', parts)
  try {
    const target = await open(to, 'target', parts)
    try {
      await move(source, target, { ...parts, nowMs: parts.clock.nowMs() })
      return { from: source.name, to: target.name }
    } finally {
      await target.close()
    }
  } finally {
    await source.close()
  }
}

/** Two names of one Postgres are found out by its lease. */
function isSame(from: Place, to: Place): boolean {
  if (from.kind === 'postgres' && to.kind === 'postgres') {
    const [one, other] = [new URL(from.url.reveal()), new URL(to.url.reveal())]
    return `${one.host}${one.pathname}` === `${other.host}${other.pathname}`
  }
  if (from.kind !== 'sqlite' || to.kind !== 'sqlite' || !existsSync(from.path) || !existsSync(to.path))
    return false
  const [one, other] = [statSync(from.path), statSync(to.path)]
  return one.dev === other.dev && one.ino === other.ino
}

/** Its sentences speak of a bot that starts. */
async function open(place: Place, role: Role, parts: PostgresEndParts): Promise<End> {
  try {
    return place.kind === 'sqlite'
      ? await openSqliteEnd(place.path, role)
      : await openPostgresEnd(place.url.reveal(), role, parts)
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
    const flag = role === 'source' ? '--from' : '--to'
    const said = error.message
      .replaceAll('DATABASE_URL', flag)
      .replaceAll('start monbot again', 'run this again')
    throw new StoreError(said, error.code, error.isSetting)
  }
}
