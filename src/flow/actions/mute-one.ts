/** Mutes one server or the account: its terms are on disk before the API is asked, and a doubtful answer is never left as a mute. */

import { MemoryFailure, mayHaveBeenDone, type OutsideFailure } from '../../domain/base/failure.ts'
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
import type { Changed } from '../../domain/request/reply.ts'
import { attempt } from '../attempt.ts'
import { lockName } from '../mute/expiry.ts'
import { switchNotifications } from '../mute/switch.ts'
import { type ActPorts, failedRow, type Row, save } from './context.ts'

export type MuteOne = {
  /** Null: the account. */
  readonly hostname: string | null
  readonly terms: MuteTerms
  /** Where its end will be told. */
  readonly place: Place
  /** What the person could not see when they pressed, if anything; asked while nobody else can change it. */
  readonly changed: (live: Mute | null) => Promise<Changed | null>
  readonly entry: (row: Row, atMs: number) => AuditEntry
  /** What is told of the mute once it is one, and what the audit says besides `entry`. */
  readonly tell: (
    mute: Mute,
    entry: AuditEntry,
  ) => Pick<Plan, 'cards' | 'markers'> & Partial<Pick<Plan, 'audit' | 'dirtyCards'>>
}

export type MutedOne =
  | { readonly kind: 'muted'; readonly mute: Mute }
  | { readonly kind: 'stale'; readonly changed: Changed }
  /** Its audit is written. `isDoubtful`: notifications may be off, and `lapse` switches them on again. */
  | { readonly kind: 'failed'; readonly failure: OutsideFailure; readonly isDoubtful: boolean }

export async function muteOne(ports: ActPorts, ask: MuteOne): Promise<MutedOne> {
  return ports.lock.hold(lockName(ask), async () => {
    const { mutes } = await ports.store.mutes(ask.hostname)
    const live = mutes.find(({ hostname }) => hostname === ask.hostname) ?? null
    const changed = await ask.changed(live)
    if (changed !== null) return { kind: 'stale', changed }
    return live?.state === 'active' ? replace(ports, ask, live) : begin(ports, ask, live)
  })
}

/** From the first commit on a crash leaves a row that says what is to be undone. */
async function begin(ports: ActPorts, ask: MuteOne, live: Mute | null): Promise<MutedOne> {
  const { store, clock, ids } = ports
  const { hostname, terms, place } = ask
  const nowMs = clock.nowMs()
  const asked =
    live === null
      ? askMute({ muteId: ids.make(), hostname, terms, place, nowMs })
      : askAgain(live, terms, place, nowMs)
  await save(store, { ...emptyPlan(nowMs), mutes: [{ mute: asked, was: live?.version ?? null }] })
  const subject = { hostname, muteId: asked.muteId, isOnDisk: true }
  const answer = await attempt(() => switchNotifications(ports, { ...subject, on: false }))
  if (answer.ok) {
    const written = muted(ports, ask, { mute: confirmMute(asked), was: asked.version }, answer.value)
    return written.then(undefined, (error: unknown) => takeBack(ports, subject, error))
  }

  const isDoubtful = live !== null || mayHaveBeenDone(answer.failure)
  const mayComeLate = answer.failure.status === null
  const came = { was: live, mayBeMuted: isDoubtful, mayComeLate, nowMs: clock.nowMs() }
  const mute = failMute(asked, came)
  await notMuted(ports, ask, { mute, was: asked.version }, answer.failure)
  return { kind: 'failed', failure: answer.failure, isDoubtful }
}

type Subject = Omit<Parameters<typeof switchNotifications>[1], 'on'>

/** Where the disk is full, the next start that can end the mute may be far off; that start does it once more. */
async function takeBack(ports: ActPorts, subject: Subject, error: unknown): Promise<never> {
  if (error instanceof MemoryFailure)
    await attempt(() => switchNotifications(ports, { ...subject, on: true }))
  throw error
}

/**
 * It is off already: the API is asked once more, because somebody may have switched it on elsewhere. The old deadline is on
 * disk and stays in force until the new terms are written with their audit and what is told of them.
 */
async function replace(ports: ActPorts, ask: MuteOne, live: Mute): Promise<MutedOne> {
  const { hostname } = ask
  const subject = { hostname, muteId: live.muteId, isOnDisk: false }
  const answer = await attempt(() => switchNotifications(ports, { ...subject, on: false }))
  if (!answer.ok) {
    await notMuted(ports, ask, { mute: live, was: null }, answer.failure)
    return { kind: 'failed', failure: answer.failure, isDoubtful: false }
  }
  // It was so already: nobody else is told, and the terms before stay those that an undo brings back.
  if (isSameTerms(live, ask.terms)) return unchanged(ports, ask, live, answer.value)
  const mute = replaceTerms(live, ask.terms, ask.place, ports.clock.nowMs())
  return muted(ports, ask, { mute, was: live.version }, answer.value)
}

async function unchanged(
  { store, clock }: ActPorts,
  ask: MuteOne,
  mute: Mute,
  answer: string,
): Promise<MutedOne> {
  const atMs = clock.nowMs()
  const detail = { muteId: mute.muteId, answer }
  const entry = ask.entry({ outcome: 'nothing', why: 'already', detail }, atMs)
  await save(store, { ...emptyPlan(atMs), audit: [entry] })
  return { kind: 'muted', mute }
}

type Written = { readonly mute: Mute; readonly was: number }

async function muted(
  { store, clock }: ActPorts,
  ask: MuteOne,
  { mute, was }: Written,
  answer: string,
): Promise<MutedOne> {
  const atMs = clock.nowMs()
  const before = beforeOf(mute)
  const detail = { muteId: mute.muteId, answer, ...(before.length === 0 ? {} : { before }) }
  const entry = ask.entry({ outcome: 'done', why: null, detail }, atMs)
  const told = ask.tell(mute, entry)
  await save(store, {
    ...emptyPlan(atMs),
    ...told,
    mutes: [{ mute, was }],
    audit: [entry, ...(told.audit ?? [])],
    dirtyServers: [mute.hostname],
  })
  return { kind: 'muted', mute }
}

async function notMuted(
  { store, clock }: ActPorts,
  ask: MuteOne,
  { mute, was }: { readonly mute: Mute; readonly was: number | null },
  failure: OutsideFailure,
): Promise<void> {
  const atMs = clock.nowMs()
  const row = failedRow(failure, ask.hostname !== null)
  const detail = { ...row.detail, muteId: mute.muteId }
  await save(store, {
    ...emptyPlan(atMs),
    // Null: the row is on disk as it is.
    mutes: was === null ? [] : [{ mute, was }],
    audit: [ask.entry({ ...row, detail }, atMs)],
    dirtyServers: [mute.hostname],
  })
}
