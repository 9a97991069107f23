/** All mutes of a storm end at the same time: one message announces it, and grows with each of them. */

import type { CardKind } from '../../domain/card/kinds.ts'
import { changeNotice } from '../../domain/card/thread-cards.ts'
import type { Mute } from '../../domain/mute/mute.ts'
import type { Plan } from '../../domain/plan.ts'
import type { AuditEntry } from '../../domain/request/audit.ts'
import type { CardPlace } from '../ports/card-store.ts'
import type { Store } from '../ports/store.ts'
import { loudPlacesOf, placeOf } from './place.ts'

const ofMany: ReadonlySet<CardKind> = new Set(['storm', 'summary'])

type GroupAnnouncement = Pick<Plan, 'audit' | 'cards' | 'dirtyCards'> & {
  /** Is this the first of the group? */
  readonly isFirst: boolean
}

/** `entry` is of this mute alone, and becomes a part of the group's. Null: the mute was not made from a card of many. */
export async function announceInGroup(
  mute: Mute,
  entry: AuditEntry,
  store: Pick<Store, 'cardById' | 'auditById' | 'channelsTold'>,
): Promise<GroupAnnouncement | null> {
  const place = await placeOf(mute, store)
  const root = place.cardId === null ? null : await store.cardById(place.cardId)
  if (root === null || mute.hostname === null) return null
  // A hand-back has buttons: below the message of several, each has its own.
  const isOfMany = ofMany.has(root.kind) || (entry.act !== 'hand_back' && (await tellsOfMany(root, store)))
  if (!isOfMany) return null
  const { userId, mode, untilMs, reason } = mute
  const { accountMuted } = entry.detail
  const { endedBy } = mute
  const outcome = endedBy === 'gone' || endedBy === 'interrupted' ? endedBy : entry.outcome
  const auditId = [entry.act, outcome, root.cardId, userId, untilMs ?? mute.termsMs].join(':')
  const before = await store.auditById(auditId)
  const names = new Set([...(before?.detail.names ?? []), mute.hostname])
  const detail = {
    owner: userId,
    mode,
    ...(untilMs === null ? {} : { untilMs }),
    reason,
    names: [...names],
    ...(accountMuted === undefined ? {} : { accountMuted }),
  }
  const together = { ...entry, auditId, hostname: null, detail }
  const places = entry.act === 'hand_back' ? [place] : await loudPlacesOf(mute, store)
  const cards = places.map((one) => changeNotice(together, one))
  const part = { ...entry, partOf: auditId }
  return {
    audit: [part, together],
    cards,
    dirtyCards: cards.map(({ cardId }) => cardId),
    isFirst: before === null,
  }
}

/** Was it made with others, by names? */
async function tellsOfMany(
  { topic, subjectId }: CardPlace,
  store: Pick<Store, 'auditById'>,
): Promise<boolean> {
  if (topic !== 'change_notice') return false
  const entry = await store.auditById(subjectId ?? '')
  return entry !== null && entry.hostname === null && (entry.detail.names?.length ?? 0) > 1
}
