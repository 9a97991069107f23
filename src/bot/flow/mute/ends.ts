/** Ends mutes: one plan from which on they hide nothing, with a card for each alert that they hid and that is still open. */
import { endMute, type Mute, type MuteEndedBy, subjectsUnder, wasConfirmed } from '../../domain/mute/mute.ts'
import { decideSwitch, type Switch } from '../../domain/mute/switch.ts'
import { emptyPlan, type Plan } from '../../domain/plan.ts'
import type { Store } from '../ports/store.ts'
import { groupRootOf } from './places.ts'
import type { Hidden } from './reveal.ts'

type End = Pick<Switch, 'auditId' | 'places'> & {
  readonly by: MuteEndedBy
  /** Null: nobody, its time has come. */
  readonly userId: string | null
  readonly nowMs: number
}

type EndPorts = {
  readonly store: Pick<Store, 'auditById' | 'cardById' | 'channelsTold' | 'mutes' | 'switchesOf'>
  readonly hidden: Pick<Hidden, 'plan'>
}

/** The plan that ends these; it is stale if one of them, or what the API is to be told of it, changes before it is written. */
export async function planEnds({ store, hidden }: EndPorts, mutes: readonly Mute[], end: End): Promise<Plan> {
  const { by, userId, nowMs, auditId, places } = end
  const own = new Set(mutes.map(({ muteId }) => muteId))
  const others = (await store.mutes()).mutes.filter(({ muteId }) => !own.has(muteId))
  const rows = new Map(
    (await store.switchesOf(mutes.map(({ subject }) => subject))).map((row) => [row.subject, row]),
  )
  const ended = mutes.map((mute) => endMute(mute, { by, userId, nowMs }))
  const revealed = await hidden.plan({
    subjects: subjectsUnder(mutes),
    mutes: others,
    ended,
    // The mute's own id: two that end in one millisecond have a summary each.
    summaryId: mutes[0]?.muteId ?? '',
    oneoffsUnder: await unlisted(ended, auditId, store),
  })
  return {
    ...emptyPlan(nowMs),
    ...revealed,
    mutes: ended.map((mute, at) => ({ mute, was: mutes[at]?.version ?? null })),
    switches: mutes.map((mute) => {
      const before = rows.get(mute.subject) ?? null
      const of = { subject: mute.subject, muteId: mute.muteId, auditId, places }
      const isTakenBack = !wasConfirmed(mute)
      return {
        next: decideSwitch(before, { ...of, wanted: 'on', isTakenBack }),
        was: before?.version ?? null,
      }
    }),
    dirtySubjects: mutes.map(({ subject }) => subject),
  }
}

/** The message of a mute that ends alone, by its time, lists the one-offs that it hid; no other message does. */
async function unlisted(ended: readonly Mute[], auditId: string | null, store: EndPorts['store']) {
  if (auditId !== null) return ended
  const isListed = await Promise.all(
    ended.map(async (mute) => {
      return mute.endedBy !== 'interrupted' && (await groupRootOf(mute, 'end_mute', store)) === null
    }),
  )
  return ended.filter((_, at) => !isListed[at])
}
