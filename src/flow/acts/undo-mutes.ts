/** Takes back mutes that one person made at once: each ends, or is again what it was before, and everyone is told once. */
import type { AuditEntry, Before } from '../../domain/audit.ts'
import { undoneMarker } from '../../domain/marker-text.ts'
import type { Mute } from '../../domain/mute.ts'
import { emptyPlan } from '../../domain/plan.ts'
import { toldCard } from '../../domain/thread-cards.ts'
import { restoreTerms, termsOf, undoMs } from '../../domain/transition.ts'
import { lockName } from '../lapse.ts'
import { inLanes } from './in-lanes.ts'
import { detailOf } from './mute-terms.ts'
import { type Acted, type ActPorts, entryOf, refused, type Scene, said, save } from './scene.ts'
import { type EndedOne, endOne } from './unmute.ts'

/** What came of one: `ending` and `away` are not confirmed by the API yet, `left` was not to be undone any more. */
type Came =
  | { readonly what: EndedOne | 'left'; readonly hostname: string }
  | { readonly what: 'restored'; readonly hostname: string; readonly before: Before }

/**
 * All that the row tells of. The minute counts from the last of them, because many take longer than that; terms that
 * somebody gave since then stay.
 */
export async function undoTogether(ports: ActPorts, scene: Scene, auditId: string): Promise<Acted> {
  const { store, clock } = ports
  const { userId } = scene.request
  const entry = await store.auditById(auditId)
  if (entry?.userId !== userId || clock.nowMs() - entry.atMs >= undoMs) {
    return refused({ why: 'undo_too_late' })
  }
  const names = new Set(entry.detail.names)
  const { mutes } = await store.mutes()
  const meant = mutes.filter(({ hostname }) => hostname !== null && names.has(hostname))
  return undoEach(ports, scene, meant, (mute) => hasTermsOf(entry, mute))
}

function hasTermsOf({ userId, atMs, detail }: AuditEntry, mute: Mute): boolean {
  const { mode, untilMs = null, reason = '' } = detail
  const isSame = mute.mode === mode && mute.untilMs === untilMs && mute.reason === reason
  return isSame && mute.userId === userId && mute.termsMs <= atMs
}

async function undoEach(
  ports: ActPorts,
  scene: Scene,
  mutes: readonly Mute[],
  isMeant: (mute: Mute) => boolean,
): Promise<Acted> {
  const came: Came[] = []
  const undo = async ({ muteId, hostname }: Mute) => {
    if (hostname === null) return
    const isAway = came.some(({ what }) => what === 'away')
    came.push(
      await ports.lock.hold(lockName({ hostname }), async () => {
        const live = await ports.store.muteById(muteId)
        if (live?.state !== 'active' || !isMeant(live)) return { what: 'left', hostname } as const
        if (live.previous !== null) return restore(ports, scene, live, hostname)
        return { what: await endOne(ports, scene, live, 'undo', isAway), hostname }
      }),
    )
  }
  const [first, ...others] = mutes
  // The first one shows whether the API answers at all.
  if (first !== undefined) await undo(first)
  await inLanes(others, async (mute) => {
    await undo(mute)
    return 'go_on'
  })
  const of = (...whats: Came['what'][]) =>
    came.flatMap(({ what, hostname }) => (whats.includes(what) ? [hostname] : []))
  const servers = of('ended', 'ending', 'away', 'restored')
  if (servers.length === 0) return refused({ why: 'undo_too_late' })
  await tell(ports, scene, of('ended', 'restored'), came)
  const isSure = of('ending', 'away').length === 0
  return said({
    kind: 'undone',
    server: null,
    restored: null,
    isSure,
    several: { servers, left: of('left') },
  })
}

/** Notifications are off and stay off. */
async function restore(
  { store, clock, ids }: ActPorts,
  scene: Scene,
  live: Mute,
  hostname: string,
): Promise<Came> {
  const atMs = clock.nowMs()
  const mute = restoreTerms(live, atMs)
  const row = {
    outcome: 'done',
    why: null,
    hostname,
    detail: { ...detailOf(mute), muteId: mute.muteId },
  } as const
  const entry = { ...entryOf(scene, row, { auditId: ids.make(), atMs }), partOf: scene.auditId }
  const mutes = [{ mute, was: live.version }]
  await save(store, { ...emptyPlan(atMs), mutes, audit: [entry], touchedServers: [hostname] })
  return { what: 'restored', hostname, before: { ...termsOf(mute), hostname } }
}

async function tell(
  { store, clock, ids }: ActPorts,
  scene: Scene,
  names: readonly string[],
  came: readonly Came[],
): Promise<void> {
  if (names.length === 0) return
  const atMs = clock.nowMs()
  const before = came.flatMap((one) => (one.what === 'restored' ? [one.before] : []))
  const detail = { names, ...(before.length === 0 ? {} : { before }) }
  const subject = { hostname: null, alertId: null, detail }
  const row = { outcome: 'done', why: null } as const
  const entry = entryOf({ ...scene, subject }, row, { auditId: scene.auditId, atMs })
  const card = toldCard(entry, scene.place)
  const over = names.filter((name) => !before.some(({ hostname }) => hostname === name))
  const text = undoneMarker(over, scene.request.userId)
  const markers = over.length === 0 ? [] : [{ markerId: ids.make(), text, cardId: card.cardId }]
  await save(store, { ...emptyPlan(atMs), audit: [entry], cards: [card], markers })
}
