/** Finds what changed between the card that a person clicked and now: the click does nothing, and the answer says why. */

import { isLive } from '../../domain/alert/alert.ts'
import { weekMs } from '../../domain/base/duration.ts'
import { expiringCard } from '../../domain/card/thread-cards.ts'
import { hostnameOf, type Mute } from '../../domain/mute/mute.ts'
import { muteFingerprint } from '../../domain/mute/shown.ts'
import type { Act, AuditEntry } from '../../domain/request/audit.ts'
import type { Request } from '../../domain/request/intent.ts'
import type { StaleReason } from '../../domain/request/reply.ts'
import type { ActionStore } from './context.ts'

const unmutings: ReadonlySet<Act> = new Set(['unmute_server', 'end_mute', 'undo_mute'])
const endMovings: ReadonlySet<Act> = new Set([
  'extend_mute',
  'undo_mute',
  'mute_server',
  'mute_account',
  'mute_alert',
])
const lookBackMs = weekMs
const lookBackEntries = 20
/** How many audit rows of the time in which the form was open are read. */
const deletionsMax = 500

/** Has the clicked card changed since the person saw it? One that the store does not contain, or only in part, may have. */
export async function isOldCard({ card }: Request, store: ActionStore): Promise<boolean> {
  if (card === null) return false
  return card.version !== (await store.cardById(card.cardId))?.version
}

/** Is it another try of something that failed? Nothing newer has been shown since. */
function isAgain({ intent }: Request): boolean {
  return intent.kind === 'confirm'
}

/**
 * Before a mute from an old card: the alert has closed, or somebody muted the server. `isShown`: a receipt showed what it
 * would hide, and is compared instead.
 */
export async function changedBeforeMute(
  {
    request,
    alertId,
    isShown,
  }: { readonly request: Request; readonly alertId: string | null; readonly isShown: boolean },
  live: Mute | null,
  store: ActionStore,
): Promise<StaleReason | null> {
  const isOld = await isOldCard(request, store)
  if (!isOld && (isShown || !isAgain(request))) return null
  const [alert] = alertId === null ? [] : await store.recallByIds([alertId])
  if (alert !== undefined && !isLive(alert)) return { what: 'closed', alert }
  return isOld && live?.state === 'active' ? { what: 'muted', mute: live } : null
}

/** Before an unmute: the button showed a different mute than the current one, or an old card showed one that is known to have ended. */
export async function changedBeforeUnmute(
  {
    request,
    server,
    shown,
  }: { readonly request: Request; readonly server: string; readonly shown: string | undefined },
  live: Mute | null,
  ports: { readonly store: ActionStore; readonly nowMs: number },
): Promise<StaleReason | null> {
  if (live !== null) return changedTerms({ request, shown }, live, ports)
  if (!(await isOldCard(request, ports.store))) return null
  const sinceMs = ports.nowMs - lookBackMs
  const page = { offset: 0, limit: lookBackEntries }
  const { entries } = await ports.store.audit({ hostname: server, sinceMs, ...page })
  const by = entries.find((entry) => unmutings.has(entry.act) && entry.outcome === 'done')
  // The memory may have been restored from before the mute: what nobody is known to have unmuted is not called unmuted.
  return by === undefined ? null : { what: 'unmuted', server, by }
}

/** Before an extension from a card about a mute's end: the mute's deadline is no longer the one asked about. */
export async function changedBeforeExtend(
  { card }: Request,
  live: Mute,
  { store, nowMs }: { readonly store: ActionStore; readonly nowMs: number },
): Promise<StaleReason | null> {
  const pressed = card === null ? null : await store.cardById(card.cardId)
  if (pressed?.kind !== 'mute_expiring' || pressed.cardId === expiringCard(live).cardId) return null
  const by = await lastChangeOf(live, store, nowMs)
  return { what: 'extended', mute: live, by }
}

async function lastChangeOf(mute: Mute, store: ActionStore, nowMs: number): Promise<AuditEntry | null> {
  const page = { offset: 0, limit: lookBackEntries }
  const { entries } = await store.audit({ hostname: hostnameOf(mute), sinceMs: nowMs - lookBackMs, ...page })
  const isChange = ({ act, outcome, detail }: AuditEntry) =>
    endMovings.has(act) && outcome === 'done' && detail.muteId === mute.muteId
  return entries.find(isChange) ?? null
}

/** The current terms are not those that were shown, if any were; an unmute is out of date only if nothing is muted. */
export async function changedTerms(
  { request, shown }: { readonly request: Request; readonly shown: string | undefined },
  live: Mute,
  { store, nowMs }: { readonly store: ActionStore; readonly nowMs: number },
): Promise<StaleReason | null> {
  const isKnown = shown === undefined ? !isAgain(request) : muteFingerprint(live) === shown
  if (isKnown || live.state !== 'active') return null
  return { what: 'extended', mute: live, by: await lastChangeOf(live, store, nowMs) }
}

/** Before a deletion: what the form asked about was deleted while it was open. */
export async function deletedSince(
  sinceMs: number | undefined,
  { names, act }: { readonly names: readonly string[]; readonly act: 'delete_server' | 'delete_metrics' },
  store: ActionStore,
): Promise<StaleReason | null> {
  if (sinceMs === undefined) return null
  const { entries } = await store.audit({ hostname: null, sinceMs, offset: 0, limit: deletionsMax })
  for (const by of entries) {
    if (by.act !== act || by.outcome !== 'done') continue
    const gone = new Set(by.hostname === null ? by.detail.names : [by.hostname])
    const found = names.filter((name) => gone.has(name))
    if (found.length > 0) return { what: 'deleted', names: found, by }
  }
  return null
}
