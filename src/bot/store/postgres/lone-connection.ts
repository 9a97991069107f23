/** One connection to a Postgres, for what must never wait behind other statements: made when it is needed, destroyed when it fails. */
import { Socket } from 'node:net'
import pg from 'pg'
import { MemoryAway } from '../../domain/base/failure.ts'
import { within } from '../../flow/concurrency/within.ts'
import type { Clock } from '../../flow/ports/ports.ts'

/** Three tries fit into the time that a lease is trusted. */
export const answerMsMax = 4_000

export type LoneConnection = {
  /**
   * The rows of one statement, which may wait `answerMsMax` for its answer. Throws a `MemoryAway` for whatever went wrong, named by
   * a code: whether the statement was done is not known then, and it may even be done later.
   */
  ask<Row extends pg.QueryResultRow>(sql: string, values?: readonly unknown[]): Promise<Row[]>
  close(): void
}

type Line = { readonly client: pg.Client; readonly socket: Socket; readonly ready: Promise<unknown> }

/** Connects to nothing yet. `database` may hold a password, so it is in no message. */
export function openLoneConnection(database: pg.ClientConfig, clock: Clock): LoneConnection {
  let line: Line | null = null

  function destroy(broken: Line): void {
    // Whatever waits for an answer on it fails by that, and the server breaks off or not as it likes.
    broken.socket.destroy()
    if (line === broken) line = null
  }

  function connect(): Line {
    const socket = new Socket()
    const client = new pg.Client({ ...database, stream: () => socket })
    const made = { client, socket, ready: client.connect() }
    client.on('error', () => destroy(made))
    return made
  }

  return {
    ask: async <Row extends pg.QueryResultRow>(sql: string, values: readonly unknown[] = []) => {
      line ??= connect()
      const asked = line
      const work = asked.ready.then(() => asked.client.query<Row>({ text: sql, values: [...values] }))
      try {
        const answer = await within(clock, answerMsMax, work)
        if (answer !== 'late') return answer.rows
        destroy(asked)
      } catch (error) {
        destroy(asked)
        throw new MemoryAway(`The database gave no answer (${codeOf(error)}).`)
      }
      throw new MemoryAway('The database gave no answer in time.')
    },
    close: () => {
      if (line === null) return
      const { client, socket } = line
      line = null
      // A goodbye on a healthy connection; on any other nobody waits for it.
      void client.end().catch(() => undefined)
      socket.unref()
    },
  }
}

/** `57P01`, `ECONNREFUSED`: never the text, which may name the address. */
function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : null
  return typeof code === 'string' ? code : 'connection lost'
}
