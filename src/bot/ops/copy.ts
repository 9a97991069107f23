/** Copies a memory into an empty one of either kind, while no bot uses them: every row as it is. The old one stays as it was. */
import { kinds } from '../world/journal.ts'
import { type Lease, LockedStore, type Row, type Store, UnfitStore, type Wait } from '../world/store.ts'

const rowsAtOnce = 1000
/** A bot that leads on a Postgres and was killed is waited for; one that runs goes on longer. */
const leadWithinMs = 30_000

/** `name` stands in sentences about the target. How many rows were copied. Throws an `UnfitStore` or a `LockedStore`. */
export async function copy(from: Store, to: Store, name: string): Promise<number> {
  const leases: Lease[] = []
  try {
    for (const store of [from, to]) leases.push(await leadOn(store))
    if ((await rowsIn(to)).length > 0)
      throw new UnfitStore(`${name} holds something already: copy into an empty database.`)
    const rows = await rowsIn(from)
    for (let at = 0; at < rows.length; at += rowsAtOnce)
      await leases[1]?.write(rows.slice(at, at + rowsAtOnce))
    return rows.length
  } finally {
    for (const lease of leases) await lease.free()
  }
}

async function leadOn(store: Store): Promise<Lease> {
  let last: Wait | null = null
  const lease = await store.lead('copy', AbortSignal.timeout(leadWithinMs), (wait) => {
    last = wait
  })
  if (lease !== null) return lease
  throw new LockedStore(sentenceOf(last))
}

function sentenceOf(wait: Wait | null): string {
  if (wait !== null && 'away' in wait) return `${wait.away}.`
  return `A bot leads on the Postgres (${wait?.leader ?? 'unknown'}): stop every bot on both databases first.`
}

async function rowsIn(store: Store): Promise<Row[]> {
  const rows = await store.load()
  for (const kind of kinds)
    rows.push(...(await store.past(kind, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, 2 ** 31 - 1)))
  return rows
}
