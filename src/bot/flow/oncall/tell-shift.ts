/** Tells the channels who is on call now, once for each change of shift. */
import { boardCard, changeNotice, handoffCard } from '../../domain/card/thread-cards.ts'
import { shiftChange, toldText } from '../../domain/oncall/kept.ts'
import type { OnCall } from '../../domain/oncall/shift.ts'
import { emptyPlan } from '../../domain/plan.ts'
import type { Clock, Ids, Logger } from '../ports/ports.ts'
import type { Store } from '../ports/store.ts'

/** What parts of the on-call watch keep for themselves. */
export const onCallState = 'oncall '

type TellPorts = {
  readonly store: Pick<Store, 'commit' | 'state'>
  readonly clock: Clock
  readonly logger: Logger
  readonly ids: Ids
}

/**
 * Tells who is on call where that is somebody else than was told last; what came and went while the bot was down is not told. The
 * first time of all it only remembers. Answers whether something changed. What was told stands in the plan that tells it, so that
 * a kill tells nothing twice.
 */
export async function tellShift(
  known: OnCall,
  { channels, handoff }: { readonly channels: readonly string[]; readonly handoff: boolean },
  { store, clock, logger, ids }: TellPorts,
): Promise<boolean> {
  const nowMs = clock.nowMs()
  const told = (await store.state(onCallState)).get('told')
  const change = shiftChange(known, told, nowMs)
  if (change === null) return false
  const entry = {
    auditId: ids.make(),
    atMs: nowMs,
    userId: null,
    via: 'monbot',
    act: 'shift_change',
    hostname: null,
    alertId: null,
    channel: null,
    outcome: 'done',
    why: null,
    detail: { shift: change.shift },
  } as const
  const isNews = told !== undefined
  const saved = await store.commit({
    ...emptyPlan(nowMs),
    state: [{ name: `${onCallState}told`, value: toldText(change.now) }],
    dirtyCards: channels.map((channel) => boardCard(channel).cardId),
    audit: isNews ? [entry] : [],
    cards: isNews
      ? channels.flatMap((channel) => [
          changeNotice(entry, { channel, cardId: null }),
          ...(handoff ? [handoffCard(entry, channel)] : []),
        ])
      : [],
  })
  if (saved === 'saved' && isNews) logger.info('oncall:changed', { userId: change.now?.userId ?? null })
  return saved === 'saved'
}
