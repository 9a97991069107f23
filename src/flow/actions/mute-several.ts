/** Mutes several servers, a few at a time: each with its own audit row, all told in one message, and no more once the API fails. */

import { failsForAll, type OutsideFailure } from '../../domain/base/failure.ts'
import { toldCard } from '../../domain/card/thread-cards.ts'
import { muteMarker } from '../../domain/mute/marker-text.ts'
import type { Mute, MuteTerms } from '../../domain/mute/mute.ts'
import { beforeOf } from '../../domain/mute/transitions.ts'
import { emptyPlan } from '../../domain/plan.ts'
import type { AuditEntry } from '../../domain/request/audit.ts'
import type { MuteResult, Receipt } from '../../domain/request/reply.ts'
import { inLanes } from '../concurrency/in-lanes.ts'
import {
  type Acted,
  type ActionContext,
  type ActPorts,
  entryOf,
  failedReply,
  type Row,
  said,
  save,
} from './context.ts'
import { type MutedOne, type MuteOne, muteOne } from './mute-one.ts'
import { detailOf } from './mute-terms.ts'

/** Who is muted how, and what is known of it. */
export type Job = { readonly context: ActionContext; readonly terms: MuteTerms; readonly receipt: Receipt }

/**
 * Fifty messages would hide what they tell of. The one there is grows with every server, in the commit that makes its mute
 * one, so that a crash leaves no mute that nobody was told of; its marker waits until all of them are known.
 */
export async function muteSeveral(ports: ActPorts, job: Job): Promise<Acted> {
  const { context, receipt } = job
  const auditId = ports.ids.make()
  const done = new Map<string, Mute>()
  const results = new Map<string, MuteResult>()
  let halted: OutsideFailure | null = null

  const tell = (mute: Mute, { atMs }: AuditEntry) => {
    done.set(mute.hostname ?? '', mute)
    const names = receipt.servers.filter((hostname) => done.has(hostname))
    const before = [...done.values()].flatMap(beforeOf)
    const detail = { names, ...(before.length === 0 ? {} : { before }) }
    const row = { outcome: 'done', why: null, detail } as const
    const entry = togetherOf(job, row, { auditId, atMs })
    const card = toldCard(entry, context.place)
    return { audit: [entry], cards: [card], dirtyCards: [card.cardId], markers: [] }
  }
  const notTried = await inLanes(receipt.servers, async (hostname) => {
    const came = await muteTogether(ports, job, { hostname, auditId, tell })
    results.set(hostname, resultOf(hostname, came))
    if (came.kind === 'failed' && failsForAll(came.failure)) halted ??= came.failure
    return halted === null ? 'go_on' : 'stop'
  })

  await settle(ports, job, {
    auditId,
    names: receipt.servers.filter((one) => done.has(one)),
    notTried,
    halted,
  })
  const isUndone = [...results.values()].every(({ mute, left }) => mute === null && left === undefined)
  if (halted !== null && isUndone) return said(failedReply(context, halted, false))
  const all = receipt.servers.map((hostname) => results.get(hostname) ?? notTriedResult(hostname))
  return said({ kind: 'muted', results: all, receipt, auditId })
}

function resultOf(hostname: string, came: MutedOne): MuteResult {
  switch (came.kind) {
    case 'muted':
      return { hostname, mute: came.mute, failure: null }
    case 'failed': {
      const failure = came.failure.message
      return { hostname, mute: null, failure, ...(came.isDoubtful ? { left: 'doubtful' } : {}) }
    }
    case 'stale':
      throw new Error(`Nobody asked whether the card of ${hostname} had changed`)
  }
}

function notTriedResult(hostname: string): MuteResult {
  return { hostname, mute: null, failure: 'not tried', left: 'not_tried' }
}

type Together = Pick<MuteOne, 'tell'> & { readonly hostname: string; readonly auditId: string }

/** Of a server that was confirmed with others the card that was pressed says nothing, so it cannot be too old. */
function muteTogether(
  ports: ActPorts,
  { context, terms }: Job,
  { hostname, auditId, tell }: Together,
): Promise<MutedOne> {
  const { place } = context
  const { names: _, ...given } = context.subject.detail
  const subject = { ...context.subject, hostname, detail: { ...given, ...detailOf(terms) } }
  return muteOne(ports, {
    hostname,
    terms,
    // Where there is no thread yet, the message that tells of them all begins one.
    place: { channel: place.channel, cardId: place.cardId ?? toldCard({ auditId }, place).cardId },
    changed: async () => null,
    entry: (row, atMs) => ({
      ...entryOf({ ...context, subject }, row, { auditId: ports.ids.make(), atMs }),
      partOf: auditId,
    }),
    tell,
  })
}

type Outcome = {
  readonly auditId: string
  readonly names: readonly string[]
  readonly notTried: readonly string[]
  readonly halted: OutsideFailure | null
}

/** The marker of those that are muted, and the audit of those that were not even tried. */
async function settle({ store, clock, ids }: ActPorts, job: Job, came: Outcome): Promise<void> {
  const { auditId, names, notTried, halted } = came
  const atMs = clock.nowMs()
  const { cardId } = toldCard({ auditId }, job.context.place)
  const text = muteMarker(names, job.terms)
  const markers = names.length === 0 ? [] : [{ markerId: ids.make(), text, cardId }]
  const row = { outcome: 'failed', why: halted?.kind ?? null, detail: { names: notTried } } as const
  const audit = notTried.length === 0 ? [] : [togetherOf(job, row, { auditId: ids.make(), atMs })]
  await save(store, { ...emptyPlan(atMs), audit, markers })
}

/** A row of several servers at once; the row's detail names them. */
function togetherOf({ context, terms }: Job, row: Row, made: { auditId: string; atMs: number }): AuditEntry {
  return entryOf(
    { ...context, subject: { hostname: null, alertId: null, detail: detailOf(terms) } },
    row,
    made,
  )
}
