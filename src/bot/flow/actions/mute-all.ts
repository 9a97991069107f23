/** Makes a confirmed mute of any number of servers, of an alert or of the account: one plan decides it, then the API is told. */

import { failsForAll, type OutsideFailure } from '../../domain/base/failure.ts'
import { changeNotice } from '../../domain/card/thread-cards.ts'
import { activeBySubject, alertWords, type Mute, type MuteTerms, type Place } from '../../domain/mute/mute.ts'
import type { Subject } from '../../domain/mute/subject.ts'
import { alertMutesMax } from '../../domain/mute/wide.ts'
import type { AuditEntry } from '../../domain/request/audit.ts'
import type { AlertAsked, MuteResult, Receipt } from '../../domain/request/reply.ts'
import { retryWhenStale } from '../concurrency/retry-when-stale.ts'
import { inChannels } from '../mute/places.ts'
import { planStarts } from '../mute/starts.ts'
import type { Told } from '../mute/writer.ts'
import { triesMax } from './alert-actions.ts'
import { unknownServer } from './at-api.ts'
import { alertsOnCard, openOf, threadsOf } from './card-alerts.ts'
import {
  type Acted,
  type ActionContext,
  type ActPorts,
  entryOf,
  failedReply,
  keptChanging,
  outdated,
  refused,
  replyOnly,
} from './context.ts'
import { detailOf } from './mute-terms.ts'
import { changedBeforeMute } from './stale.ts'

/** A decided mute: its terms, and the receipt that names its servers. */
type Job = { readonly context: ActionContext; readonly terms: MuteTerms; readonly receipt: Receipt }

export async function muteAll(ports: ActPorts, job: Job): Promise<Acted> {
  const { change, servers, alert } = job.receipt
  const hostnames: readonly Subject[] =
    alert !== undefined ? [alert.subject] : change.kind === 'mute_account' ? [null] : servers
  const instead = await retryWhenStale(triesMax, () => decide(ports, job, hostnames))
  if (instead === 'stale') return keptChanging(job.context, 'its mutes kept changing meanwhile')
  if (instead !== 'saved') return instead
  const told = await ports.switches.tell(hostnames)
  const live = activeBySubject((await ports.store.mutes(hostnames)).mutes)
  const [only = null, ...others] = hostnames
  return others.length === 0
    ? replyForOne(ports, job, only, { told: told.get(only), mute: live.get(only) })
    : replyOnly(replyForMany(job, told, live))
}

/** What the answer is instead, if the pressed card has changed since. */
async function decide(
  ports: ActPorts,
  job: Job,
  hostnames: readonly (string | null)[],
): Promise<'saved' | 'stale' | Acted> {
  const { store, clock, ids } = ports
  const { context } = job
  const [only = null, ...others] = hostnames
  const isOne = others.length === 0
  const { alert } = job.receipt
  const { mutes } = await store.mutes(alert === undefined ? hostnames : null)
  const liveOf = activeBySubject(mutes)
  if (alert !== undefined && !liveOf.has(alert.subject) && isFull(mutes))
    return refused({ why: 'too_many_alert_mutes', max: alertMutesMax })
  if (isOne && only !== null) {
    const { request, subject } = context
    // The age of the pressed card does not matter to many, as it says nothing about single servers.
    const of = { request, alertId: subject.alertId, isShown: job.receipt.change.shown !== null }
    const changed = await changedBeforeMute(of, liveOf.get(only) ?? null, store)
    if (changed !== null) return outdated(changed, clock.nowMs())
  }
  const places = await placesFor(context, hostnames, store, alert)
  const nowMs = clock.nowMs()
  const entry = entryFor(job, isOne ? only : hostnames, nowMs)
  const own = isOne ? (places[0] ?? context.place) : context.place
  // If there is no thread yet, the message about the mute begins one.
  const place = { channel: own.channel, cardId: own.cardId ?? changeNotice(entry, own).cardId }
  const starts = { subjects: hostnames, alert: alert?.muted ?? null, terms: job.terms, place, places, entry }
  return store.commit(await planStarts({ store, ids }, mutes, starts))
}

function isFull(mutes: readonly Mute[]): boolean {
  return mutes.filter(({ alert, state }) => alert !== null && state === 'active').length >= alertMutesMax
}

/** What hides open alerts of many is told where they stand, and where it was asked: in no thread, where few would see it. */
async function placesFor(
  { place }: ActionContext,
  hostnames: readonly Subject[],
  store: ActPorts['store'],
  alert: AlertAsked | undefined,
): Promise<readonly Place[]> {
  const [only = null, ...others] = hostnames
  if (alert !== undefined && alert.muted.matchers !== null) {
    const told = [...(await store.carded(alert.alertIds)).values()].flat()
    return inChannels([place.channel, ...told])
  }
  if (others.length === 0 && only !== null) return [await visiblePlace(place, only, store)]
  const servers = hostnames.flatMap((hostname) => hostname ?? [])
  return inChannels([place.channel, ...(await store.channelsWithOpen(others.length === 0 ? null : servers))])
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

/** The row of one server, alert or the account, or of several; the API's answers settle it. */
function entryFor(
  { context, terms, receipt: { alert } }: Job,
  what: string | null | readonly (string | null)[],
  atMs: number,
): AuditEntry {
  const { names: _, ...given } = context.subject.detail
  const detail = { ...given, ...detailOf(terms) }
  const about = alert?.muted.about ?? null
  const subject =
    alert !== undefined
      ? {
          hostname: about?.hostname ?? null,
          alertId: about?.alertId ?? null,
          detail: { ...detail, alert: alertWords(alert.muted) },
        }
      : Array.isArray(what)
        ? { hostname: null, alertId: null, detail: { ...detail, names: what.flatMap((name) => name ?? []) } }
        : { ...context.subject, hostname: what as string | null, detail }
  const row = { outcome: 'unknown', why: 'unanswered' } as const
  return entryOf({ ...context, subject }, row, { auditId: context.auditId, atMs })
}

async function replyForOne(
  ports: ActPorts,
  { context, receipt }: Job,
  hostname: string | null,
  { told, mute }: { readonly told: Told | undefined; readonly mute: Mute | undefined },
): Promise<Acted> {
  if (told?.kind === 'refused' || mute === undefined) {
    const failure = told?.kind === 'refused' ? told.failure : null
    if (failure?.kind === 'missing' && hostname !== null && receipt.alert === undefined)
      return replyOnly(await unknownServer(ports, hostname, failure))
    if (failure !== null) {
      return replyOnly(failedReply(context, failure, told?.kind === 'refused' && told.isOwed))
    }
    return keptChanging(context, 'somebody ended it meanwhile')
  }
  if (hostname === null) return replyOnly({ kind: 'account_muted', mute, receipt })
  return replyOnly({ kind: 'muted', results: [{ hostname, mute, failure: null }], receipt })
}

function replyForMany(
  { context, receipt }: Job,
  told: ReadonlyMap<string | null, Told>,
  live: ReadonlyMap<string | null, Mute>,
) {
  const failures: OutsideFailure[] = []
  const results = receipt.servers.map((hostname): MuteResult => {
    const came = told.get(hostname)
    if (came?.kind !== 'refused') return { hostname, mute: live.get(hostname) ?? null, failure: null }
    failures.push(came.failure)
    const failure = came.failure.message
    return { hostname, mute: null, failure, ...(came.isOwed ? { left: 'doubtful' } : {}) }
  })
  const [first] = failures
  const isNone = results.every(({ mute, left }) => mute === null && left === undefined)
  if (first !== undefined && isNone && failsForAll(first)) return failedReply(context, first, false)
  return { kind: 'muted', results, receipt, auditId: context.auditId } as const
}
