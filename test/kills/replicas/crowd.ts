/** Clients who take every connection that a Postgres has to give. */
import pg from 'pg'
import type { Postgres } from '../../support/postgres.ts'

const tries = 200

/** Ends everybody else's connections meanwhile. Resolves to what gives them all back. */
export async function clientsOf(server: Postgres): Promise<() => Promise<void>> {
  const clients: pg.Client[] = []
  for (let n = 0; n < tries; n += 1) {
    const client = new pg.Client({ connectionString: server.url('postgres') })
    client.on('error', () => undefined)
    try {
      await client.connect()
      clients.push(client)
    } catch {
      const [first] = clients
      const others = `select pg_terminate_backend(pid) from pg_stat_activity
        where datname <> 'postgres' and backend_type = 'client backend'`
      const { rowCount } = (await first?.query(others)) ?? { rowCount: 0 }
      if (rowCount === 0) break
    }
  }
  return async () => {
    await Promise.all(clients.map((client) => client.end().catch(() => undefined)))
  }
}
