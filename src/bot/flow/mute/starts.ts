/** Begins mutes: one plan from which on they hide alerts, and what the API is to be told of it. */
import {
  activeBySubject,
  confirmMute,
  isSameTerms,
  type Mute,
  type MutedAlert,
  type MuteTerms,
  newMute,
  type Place,
  replaceTerms,
} from '../../domain/mute/mute.ts'
import type { Subject } from '../../domain/mute/subject.ts'
import { decideSwitch, type Switch } from '../../domain/mute/switch.ts'
import { emptyPlan, type Plan } from '../../domain/plan.ts'
import type { AuditEntry } from '../../domain/request/audit.ts'
import type { Ids } from '../ports/ports.ts'
import type { Store } from '../ports/store.ts'

type Starts = {
  readonly subjects: readonly Subject[]
  readonly alert: MutedAlert | null
  readonly terms: MuteTerms
  /** Where they are spoken of. */
  readonly place: Place
  /** Where it is told once the API has confirmed them. */
  readonly places: readonly Place[]
  /** The row that the API's answers settle; its time is that of the decision. */
  readonly entry: AuditEntry
  /** Their owner knows their end, and is not asked before it. */
  readonly isPlanned?: true
}

/** `mutes`: those of these subjects. The plan is stale if one of them changes before it is written. */
export async function planStarts(
  { store, ids }: { readonly store: Pick<Store, 'switchesOf'>; readonly ids: Ids },
  mutes: readonly Mute[],
  { subjects, alert, terms, place, places, entry, isPlanned }: Starts,
): Promise<Plan> {
  const nowMs = entry.atMs
  const liveOf = activeBySubject(mutes)
  const rows = new Map((await store.switchesOf(subjects)).map((row) => [row.subject, row]))
  const changes = subjects.map((subject) => {
    const asked = { subject, alert, terms, place, muteId: ids.make(), nowMs }
    return changeOf(asked, {
      live: liveOf.get(subject) ?? null,
      row: rows.get(subject) ?? null,
      request: { auditId: entry.auditId, places },
    })
  })
  // Whose end the API has not confirmed are over: nobody waits for that any more.
  const named = new Set<Subject>(subjects)
  const overtaken = mutes.filter(({ subject, state }) => state === 'ended' && named.has(subject))
  const isAwaited = changes.some(({ next }) => next.auditId === entry.auditId)
  const row: AuditEntry = isAwaited ? entry : { ...entry, outcome: 'nothing', why: 'already' }
  const isAsked = isPlanned === true ? { expiryNoticeMs: terms.untilMs } : {}
  return {
    ...emptyPlan(nowMs),
    mutes: [
      ...changes.flatMap(({ mute, was }) => (mute === null ? [] : [{ mute: { ...mute, ...isAsked }, was }])),
      ...overtaken.map((mute) => ({ mute: confirmMute(mute), was: mute.version })),
    ],
    switches: changes.map(({ next, wasSwitch }) => ({ next, was: wasSwitch })),
    audit: [row],
    dirtySubjects: changes.flatMap(({ mute, subject }) => (mute === null ? [] : [subject])),
  }
}

type Change = {
  readonly subject: Subject
  /** Null: it has these terms already. The API is asked all the same: somebody may have switched notifications on elsewhere. */
  readonly mute: Mute | null
  readonly was: number | null
  readonly next: Switch
  readonly wasSwitch: number | null
}

function changeOf(
  asked: Parameters<typeof newMute>[0],
  of: {
    readonly live: Mute | null
    readonly row: Switch | null
    readonly request: Pick<Switch, 'auditId' | 'places'>
  },
): Change {
  const { subject, alert = null, terms, place, nowMs } = asked
  const { live, row, request } = of
  const isSame =
    live !== null && isSameTerms(live, terms) && JSON.stringify(live.alert) === JSON.stringify(alert)
  const mute = isSame ? null : live === null ? newMute(asked) : replaceTerms(live, terms, place, nowMs, alert)
  // What was asked for first is told once the API confirms it.
  const isWaiting = isSame && live.confirmation === 'waiting' && row !== null
  const told = isWaiting ? row : isSame ? { ...request, places: [] } : request
  const muteId = mute?.muteId ?? live?.muteId ?? null
  const { auditId, places } = told
  return {
    subject,
    mute,
    was: live?.version ?? null,
    next: decideSwitch(row, { subject, wanted: 'off', muteId, auditId, places }),
    wasSwitch: row?.version ?? null,
  }
}
