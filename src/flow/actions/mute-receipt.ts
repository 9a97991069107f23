/** What a mute would do: shown first, and stored, so that only what was shown can be confirmed. */

import type { MuteTerms } from '../../domain/mute/mute.ts'
import { type Difference, differenceOf, markOf, type Shown } from '../../domain/mute/shown.ts'
import { othersMutes } from '../../domain/mute/wide.ts'
import type { Receipt } from '../../domain/request/reply.ts'
import type { Acted, ActionContext, ActPorts } from './context.ts'

const weekMs = 7 * 24 * 60 * 60_000

/** `servers` null: the account. */
export async function receiptFor(
  { store, clock }: ActPorts,
  { request }: ActionContext,
  of: Pick<Receipt, 'change' | 'zone'> & {
    readonly terms: MuteTerms
    readonly servers: readonly string[] | null
  },
): Promise<Receipt> {
  const { change, terms, servers } = of
  const { mutes } = await store.mutes(servers ?? [null])
  return {
    change,
    servers: servers ?? [],
    mode: terms.mode,
    untilMs: terms.untilMs,
    ...(of.zone === undefined ? {} : { zone: of.zone }),
    ...(await hiddenBy(servers, store, clock.nowMs())),
    isDefaultEnd: change.end.kind === 'default',
    others: othersMutes(request.userId, servers, mutes),
  }
}

/** `hostnames` null: the account. */
export async function hiddenBy(
  hostnames: readonly string[] | null,
  store: ActPorts['store'],
  nowMs: number,
): Promise<Pick<Receipt, 'open' | 'lastWeek'>> {
  const [open, lastWeek] = await Promise.all([
    store.openAlerts(hostnames),
    store.countAlerts({ hostnames, sinceMs: nowMs - weekMs }),
  ])
  return { open: open.length, lastWeek }
}

/** Null if the effect now is still what was shown. */
export function differenceFrom(shown: Shown, receipt: Receipt): Difference | null {
  return differenceOf(shown, { ...receipt, mutes: receipt.others })
}

/** `difference`: it was already confirmed, but things have changed since. */
export async function askToMute(
  { store, clock, ids }: Pick<ActPorts, 'store' | 'clock' | 'ids'>,
  { request }: ActionContext,
  receipt: Receipt,
  difference?: Difference,
): Promise<Acted> {
  const { servers, open, others, change } = receipt
  const shown = { servers, open, mutes: others.map(markOf) }
  const pendingId = ids.make()
  const atMs = clock.nowMs()
  await store.keepPending({ pendingId, userId: request.userId, change: { ...change, shown }, atMs })
  return {
    reply: { kind: 'confirm', receipt, pendingId, ...(difference === undefined ? {} : { difference }) },
    row: difference === undefined ? null : { outcome: 'nothing', why: 'changed' },
  }
}
