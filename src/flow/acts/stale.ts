/** What changed between the card that a person pressed and now: the click does nothing, and the answer says why. */
import type { Act, AuditEntry } from '../../domain/audit.ts'
import type { Request } from '../../domain/intent.ts'
import type { Mute } from '../../domain/mute.ts'
import type { Changed } from '../../domain/reply.ts'
import { handbackCard } from '../../domain/thread-cards.ts'
import type { Store } from '../store-port.ts'

const unmutings: ReadonlySet<Act> = new Set(['unmute_server', 'end_mute', 'undo_mute'])
const endMovings: ReadonlySet<Act> = new Set(['extend_mute', 'undo_mute', 'mute_server', 'mute_account'])
const lookBackMs = 7 * 24 * 60 * 60_000
const lookBackEntries = 20

/** Was a card pressed that has changed since the person saw it? */
export async function isOldCard({ card }: Request, store: Store): Promise<boolean> {
  if (card === null) return false
  const now = await store.cardById(card.cardId)
  return now !== null && card.version < now.version
}

/** Before a mute from an old card: the alert has closed, or somebody muted the server. */
export async function changedBeforeMute(
  { request, alertId }: { readonly request: Request; readonly alertId: string | null },
  live: Mute | null,
  store: Store,
): Promise<Changed | null> {
  if (!(await isOldCard(request, store))) return null
  const [alert] = alertId === null ? [] : await store.recallByIds([alertId])
  if (alert?.state === 'closed' || alert?.state === 'unreported') return { what: 'closed', alert }
  return live?.state === 'active' ? { what: 'muted', mute: live } : null
}

/** Before an unmute from an old card: the mute is over already. */
export async function changedBeforeUnmute(
  { request, server }: { readonly request: Request; readonly server: string },
  live: Mute | null,
  ports: { readonly store: Store; readonly nowMs: number },
): Promise<Changed | null> {
  if (live !== null || !(await isOldCard(request, ports.store))) return null
  const sinceMs = ports.nowMs - lookBackMs
  const page = { offset: 0, limit: lookBackEntries }
  const { entries } = await ports.store.audit({ hostname: server, sinceMs, ...page })
  const by = entries.find((entry) => unmutings.has(entry.act) && entry.outcome === 'done') ?? null
  return { what: 'unmuted', server, by }
}

/** Before an extension from a hand-back: the deadline that it asks about is no longer the mute's. */
export async function changedBeforeExtend(
  { card }: Request,
  live: Mute,
  { store, nowMs }: { readonly store: Store; readonly nowMs: number },
): Promise<Changed | null> {
  const pressed = card === null ? null : await store.cardById(card.cardId)
  if (pressed?.kind !== 'handback' || pressed.cardId === handbackCard(live).cardId) return null
  const by = await lastChangeOf(live, store, nowMs)
  return { what: 'extended', mute: live, by }
}

async function lastChangeOf(mute: Mute, store: Store, nowMs: number): Promise<AuditEntry | null> {
  const page = { offset: 0, limit: lookBackEntries }
  const { entries } = await store.audit({ hostname: mute.hostname, sinceMs: nowMs - lookBackMs, ...page })
  const isChange = ({ act, outcome, detail }: AuditEntry) =>
    endMovings.has(act) && outcome === 'done' && detail.muteId === mute.muteId
  return entries.find(isChange) ?? null
}
