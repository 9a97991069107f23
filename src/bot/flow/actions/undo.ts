/** Changes the terms of mutes as a person wants it: extends one, and undoes one or those that were made together. */

import { changeNotice } from '../../domain/card/thread-cards.ts'
import {
  activeBySubject,
  alertWords,
  extendTerms,
  hostnameOf,
  isInForce,
  isUndoable,
  type Mute,
  type Place,
  restoreTerms,
  termsOf,
  undoMs,
} from '../../domain/mute/mute.ts'
import { decideSwitch, isSaid } from '../../domain/mute/switch.ts'
import { type Limits, longestMs } from '../../domain/mute/until.ts'
import { emptyPlan, type Plan } from '../../domain/plan.ts'
import type { Change } from '../../domain/request/actions.ts'
import type { AuditEntry } from '../../domain/request/audit.ts'
import type { Reply } from '../../domain/request/reply.ts'
import { planEnds } from '../mute/ends.ts'
import { inChannels, placesOf } from '../mute/places.ts'
import { unknownCard } from './card-alerts.ts'
import { type Acted, type ActionContext, type ActPorts, entryOf, outdated, refused } from './context.ts'
import { detailOf } from './mute-terms.ts'
import { changedBeforeExtend } from './stale.ts'

import { carryOut, type Decided, endOne, isOver, ofSeveral, silencedNow, unanswered } from './unmute.ts'

/** The new deadline is at most the policy's longest mute away. */
export async function extendMute(
  ports: ActPorts,
  context: ActionContext,
  { muteId, ms }: Extract<Change, { kind: 'extend_mute' }>,
  limits: Limits,
): Promise<Acted> {
  const { store, clock } = ports
  return carryOut(ports, context, async () => {
    const live = await activeOf(ports, context, muteId)
    if ('reply' in live) return live
    const nowMs = clock.nowMs()
    const changed = await changedBeforeExtend(context.request, live, { store, nowMs })
    if (changed !== null) return outdated(changed, nowMs)
    if (live.untilMs === null) {
      return { reply: { kind: 'extended', mute: live }, row: { outcome: 'nothing', why: 'no_deadline' } }
    }
    const maxMs = longestMs(limits, live.subject === null)
    const untilMs = Math.min(Math.max(live.untilMs, nowMs) + ms, nowMs + maxMs)
    if (untilMs <= live.untilMs) return refused({ why: 'too_long', maxMs })
    const mute = extendTerms(live, untilMs)
    return newTerms(ports, context, { mute, was: live.version }, { kind: 'extended', mute })
  })
}

/**
 * Restores the former terms, or ends the mute if there were none. For one minute, and only for the person who set the terms.
 */
export async function undoMute(
  ports: ActPorts,
  context: ActionContext,
  { muteId, termsMs, auditId }: Extract<Change, { kind: 'undo_mute' }>,
): Promise<Acted> {
  return carryOut(ports, context, async () => {
    if (auditId !== undefined) return undoTogether(ports, context, auditId)
    const live = await activeOf(ports, context, muteId)
    if ('reply' in live) return live
    const nowMs = ports.clock.nowMs()
    // It does not undo terms other than those of the button.
    if (live.termsMs !== termsMs) return refused({ why: 'mute_replaced', mute: live })
    if (!isUndoable(live, context.request.userId, nowMs)) {
      return refused({ why: 'undo_too_late', mute: live })
    }
    if (live.previous === null) return endOne(ports, context, live, 'undo')
    const mute = restoreTerms(live, nowMs)
    const own = live.alert === null ? {} : { alert: alertWords(live.alert) }
    const reply: Reply = { kind: 'undone', server: hostnameOf(live), ...own, restored: mute, isSure: true }
    return newTerms(ports, context, { mute, was: live.version }, reply)
  })
}

/** The mute as it is now, or why it is not there to be changed. */
async function activeOf({ store }: ActPorts, _context: ActionContext, muteId: string): Promise<Mute | Acted> {
  const mute = await store.muteById(muteId)
  if (mute?.state === 'active') return mute
  // Whose it was is not known, so nothing can be said of what is muted there now.
  if (mute === null) return refused(unknownCard)
  const { mutes } = await store.mutes([mute.subject])
  const other = mutes.find((one) => one.subject === mute.subject && isInForce(one) && one.state === 'active')
  if (other !== undefined) return refused({ why: 'mute_replaced', mute: other })
  return mute.alert === null
    ? refused({ why: 'not_muted', server: mute.subject })
    : refused({ why: 'alert_not_muted', what: alertWords(mute.alert) })
}

/** Notifications are off and stay off: the API is asked only where it keeps the terms, of an alert's mute. */
async function newTerms(
  { store, clock }: ActPorts,
  context: ActionContext,
  { mute, was }: { readonly mute: Mute; readonly was: number },
  reply: Reply,
): Promise<Decided> {
  const atMs = clock.nowMs()
  const own = mute.alert === null ? {} : { alert: alertWords(mute.alert) }
  const row = { outcome: 'done', why: null, detail: { ...detailOf(mute), ...own } } as const
  const entry = entryOf(context, row, { auditId: context.auditId, atMs })
  const places = mute.subject === null ? await placesOf(mute, store) : [context.place]
  return {
    plan: {
      ...emptyPlan(atMs),
      mutes: [{ mute, was }],
      switches: isKeptAtService(mute)
        ? await saidAgain(store, mute)
        : reply.kind === 'undone'
          ? await withoutAnnouncement(store, [mute])
          : [],
      audit: [entry],
      cards: places.map((place) => changeNotice(entry, place)),
      dirtySubjects: [mute.subject],
    },
    tell: isKeptAtService(mute) ? [mute.subject] : [],
    reply: () => reply,
  }
}

/** The service ends it by the terms that it knows. */
function isKeptAtService({ alert }: Mute): boolean {
  return alert?.isAtService === true
}

/** It is no news: everybody is told of the terms by the person's own request. */
async function saidAgain(store: ActPorts['store'], { subject, muteId }: Mute): Promise<Plan['switches']> {
  const [before = null] = await store.switchesOf([subject])
  const of = { subject, wanted: 'off', muteId, auditId: null, places: [] } as const
  return [{ next: decideSwitch(before, of), was: before?.version ?? null }]
}

/** Nobody is told any more that terms were confirmed which are not those of the mute. */
async function withoutAnnouncement(
  store: ActPorts['store'],
  mutes: readonly Mute[],
): Promise<Plan['switches']> {
  const rows = await store.switchesOf(mutes.map(({ subject: hostname }) => hostname))
  return rows
    .filter((row) => !isSaid(row))
    .map((row) => ({
      next: { ...row, auditId: null, places: [], version: row.version + 1 },
      was: row.version,
    }))
}

/**
 * Everything that the row covers. The minute counts from the last of them, because many take longer than that; terms that
 * somebody has set since then stay.
 */
async function undoTogether(
  ports: ActPorts,
  context: ActionContext,
  auditId: string,
): Promise<Decided | Acted> {
  const { store, clock } = ports
  const { userId } = context.request
  const nowMs = clock.nowMs()
  const entry = await store.auditById(auditId)
  if (entry === null) return refused(unknownCard)
  if (entry.userId !== userId || nowMs - entry.atMs >= undoMs) {
    return refused({ why: 'undo_too_late' })
  }
  const asked = (await store.switchesAsked(auditId)).flatMap(({ subject: hostname }) => hostname ?? [])
  const names = [...new Set([...(entry.detail.names ?? []), ...asked])]
  const { mutes } = await store.mutes(names)
  const active = activeBySubject(mutes)
  const now = names.flatMap((name) => active.get(name) ?? [])
  const lives = now.filter((mute) => hasTermsOf(entry, mute))
  const left = now.flatMap((mute) => (lives.includes(mute) ? [] : (mute.subject ?? [])))
  if (lives.length === 0) return refused({ why: 'undo_too_late' })
  const channels = await store.channelsTold({ auditId })
  const places = channels.length === 0 ? [context.place] : inChannels(channels)
  const ending = lives.filter(({ previous }) => previous === null)
  const back = restored(context, lives, nowMs)
  const servers = lives.flatMap(({ subject: hostname }) => hostname ?? [])
  const waiting = { ...unanswered(ofSeveral(context), nowMs, { names: servers }) }
  const isAnyBack = back.mutes.length > 0
  const whole: AuditEntry = isAnyBack
    ? { ...waiting, outcome: 'done', why: null, detail: back.detail }
    : waiting
  const end = { by: 'undo', userId, nowMs, auditId: whole.auditId, places } as const
  const ends = ending.length === 0 ? emptyPlan(nowMs) : await planEnds(ports, ending, end)
  const silenced = await silencedNow(store)
  const plan = {
    ...ends,
    mutes: [...ends.mutes, ...back.mutes],
    switches: [
      ...ends.switches,
      ...(await withoutAnnouncement(
        store,
        back.mutes.map(({ mute }) => mute),
      )),
    ],
    audit: [...back.audit, whole],
    cards: [...ends.cards, ...(isAnyBack ? places.map((place: Place) => changeNotice(whole, place)) : [])],
    dirtySubjects: lives.map(({ subject: hostname }) => hostname),
  }
  const tell = ending.map(({ subject: hostname }) => hostname)
  return {
    plan,
    tell,
    ended: ending,
    reply: (told) => {
      const isSure = tell.every((name) => isOver(told.get(name)))
      const isAny = tell.some((name) => isOver(told.get(name)))
      const several = { servers, left }
      return { kind: 'undone', server: null, restored: null, isSure, several, ...(isAny ? silenced : {}) }
    },
  }
}

function hasTermsOf({ userId, atMs, detail }: AuditEntry, mute: Mute): boolean {
  const { mode, untilMs = null, reason = '' } = detail
  const isSame = mute.mode === mode && mute.untilMs === untilMs && mute.reason === reason
  return isSame && mute.userId === userId && mute.termsMs <= atMs
}

/** Those with former terms: notifications are off and stay off. */
function restored(context: ActionContext, lives: readonly Mute[], nowMs: number) {
  const before = lives.filter(({ previous }) => previous !== null)
  const mutes = before.map((live) => ({ mute: restoreTerms(live, nowMs), was: live.version }))
  const audit = mutes.map(({ mute }) => {
    const { subject: hostname, muteId } = mute
    const row = { outcome: 'done', why: null, hostname, detail: { ...detailOf(mute), muteId } } as const
    const auditId = `${context.auditId}:${hostname ?? ''}`
    return { ...entryOf(ofSeveral(context), row, { auditId, atMs: nowMs }), partOf: context.auditId }
  })
  const names = mutes.flatMap(({ mute }) => mute.subject ?? [])
  return {
    mutes,
    audit,
    detail: { names, before: mutes.map(({ mute }) => ({ ...termsOf(mute), hostname: mute.subject })) },
  }
}
