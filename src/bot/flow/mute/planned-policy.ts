/** Keeps the rows of planned mutes that the policy file plans as it is, whatever was changed in it. */
import { globMatcher, isGlob } from '../../../shared/glob.ts'
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
 * What the file plans is there; what it plans no more is gone. An entry with other names, be it split, merged or a pattern now, keeps
 * what was done and skipped of those that share some: nobody is muted again whom somebody unmuted, and names that are new begin with
 * its next window. All in one plan, so that none of it is forgotten before it is kept; false: it is stale, and nothing is done.
 */
export async function keepPolicy(
  ports: PolicyPorts,
  { maintenance, channel }: { readonly maintenance: readonly PolicyMute[]; readonly channel: string },
): Promise<boolean> {
  const { store, ids, clock, onChanged } = ports
  const nowMs = clock.nowMs()
  const known = (await store.planned()).filter(({ userId }) => userId === null)
  const { kept, added } = paired(
    known,
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
      const before = isEdited ? known.filter((one) => isEditOf(own, one)) : [planned]
      changes.push(changeTo(next, { before, was, isTold: isMoved || isEdited }, ports))
    }
  }
  for (const own of added) {
    const window = windowAt(own.rule, own.zone, nowMs)
    if (window === null) continue
    const plannedId = `policy:${ids.make()}`
    const next = newPlanned({ ...own, plannedId, userId: null, channel, cardId: null }, window, nowMs)
    const before = known.filter((one) => isEditOf(own, one))
    changes.push(changeTo(next, { before, was: null, isTold: true }, ports))
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

/** The row, which goes on where those `before` it were. Names for which no window is left because of that are told. */
function changeTo(
  decided: PlannedMute,
  of: { readonly before: readonly PlannedMute[]; readonly was: number | null; readonly isTold: boolean },
  ports: PolicyPorts,
): Change {
  const { before, was, isTold } = of
  const { plannedId, rule, zone } = decided
  const skips = before.flatMap(({ skippedMs }) => skippedMs ?? [])
  const next = {
    ...decided,
    doneMs: Math.max(decided.doneMs, ...before.map(({ doneMs }) => doneMs)),
    skippedMs: skips.length === 0 ? null : Math.max(...skips),
  }
  const window = nextWindow(next)
  const left = window ?? windowAt(rule, zone, ports.clock.nowMs())
  const over = before.filter((one) => nextWindow(one) === null).map((one) => meaning(namesOf(one)))
  const servers = namesOf(decided).filter((name) => !over.some((isMeant) => isMeant(name)))
  const act = window === null ? 'planned_missed' : 'plan_mute'
  const late = window === null ? { why: 'added_late', servers } : {}
  const hasNews = isTold && left !== null && (window !== null || servers.length > 0)
  const news = hasNews ? plannedNews(next, left, { act, ...late }, ports) : noNews
  const cardId = next.cardId ?? news.cards[0]?.cardId ?? null
  return { ...news, row: { plannedId, next: { ...next, cardId }, was } }
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

/** Other names at the same times, of which one is meant by both. */
function isEditOf(own: Own, planned: PlannedMute): boolean {
  const { what, rule, zone } = planned
  if (planKey({ what, rule, zone }) !== planKey({ ...own, what })) return false
  const names = namesOf(planned)
  return names.some(meaning(own.what.names)) || own.what.names.some(meaning(names))
}

function namesOf({ what }: PlannedMute): readonly string[] {
  return what.of === 'servers' ? what.names : []
}

/** Do these names mean this one: the same, or a glob that it matches? */
function meaning(names: readonly string[]): (name: string) => boolean {
  const globs = names.filter(isGlob).map((glob) => globMatcher(glob))
  return (name) => names.includes(name) || globs.some((isMatch) => isMatch(name))
}
