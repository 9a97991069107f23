/** Makes a confirmed mute: one server, or the account, with its own message; several in one message. */

import { failsForAll, type OutsideFailure } from '../../domain/base/failure.ts'
import { changeNotice, type Place } from '../../domain/card/thread-cards.ts'
import { muteMarker } from '../../domain/mute/marker.ts'
import type { Mute, MuteTerms } from '../../domain/mute/mute.ts'
import { beforeOf } from '../../domain/mute/transitions.ts'
import { emptyPlan } from '../../domain/plan.ts'
import type { AuditEntry } from '../../domain/request/audit.ts'
import type { MuteResult, Receipt, StaleReason } from '../../domain/request/reply.ts'
import { inSlices, lockName } from '../mute/batch.ts'
import { inChannels } from '../mute/place.ts'
import { unknownServer } from './at-api.ts'
import { alertsOnCard, openOf, threadsOf } from './card-alerts.ts'
import {
  type Acted,
  type ActionContext,
  type ActPorts,
  entryOf,
  failedReply,
  groupMessage,
  outdated,
  type Row,
  replyOnly,
  save,
} from './context.ts'
import { type Muted, muteEach } from './mute-each.ts'
import { detailOf } from './mute-terms.ts'
import { changedBeforeMute } from './stale.ts'

/** A decided mute: its terms, and the receipt that names its servers. */
export type Job = { readonly context: ActionContext; readonly terms: MuteTerms; readonly receipt: Receipt }

export function muteAll(ports: ActPorts, job: Job): Promise<Acted> {
  const { change, servers } = job.receipt
  if (change.kind === 'mute_account') return muteOne(ports, job, null)
  const [only, ...others] = servers
  return only !== undefined && others.length === 0 ? muteOne(ports, job, only) : muteSeveral(ports, job)
}

async function muteOne(ports: ActPorts, job: Job, hostname: string | null): Promise<Acted> {
  const { clock, ids, lock, store } = ports
  const { context, terms } = job
  const places =
    hostname === null
      ? await placesHidden(context, null, store)
      : [await visiblePlace(context.place, hostname, store)]
  const [place = context.place] = places
  const auditId = ids.make()
  // If there is no thread yet, the message about the mute begins one.
  const card = changeNotice({ auditId }, place)
  return lock.hold(lockName(hostname), async () => {
    const changed = hostname === null ? null : await changedSince(ports, job, hostname)
    if (changed !== null) return outdated(changed, clock.nowMs())
    const ask = {
      terms,
      place: { channel: place.channel, cardId: place.cardId ?? card.cardId },
      entry: (_: string | null, row: Row, atMs: number) => entryFor(job, hostname, row, { auditId, atMs }),
      tell: () => {
        const text = muteMarker(hostname === null ? null : [hostname], terms)
        const cards = places.map((one) => changeNotice({ auditId }, one))
        return { cards, markers: [{ markerId: ids.make(), text, cardId: card.cardId }] }
      },
    }
    const came = await muteEach(ports, ask, [hostname])
    return replyFor(ports, job, hostname, came.get(hostname))
  })
}

/** What hides open alerts of many is told where they stand, and where it was asked: in no thread, where few would see it. */
async function placesHidden(
  { place }: ActionContext,
  hostnames: readonly string[] | null,
  store: ActPorts['store'],
): Promise<readonly Place[]> {
  return inChannels([place.channel, ...(await store.channelsWithOpen(hostnames))])
}

/** Below a card where nothing is open any more nobody looks: if the server has something open elsewhere, it is told there. */
async function visiblePlace(place: Place, hostname: string, store: ActPorts['store']): Promise<Place> {
  if (place.cardId === null) return place
  const on = await alertsOnCard(place.cardId, store)
  if (on === null || on.length === 0 || openOf(on).length > 0) return place
  for (const { alertId } of await store.openAlerts([hostname])) {
    const [card] = await threadsOf(alertId, store)
    if (card !== undefined) return { channel: card.channel, cardId: card.cardId }
  }
  return place
}

async function changedSince(
  { store }: ActPorts,
  { context, receipt }: Job,
  hostname: string,
): Promise<StaleReason | null> {
  const { mutes } = await store.mutes(hostname)
  const live = mutes.find((mute) => mute.hostname === hostname) ?? null
  const { request, subject } = context
  const isShown = receipt.change.shown !== null
  return changedBeforeMute({ request, alertId: subject.alertId, isShown }, live, store)
}

async function replyFor(
  ports: ActPorts,
  { context, receipt }: Job,
  hostname: string | null,
  came: Muted | undefined,
): Promise<Acted> {
  switch (came?.kind) {
    case 'muted': {
      const { mute } = came
      if (hostname === null) return replyOnly({ kind: 'account_muted', mute, receipt })
      return replyOnly({ kind: 'muted', results: [{ hostname, mute, failure: null }], receipt })
    }
    case 'failed': {
      const { failure, isDoubtful } = came
      if (failure.kind !== 'missing' || hostname === null)
        return replyOnly(failedReply(context, failure, isDoubtful))
      return replyOnly(await unknownServer(ports, hostname, failure))
    }
    case 'not_tried':
    case undefined:
      throw new Error('The only one of a batch was not tried')
  }
}

/**
 * One message that grows with every slice, as nobody would read fifty; its marker waits until all outcomes are known. The age
 * of the pressed card does not matter here, as it says nothing about single servers.
 */
async function muteSeveral(ports: ActPorts, job: Job): Promise<Acted> {
  const { store, clock, ids, lock } = ports
  const { context, terms, receipt } = job
  const { place } = context
  const auditId = ids.make()
  const { cardId } = changeNotice({ auditId }, place)
  const places = await placesHidden(context, receipt.servers, store)
  const done = new Map<string | null, Mute>()
  const names = () => receipt.servers.filter((hostname) => done.has(hostname))
  const results: MuteResult[] = []
  let halted: OutsideFailure | null = null
  const ask = {
    terms,
    place: { channel: place.channel, cardId: place.cardId ?? cardId },
    entry: (hostname: string | null, row: Row, atMs: number) => ({
      ...entryFor(job, hostname, row, { auditId: ids.make(), atMs }),
      partOf: auditId,
    }),
    tell: (muted: readonly Mute[], atMs: number) => {
      for (const mute of muted) done.set(mute.hostname, mute)
      const before = [...done.values()].flatMap(beforeOf)
      const detail = { ...detailOf(terms), names: names(), ...(before.length === 0 ? {} : { before }) }
      return { ...groupMessage(context, { auditId, atMs }, detail, places), markers: [] }
    },
  }
  const notBegun = await inSlices(lock, receipt.servers, async (slice) => {
    const came = await muteEach(ports, ask, slice)
    results.push(...slice.map((hostname) => resultOf(hostname, came.get(hostname))))
    for (const one of came.values())
      if (one.kind === 'failed' && failsForAll(one.failure)) halted ??= one.failure
    return halted === null ? 'go_on' : 'stop'
  })
  results.push(...notBegun.map((hostname) => resultOf(hostname)))
  await save(store, {
    ...emptyPlan(clock.nowMs()),
    markers: names().length === 0 ? [] : [{ markerId: ids.make(), text: muteMarker(names(), terms), cardId }],
    audit: notTriedRows(ports, job, results, halted),
  })
  const isUndone = results.every(({ mute, left }) => mute === null && left !== 'doubtful')
  if (halted !== null && isUndone) return replyOnly(failedReply(context, halted, false))
  return replyOnly({ kind: 'muted', results, receipt, auditId })
}

function resultOf(hostname: string, came: Muted = { kind: 'not_tried' }): MuteResult {
  switch (came.kind) {
    case 'muted':
      return { hostname, mute: came.mute, failure: null }
    case 'failed': {
      const failure = came.failure.message
      return { hostname, mute: null, failure, ...(came.isDoubtful ? { left: 'doubtful' } : {}) }
    }
    case 'not_tried':
      return { hostname, mute: null, failure: 'not tried', left: 'not_tried' }
  }
}

/** One row for all that were not even tried. */
function notTriedRows(
  { clock, ids }: ActPorts,
  { context, terms }: Job,
  results: readonly MuteResult[],
  halted: OutsideFailure | null,
): readonly AuditEntry[] {
  const names = results.flatMap(({ hostname, left }) => (left === 'not_tried' ? [hostname] : []))
  if (names.length === 0) return []
  const subject = { hostname: null, alertId: null, detail: { ...detailOf(terms), names } }
  const row = { outcome: 'failed', why: halted?.kind ?? null } as const
  return [entryOf({ ...context, subject }, row, { auditId: ids.make(), atMs: clock.nowMs() })]
}

/** The row of one server, or of the account. */
function entryFor(
  { context, terms }: Job,
  hostname: string | null,
  row: Row,
  made: { readonly auditId: string; readonly atMs: number },
): AuditEntry {
  const { names: _, ...given } = context.subject.detail
  const subject = { ...context.subject, hostname, detail: { ...given, ...detailOf(terms) } }
  return entryOf({ ...context, subject }, row, made)
}
