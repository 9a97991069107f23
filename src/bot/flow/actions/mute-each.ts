/** Mutes servers, or the account: the terms are on disk before the API is called, and an unclear answer never leaves a mute behind. */

import { mayHaveBeenDone, type OutsideFailure, StoreFailure } from '../../domain/base/failure.ts'
import type { Place } from '../../domain/card/thread-cards.ts'
import type { Mute, MuteTerms } from '../../domain/mute/mute.ts'
import {
  askAgain,
  askMute,
  beforeOf,
  confirmMute,
  failMute,
  isSameTerms,
  replaceTerms,
} from '../../domain/mute/transitions.ts'
import { emptyPlan, type Plan } from '../../domain/plan.ts'
import type { AuditEntry } from '../../domain/request/audit.ts'
import { attempt } from '../attempt.ts'
import { type Answered, type SwitchAsk, switchEach, switchNotifications } from '../mute/batch.ts'
import { type ActPorts, failedRow, type Row, save } from './context.ts'

type MuteAsk = {
  readonly terms: MuteTerms
  /** Where its end will be announced. */
  readonly place: Place
  /** The audit row for one of them. */
  readonly entry: (hostname: string | null, row: Row, atMs: number) => AuditEntry
  /** The message about those that are muted now: committed with them, so that a crash leaves no mute unannounced. */
  readonly tell: (
    muted: readonly Mute[],
    atMs: number,
  ) => Pick<Plan, 'cards' | 'markers'> & Partial<Pick<Plan, 'audit' | 'dirtyCards'>>
}

export type Muted =
  /** `isNew` false: the same terms already applied, so nothing is announced. */
  | { readonly kind: 'muted'; readonly mute: Mute; readonly isNew: boolean }
  /** `isDoubtful`: notifications may be off, and monbot switches them back on by itself. */
  | { readonly kind: 'failed'; readonly failure: OutsideFailure; readonly isDoubtful: boolean }
  /** The API failed for another one. */
  | { readonly kind: 'not_tried' }

/** `isOnDisk` false: it is already active, and keeps its old terms until the API has answered. */
type Asked = SwitchAsk & { readonly muteId: string; readonly live: Mute | null; readonly mute: Mute }

/** The caller holds the locks of all of them. */
export async function muteEach(
  ports: ActPorts,
  ask: MuteAsk,
  hostnames: readonly (string | null)[],
): Promise<ReadonlyMap<string | null, Muted>> {
  const came = new Map<string | null, Muted>()
  const asked = await begin(ports, ask, hostnames)
  for await (const answered of switchEach(ports, asked)) {
    const atMs = ports.clock.nowMs()
    const settled = answered.map((one) => settle(one, ask, atMs))
    const confirmed = answered.flatMap(({ ask: one, answer }) => (one.isOnDisk && answer?.ok ? [one] : []))
    await write(ports, ask, settled, atMs).then(undefined, (error) => takeBack(ports, confirmed, error))
    for (const one of settled) came.set(one.hostname, one.came)
  }
  return came
}

/** From this commit on, a crash leaves rows that say what to undo. */
async function begin(
  { store, clock, ids }: ActPorts,
  { terms, place }: MuteAsk,
  hostnames: readonly (string | null)[],
): Promise<readonly Asked[]> {
  const { mutes } = await store.mutes(hostnames)
  const liveOf = new Map(mutes.map((mute) => [mute.hostname, mute]))
  const nowMs = clock.nowMs()
  const asked = hostnames.map((hostname): Asked => {
    const live = liveOf.get(hostname) ?? null
    const { muteId } = live ?? { muteId: ids.make() }
    const subject = { hostname, muteId, on: false }
    // The API is called anyway: somebody may have switched notifications on elsewhere.
    if (live?.state === 'active') return { ...subject, isOnDisk: false, live, mute: live }
    const mute =
      live === null ? askMute({ muteId, hostname, terms, place, nowMs }) : askAgain(live, terms, place, nowMs)
    return { ...subject, isOnDisk: true, live, mute }
  })
  const begun = asked.filter(({ isOnDisk }) => isOnDisk)
  if (begun.length === 0) return asked
  const rows = begun.map(({ mute, live }) => ({ mute, was: live?.version ?? null }))
  await save(store, { ...emptyPlan(nowMs), mutes: rows })
  return asked
}

type Settled = {
  readonly hostname: string | null
  readonly came: Muted
  readonly row: Row | null
  readonly change: { readonly mute: Mute; readonly was: number } | null
}

function settle({ ask: asked, answer }: Answered<Asked>, ask: MuteAsk, atMs: number): Settled {
  if (!answer?.ok) return notMuted(asked, answer?.failure ?? null, atMs)
  const { hostname, muteId, mute, isOnDisk } = asked
  const detail = { muteId, answer: answer.value }
  // An undo still restores the terms before these.
  if (!isOnDisk && isSameTerms(mute, ask.terms)) {
    const row = { outcome: 'nothing', why: 'already', detail } as const
    return { hostname, came: { kind: 'muted', mute, isNew: false }, row, change: null }
  }
  const now = isOnDisk ? confirmMute(mute) : replaceTerms(mute, ask.terms, ask.place, atMs)
  const before = beforeOf(now)
  return {
    hostname,
    came: { kind: 'muted', mute: now, isNew: true },
    row: { outcome: 'done', why: null, detail: { ...detail, ...(before.length === 0 ? {} : { before }) } },
    change: { mute: now, was: mute.version },
  }
}

/** `failure` null: it was not tried. */
function notMuted(asked: Asked, failure: OutsideFailure | null, atMs: number): Settled {
  const { hostname, muteId, live, mute, isOnDisk } = asked
  // A mute that was already due to end still is.
  const mayBeMuted = live !== null || (failure !== null && mayHaveBeenDone(failure))
  const mayComeLate = failure?.status === null
  const ended = failMute(mute, { was: live, mayBeMuted, mayComeLate, nowMs: atMs })
  const change = isOnDisk ? { mute: ended, was: mute.version } : null
  if (failure === null) return { hostname, came: { kind: 'not_tried' }, row: null, change }
  const row = failedRow(failure, hostname !== null)
  return {
    hostname,
    came: { kind: 'failed', failure, isDoubtful: isOnDisk && mayBeMuted },
    row: { ...row, detail: { ...row.detail, muteId } },
    change,
  }
}

async function write(
  { store }: ActPorts,
  ask: MuteAsk,
  settled: readonly Settled[],
  atMs: number,
): Promise<void> {
  const muted = settled.flatMap(({ came }) => (came.kind === 'muted' && came.isNew ? [came.mute] : []))
  const told = muted.length === 0 ? null : ask.tell(muted, atMs)
  const rows = settled.flatMap(({ hostname, row }) => (row === null ? [] : [ask.entry(hostname, row, atMs)]))
  await save(store, {
    ...emptyPlan(atMs),
    ...told,
    mutes: settled.flatMap(({ change }) => change ?? []),
    audit: [...rows, ...(told?.audit ?? [])],
    dirtyServers: settled.flatMap(({ hostname, row, change }) => (row && change ? [hostname] : [])),
  })
}

/** If the disk is full, the next start that can end these mutes may be far off. */
async function takeBack(ports: ActPorts, confirmed: readonly Asked[], error: unknown): Promise<never> {
  if (error instanceof StoreFailure)
    for (const one of confirmed) await attempt(() => switchNotifications(ports, { ...one, on: true }))
  throw error
}
