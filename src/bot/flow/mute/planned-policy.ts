/** Keeps the rows of planned mutes that the policy file plans as it is, whatever was changed in it. */
import {
  newPlanned,
  nextWindow,
  type PlannedMute,
  type PolicyMute,
  planKey,
  windowAt,
} from '../../domain/mute/planned.ts'
import { emptyPlan, type Plan } from '../../domain/plan.ts'
import type { Clock, Ids } from '../ports/ports.ts'
import type { Store } from '../ports/store.ts'
import { plannedNews } from './planned-notices.ts'

type PolicyPorts = {
  readonly store: Pick<Store, 'commit' | 'planned'>
  readonly clock: Clock
  readonly ids: Ids
  readonly onChanged: () => void
}

type Own = Pick<PlannedMute, 'reason' | 'rule' | 'zone'> & {
  readonly what: Extract<PlannedMute['what'], { of: 'servers' }>
}

/**
 * What the file plans is there; what it plans no more is gone. An entry whose reason or names are changed keeps what was done and
 * skipped of it: nobody is muted again whom somebody unmuted, and names that are new begin with its next window. All in one plan, so that none of it is forgotten before it is kept; false: it is stale, and nothing is done.
 */
export async function keepPolicy(
  ports: PolicyPorts,
  { maintenance, channel }: { readonly maintenance: readonly PolicyMute[]; readonly channel: string },
): Promise<boolean> {
  const { store, ids, clock, onChanged } = ports
  const nowMs = clock.nowMs()
  const { kept, added } = paired(
    (await store.planned()).filter(({ userId }) => userId === null),
    maintenance.map(({ names, ...rest }) => ({ ...rest, what: { of: 'servers', names } })),
  )
  const changes: Change[] = []
  for (const { planned, own } of kept) {
    const { plannedId, rule, zone, version: was } = planned
    const isMoved = planned.channel !== channel
    const isEdited = own !== null && planKey(own) !== planKey(planned)
    if (own === null) {
      const window = windowAt(rule, zone, nowMs)
      const news = window === null ? noNews : plannedNews(planned, window, { act: 'cancel_planned' }, ports)
      changes.push({ ...news, row: { plannedId, next: null, was } })
    } else if (own.reason !== planned.reason || isMoved || isEdited) {
      const place = isMoved ? { channel, cardId: null } : {}
      const next = { ...planned, ...own, ...place, version: was + 1 }
      changes.push(changeTo(next, { was, isTold: isMoved || isEdited }, ports))
    }
  }
  for (const own of added) {
    const window = windowAt(own.rule, own.zone, nowMs)
    if (window === null) continue
    const plannedId = `policy:${ids.make()}`
    const next = newPlanned({ ...own, plannedId, userId: null, channel, cardId: null }, window, nowMs)
    changes.push(changeTo(next, { was: null, isTold: true }, ports))
  }
  if (changes.length === 0) return true
  const saved = await store.commit({
    ...emptyPlan(nowMs),
    audit: changes.flatMap(({ audit }) => audit),
    cards: changes.flatMap(({ cards }) => cards),
    planned: changes.map(({ row }) => row),
  })
  onChanged()
  return saved === 'saved'
}

type Change = Pick<Plan, 'audit' | 'cards'> & { readonly row: Plan['planned'][number] }
const noNews = { audit: [], cards: [] }

function changeTo(
  next: PlannedMute,
  { was, isTold }: { readonly was: number | null; readonly isTold: boolean },
  ports: PolicyPorts,
): Change {
  const window = nextWindow(next)
  const news = isTold && window !== null ? plannedNews(next, window, { act: 'plan_mute' }, ports) : noNews
  const cardId = next.cardId ?? news.cards[0]?.cardId ?? null
  return { ...news, row: { plannedId: next.plannedId, next: { ...next, cardId }, was } }
}

/** Each row with what the file says of it now: the same, or an edit of it; null: nothing. */
function paired(known: readonly PlannedMute[], wanted: readonly Own[]) {
  const left = new Map(wanted.map((own) => [planKey(own), own]))
  const take = (own: Own | undefined): Own | null => {
    if (own === undefined) return null
    left.delete(planKey(own))
    return own
  }
  const same = known.map((planned) => ({ planned, own: take(left.get(planKey(planned))) }))
  const kept = same.map(({ planned, own }) => ({
    planned,
    own: own ?? take([...left.values()].find((one) => isEditOf(one, planned))),
  }))
  return { kept, added: [...left.values()] }
}

/** Other names at the same times, of which one is the same. */
function isEditOf(own: Own, { what, rule, zone }: PlannedMute): boolean {
  const names = what.of === 'servers' ? what.names : []
  return (
    planKey({ what, rule, zone }) === planKey({ ...own, what }) &&
    own.what.names.some((one) => names.includes(one))
  )
}
