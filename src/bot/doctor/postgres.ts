/** Checks a Postgres: whether a start would succeed on it, the way to it, and who leads. It is only read. */
import type { Secret } from '../config/secret.ts'
import { MemoryAway } from '../domain/base/failure.ts'
import type { SteadyClock } from '../flow/ports/ports.ts'
import { counted } from '../slack/render/text/phrases.ts'
import { StoreError } from '../store/open/store-error.ts'
import {
  type InspectedLead,
  type InspectedServer,
  type InspectedWay,
  inspectServer,
  inspectWay,
  watchLead,
} from '../store/postgres/inspect.ts'
import { stillMs } from '../store/postgres/lease.ts'
import { openPostgresPool, type PostgresPool } from '../store/postgres/pool.ts'
import { type Finding, failed, ok, skipped, warning } from './finding.ts'

const check = 'Database'
const wayCheck = 'Database way'
const leadCheck = 'Database lead'
/** A click takes about 20 of them. */
const slowMs = 20
/** Nothing depends on its clock, and a person who compares the two logs would wonder. */
const aheadShownMs = 2_000

export async function* examinePostgres(url: Secret, clock: SteadyClock): AsyncGenerator<Finding> {
  let pool: PostgresPool | null = null
  try {
    pool = openPostgresPool(url.reveal(), { clock, connections: 1 })
    const server = await inspectServer(pool)
    yield serverFinding(pool.address, server)
    yield wayFinding(await inspectWay(pool), /[?&]sslmode=(?!disable)/.test(url.reveal()))
    yield server.memory === null
      ? skipped(leadCheck, 'nobody can lead before the first start')
      : leadFinding(await watchLead(pool))
  } catch (error) {
    if (error instanceof MemoryAway) yield failed(check, `${error.message}.`, away)
    else if (error instanceof StoreError) yield failed(check, error.message, 'Its message says what to do.')
    else throw error
  } finally {
    await pool?.close()
  }
}

const away =
  'Check that it runs, host and port in DATABASE_URL, and the way to it from here; monbot waits until it answers.'

function serverFinding(address: string, { version, takesWrites, memory }: InspectedServer): Finding {
  const said = `Postgres ${version} at ${address}: durable, UTF8, `
  if (!takesWrites) {
    const todo =
      'Set default_transaction_read_only = off for that user; or it is short of disk, and its keeper did that.'
    return failed(check, `${said}but the user of DATABASE_URL may only read`, todo)
  }
  if (memory === null) return ok(check, `${said}empty; its user may make the tables, which the start does`)
  const { migrations, waiting, newer, alerts } = memory
  const also = [
    ...(waiting === 0 ? [] : [`${waiting} to come at the next start`]),
    ...(newer === 0 ? [] : [`${newer} of them of a newer version, which this one can work beside`]),
  ]
  const parts = [counted(alerts, 'alert'), counted(migrations, 'migration'), ...also]
  return ok(check, `${said}its user may do what monbot must; ${parts.join(', ')}`)
}

function wayFinding({ isPooled, roundTripMs, aheadMs }: InspectedWay, isEncrypted: boolean): Finding {
  const how = isPooled ? 'through a pooler, such as PgBouncer' : 'without a pooler'
  const tls = isEncrypted ? 'with TLS' : 'without TLS'
  const trip = `${roundTripMs.toFixed(1)} ms a round trip`
  const clock =
    Math.abs(aheadMs) < aheadShownMs
      ? 'its clock agrees with that of this machine'
      : `its clock is ${Math.round(Math.abs(aheadMs) / 1_000)} s ${aheadMs > 0 ? 'ahead of' : 'behind'} this machine, on which nothing depends`
  const said = `${how}, ${tls}; ${trip}; ${clock}`
  return roundTripMs < slowMs
    ? ok(wayCheck, said)
    : warning(wayCheck, said, 'A click takes about 20 round trips: run monbot nearer to its Postgres.')
}

function leadFinding({ leader, movedAfterMs, lookedMs, standbys }: InspectedLead): Finding {
  const standing = standbys.map(
    (one) => `${one.name} stands by${one.reachesSlack ? '' : ' and cannot reach Slack'}`,
  )
  const others = standing.length === 0 ? 'nobody stands by' : standing.join(', ')
  if (leader === null) return ok(leadCheck, `nobody has led yet; ${others}`)
  const { name, term, isFree } = leader
  if (isFree)
    return ok(leadCheck, `nobody leads: ${name} did last, in term ${term}, and ended cleanly; ${others}`)
  if (movedAfterMs === null) {
    const seconds = Math.floor(lookedMs / 1_000)
    return warning(
      leadCheck,
      `${name} led last, in term ${term}, and its beat has stood still for ${seconds} s and more; ${others}`,
      `Whoever stands by takes over once that is ${stillMs / 1_000} s; if nobody does, start monbot.`,
    )
  }
  const agoSeconds = Math.max(1, Math.ceil((lookedMs - movedAfterMs) / 1_000))
  const said = `${name} leads in term ${term}, its last beat at most ${agoSeconds} s ago; ${others}`
  return standbys.length === 0
    ? warning(leadCheck, said, 'Start another bot on the same Postgres: if this one dies, nobody takes over.')
    : ok(leadCheck, said)
}
