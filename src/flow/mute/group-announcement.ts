/** Mutes that were made for all of a storm end at one time: what happens to them by itself is told in one message, which grows. */

import type { CardKind } from '../../domain/card/kinds.ts'
import { toldCard } from '../../domain/card/thread-cards.ts'
import type { Mute } from '../../domain/mute/mute.ts'
import type { Plan } from '../../domain/plan.ts'
import type { AuditEntry } from '../../domain/request/audit.ts'
import type { Store } from '../ports/store.ts'
import { placeOf } from './place.ts'

const ofMany: ReadonlySet<CardKind> = new Set(['storm', 'summary'])

export type ToldTogether = Pick<Plan, 'audit' | 'cards' | 'dirtyCards'> & {
  /** Nobody was told of any of them yet. */
  readonly isFirst: boolean
}

/** Under which name the mutes that are told together wait for each other: each adds its name to what the others wrote. */
export function togetherName({ cardId, muteId }: Pick<Mute, 'cardId' | 'muteId'>): string {
  return `together:${cardId ?? muteId}`
}

/** With `entry`, which is of this mute alone, as a part of it. Null: its mute was not made from a card of many, and is told alone. */
export async function toldTogether(
  mute: Mute,
  entry: AuditEntry,
  store: Pick<Store, 'cardById' | 'auditById'>,
): Promise<ToldTogether | null> {
  const place = await placeOf(mute, store)
  const root = place.cardId === null ? null : await store.cardById(place.cardId)
  if (root === null || mute.hostname === null || !ofMany.has(root.kind)) return null
  const { userId, mode, untilMs, reason } = mute
  const outcome = mute.endedBy === 'gone' ? 'gone' : entry.outcome
  const auditId = [entry.act, outcome, root.cardId, userId, untilMs ?? mute.termsMs].join(':')
  const before = await store.auditById(auditId)
  const names = new Set([...(before?.detail.names ?? []), mute.hostname])
  const detail = { owner: userId, mode, ...(untilMs === null ? {} : { untilMs }), reason, names: [...names] }
  const together = { ...entry, auditId, hostname: null, detail }
  const card = toldCard(together, place)
  const part = { ...entry, partOf: auditId }
  return { audit: [part, together], cards: [card], dirtyCards: [card.cardId], isFirst: before === null }
}
