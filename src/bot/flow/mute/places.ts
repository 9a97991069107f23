/**
 * Where messages about a mute go: the thread in which it was announced if that still exists, else its channel. Mutes that were made
 * together are announced together: one message, which grows with each of them.
 */
import type { CardKind } from '../../domain/card/kinds.ts'
import { changeNotice } from '../../domain/card/thread-cards.ts'
import type { Mute, Place } from '../../domain/mute/mute.ts'
import type { Plan } from '../../domain/plan.ts'
import type { AuditEntry } from '../../domain/request/audit.ts'
import type { CardPlace } from '../ports/card-store.ts'
import type { Store } from '../ports/store.ts'

type PlaceStore = Pick<Store, 'auditById' | 'cardById' | 'channelsTold' | 'countAlerts'>

/** A mute that was interrupted may name a card that was never made, and one pressed in a thread names a reply of it. */
export async function placeOf(mute: Mute, store: Pick<Store, 'cardById'>): Promise<Place> {
  const card = mute.cardId === null ? null : await store.cardById(mute.cardId)
  return { channel: mute.channel, cardId: card === null ? null : (card.parentId ?? card.cardId) }
}

/**
 * Where everybody hears of a change of this mute. The account's concerns everybody: it stands in each channel where its beginning
 * was told, in no thread.
 */
export async function placesOf(
  mute: Mute,
  store: Pick<Store, 'cardById' | 'channelsTold'>,
): Promise<readonly Place[]> {
  return mute.subject === null ? loudPlacesOf(mute, store) : [await placeOf(mute, store)]
}

/** The same for a mute of several servers. */
async function loudPlacesOf(
  mute: Mute,
  store: Pick<Store, 'cardById' | 'channelsTold'>,
): Promise<readonly Place[]> {
  const channels = await store.channelsTold(mute)
  return channels.length === 0 ? [await placeOf(mute, store)] : inChannels(channels)
}

/** Each channel once, and no thread. */
export function inChannels(channels: readonly string[]): readonly Place[] {
  return [...new Set(channels)].map((channel) => ({ channel, cardId: null }))
}

const ofMany: ReadonlySet<CardKind> = new Set(['storm', 'summary'])

type GroupAnnouncement = Pick<Plan, 'audit' | 'cards' | 'dirtyCards'> & {
  /** Is this the first of the group? */
  readonly isFirst: boolean
}

/** The card in whose thread one message tells of all mutes that were made with this one; null: it is told by itself. */
export async function groupRootOf(
  mute: Mute,
  act: AuditEntry['act'],
  store: Omit<PlaceStore, 'countAlerts'>,
): Promise<CardPlace | null> {
  const { cardId } = await placeOf(mute, store)
  const root = cardId === null ? null : await store.cardById(cardId)
  if (root === null || mute.subject === null || mute.alert !== null) return null
  // A message before the end has buttons: below the message of several, each has its own.
  const isOfMany = ofMany.has(root.kind) || (act !== 'mute_expiring' && (await tellsOfMany(root, store)))
  return isOfMany ? root : null
}

/**
 * `entry` is of this mute alone, and becomes a part of the group's. Null: the mute was not made with others. `planned`: rows that
 * the same plan writes.
 */
export async function announceInGroup(
  mute: Mute,
  entry: AuditEntry,
  store: PlaceStore,
  planned: ReadonlyMap<string, AuditEntry> = new Map(),
): Promise<GroupAnnouncement | null> {
  const root = await groupRootOf(mute, entry.act, store)
  if (root === null) return null
  const { userId, mode, untilMs, reason, endedBy } = mute
  const { accountMuted } = entry.detail
  const outcome = endedBy === 'gone' || endedBy === 'interrupted' ? endedBy : entry.outcome
  const auditId = [entry.act, outcome, root.cardId, userId, untilMs ?? mute.termsMs].join(':')
  const before = planned.get(auditId) ?? (await store.auditById(auditId))
  const names = new Set([...(before?.detail.names ?? []), mute.subject ?? ''])
  const detail = {
    owner: userId,
    mode,
    ...(untilMs === null ? {} : { untilMs }),
    reason,
    names: [...names],
    ...(await hiddenIn(mute, entry.act, { root, before, store })),
    ...(accountMuted === undefined ? {} : { accountMuted }),
  }
  const together = { ...entry, auditId, hostname: null, detail }
  const places =
    entry.act === 'mute_expiring' ? [await placeOf(mute, store)] : await loudPlacesOf(mute, store)
  const cards = places.map((one) => changeNotice(together, one))
  return {
    audit: [{ ...entry, partOf: auditId }, together],
    cards,
    dirtyCards: cards.map(({ cardId }) => cardId),
    isFirst: before === null,
  }
}

/** Of what was planned the message about its end says how many alerts came meanwhile, also where none did. */
async function hiddenIn(
  { subject, startedMs }: Mute,
  act: AuditEntry['act'],
  of: { readonly root: CardPlace; readonly before: AuditEntry | null; readonly store: PlaceStore },
): Promise<Pick<AuditEntry['detail'], 'hidden'>> {
  const { root, before, store } = of
  const told = root.topic === 'change_notice' ? await store.auditById(root.subjectId ?? '') : null
  if (act !== 'end_mute' || told?.act !== 'plan_mute' || subject === null) return {}
  // Its row may be tried again with the same server.
  if (before?.detail.names?.includes(subject)) return { hidden: before.detail.hidden ?? 0 }
  const count = await store.countAlerts({ subjects: [subject], sinceMs: startedMs })
  return { hidden: (before?.detail.hidden ?? 0) + count }
}

/** Was it made with others, by names? */
async function tellsOfMany(
  { topic, subjectId }: CardPlace,
  store: Pick<Store, 'auditById'>,
): Promise<boolean> {
  if (topic !== 'change_notice') return false
  const entry = await store.auditById(subjectId ?? '')
  if (entry === null || entry.hostname !== null) return false
  const { names = [] } = entry.detail
  return names.length > 1 || (entry.act === 'plan_mute' && names.length > 0)
}
