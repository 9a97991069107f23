/** Hands a mute back to its owner before it ends: in a card of its own, or in the message of the group that it was made with. */
import { expiringCard } from '../../domain/card/thread-cards.ts'
import type { Images } from '../../domain/delivery/picture.ts'
import type { Mute } from '../../domain/mute/mute.ts'
import { handedBack } from '../../domain/mute/transitions.ts'
import { emptyPlan } from '../../domain/plan.ts'
import type { AuditEntry } from '../../domain/request/audit.ts'
import { openLock } from '../concurrency/lock.ts'
import type { Clock, Ids, Logger } from '../ports/ports.ts'
import type { Store } from '../ports/store.ts'
import { announceInGroup } from './group-announcement.ts'
import { placeOf } from './place.ts'

export type HandBackPorts = {
  readonly store: Pick<Store, 'auditById' | 'cardById' | 'channelsTold' | 'commit' | 'openAlerts'>
  readonly clock: Clock
  readonly logger: Logger
  readonly ids: Ids
  /** Called when something was written that others show. */
  readonly onChanged: () => void
}

/** The caller holds the lock of the server. A mute that was changed meanwhile is left alone. */
type HandBack = (mute: Mute) => Promise<void>

export function openHandBack(ports: HandBackPorts, images: Images): HandBack {
  const { store, clock, logger, ids, onChanged } = ports
  /** One at a time: each adds its server to the message that the one before it wrote. */
  const telling = openLock()
  return async (mute) => {
    const nowMs = clock.nowMs()
    const next = handedBack(mute, nowMs)
    const [worst] = await store.openAlerts(mute.hostname === null ? null : [mute.hostname])
    const isDrawn = worst !== undefined && images !== 'off'
    const { muteId, mode, untilMs, reason, hostname } = mute
    const entry: AuditEntry = {
      ...byItself(mute),
      auditId: ids.make(),
      atMs: nowMs,
      act: 'hand_back',
      hostname,
      alertId: null,
      outcome: 'done',
      why: null,
      detail: { muteId, mode, ...(untilMs === null ? {} : { untilMs }), reason },
    }
    const saved = await telling.hold('hand-backs', async () => {
      const plan = { ...emptyPlan(nowMs), mutes: [{ mute: next, was: mute.version }] }
      const told = await announceInGroup(mute, entry, store)
      if (told !== null) return store.commit({ ...plan, ...told })
      const card = expiringCard({ ...next, ...(await placeOf(mute, store)) })
      const pictures = isDrawn ? [{ cardId: card.cardId, alertId: worst.alertId, way: 'chart' as const }] : []
      return store.commit({ ...plan, cards: [card], pictures, audit: [entry] })
    })
    if (saved === 'stale') return
    logger.info('mute:handed_back', { hostname, untilMs })
    onChanged()
  }
}

/** Nobody asks for it: its time has come. */
export function byItself(mute: Mute) {
  return { userId: null, via: 'monbot', act: 'end_mute', channel: mute.channel } as const
}
