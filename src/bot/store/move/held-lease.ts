/** Holds the lease of a Postgres for a move, so that no bot leads there meanwhile; whoever uses it is left in peace. */
import type { SteadyClock } from '../../../shared/clock.ts'
import { StoreError } from '../open/store-error.ts'
import { type Lease, type Led, openLease } from '../postgres/lease.ts'
import type { LeaderRow, LeaseRows, PresenceRow } from '../postgres/lease-rows.ts'

type HeldLeaseOptions = {
  readonly rows: LeaseRows
  /** `host:port/database`. */
  readonly address: string
  /** Random. */
  readonly holder: string
  readonly clock: SteadyClock
  /** Aborted: the process is asked to end. */
  readonly signal: AbortSignal
  /** Called once, if it is not sure yet that whoever leads has ended. */
  readonly onWait: () => void
}

export type HeldLease = { readonly lease: Lease; readonly forgot: boolean }

const silent = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
}

/** Waits up to 34 s for a leader that was killed. Throws a `StoreError` if a bot leads or stands by. */
export async function holdLease(options: HeldLeaseOptions): Promise<HeldLease> {
  const { rows, address, holder, clock, signal, onWait } = options
  const met = new AbortController()
  const others = watchOthers(holder, {
    onMet: (who) => met.abort(who),
    onWait,
  })
  const lease = openLease({
    rows: {
      ...rows,
      look: async () => others.look(await rows.look()),
      appear: async (own, reaches) => others.appear(await rows.appear(own, reaches)),
    },
    holder,
    name: 'a move',
    url: '',
    clock,
    logger: silent,
    // So it gives way to everybody who does.
    reachesSlack: () => false,
    onDeposed: () => undefined,
    onForgotten: () => undefined,
  })
  let led: Led | null = null
  try {
    led = await lease.lead(AbortSignal.any([signal, met.signal]))
    if (led !== null && !met.signal.aborted) return { lease, forgot: led.forgot }
  } finally {
    if (led === null || met.signal.aborted) await lease.release()
  }
  if (!met.signal.aborted) throw new StoreError('The move was broken off: nothing was moved.')
  throw new StoreError(`The Postgres at ${address} is in use: ${met.signal.reason}. Stop that first.`)
}

type Said = { onMet(who: string): void; onWait(): void }

/** Whose beat moves is alive. */
function watchOthers(own: string, { onMet, onWait }: Said) {
  let seen: LeaderRow | null = null
  let isWaiting = false
  const beats = new Map<string, number>()
  return {
    look: (row: LeaderRow): LeaderRow => {
      const isOther = row.holder !== own && row.holder !== '' && !row.free
      const isSame = seen?.holder === row.holder && seen.term === row.term && seen.beat === row.beat
      if (isOther && seen !== null && !isSame) onMet(`${row.name} leads`)
      if (isOther && !isWaiting) onWait()
      isWaiting ||= isOther
      seen = row
      return row
    },
    appear: (rows: PresenceRow[]): PresenceRow[] => {
      for (const { holder, name, beat } of rows) {
        if (beat !== (beats.get(holder) ?? beat)) onMet(`${name} stands by`)
        beats.set(holder, beat)
      }
      return rows
    },
  }
}
