import {
  confirmMute,
  endMute,
  type Mute,
  restoreTerms,
  type Silenced,
  silencedBy,
  stuckMute,
  subjectsUnder,
  wasConfirmed,
} from '../../domain/mute/mute.ts'
import {
  answerSwitch,
  type Came,
  endToldAfter,
  keepMuted,
  type SwitchAnswer,
} from '../../domain/mute/switch.ts'
import { emptyPlan, type Plan } from '../../domain/plan.ts'
import { openLock } from '../concurrency/lock.ts'
import { retryWhenStale } from '../concurrency/retry-when-stale.ts'
import type { Clock, Logger } from '../ports/ports.ts'
import type { Store } from '../ports/store.ts'
import { type Case, closeGroups, type NoticePorts, openPlanParts, tellCase } from './answer-notices.ts'
import type { Hidden } from './reveal.ts'

/** Somebody decides anew, a card is being sent that was to be withdrawn: not so often in a row. */
const triesMax = 5
export type AnswerPorts = NoticePorts & {
  readonly store: Pick<Store, 'commit' | 'muteById' | 'mutes' | 'switchesOf'>
  readonly clock: Clock
  readonly logger: Logger
  readonly hidden: Hidden
  /** When the open alerts were last read; null until the first poll after the start. */
  readonly lastPollMs: () => number | null
}

export type Answered = {
  readonly subject: string | null
  readonly revision: number
  readonly answer: SwitchAnswer
  /** False: the API was not asked about this one; see `answerSwitch`. */
  readonly wasAsked: boolean
}

/** Writes what came of each, and answers it in their order. */
export type Settle = (answered: readonly Answered[]) => Promise<readonly Came[]>

export function openSettle(ports: AnswerPorts): Settle {
  const { store, hidden } = ports
  /** Answers are announced one batch at a time: each may add to the message of the one before it. */
  const telling = openLock()
  return async (answered) => {
    const saved = await retryWhenStale(triesMax, () =>
      telling.hold('answers', async () => {
        const draft = await draftOf(ports, answered)
        const { plan, revealing } = await withRevealed(ports, draft)
        if ((await store.commit(plan)) === 'stale') return 'stale'
        draft.log()
        // A poll may have hidden one more alert just before this was written. From here on it cannot any more.
        if (revealing.length > 0) await hidden.sweep(subjectsUnder(revealing))
        return draft.came
      }),
    )
    if (saved === 'stale') throw new Error(`${triesMax} plans in a row with the API's answers were stale`)
    return saved
  }
}

/** A mute that was refused hid what came since its decision. */
async function withRevealed({ store, hidden }: AnswerPorts, draft: Draft) {
  const revealing = draft.ended
  const { plan } = draft
  if (revealing.length === 0) return { plan, revealing }
  const subjects = subjectsUnder(revealing)
  const own = new Set(revealing.map(({ muteId }) => muteId))
  const mutes = (await store.mutes()).mutes.filter(({ muteId }) => !own.has(muteId))
  const summaryId = revealing[0]?.muteId ?? ''
  const revealed = await hidden.plan({
    subjects,
    mutes,
    summaryId,
    ended: revealing,
    oneoffsUnder: revealing,
  })
  return { plan: { ...plan, ...revealed, cards: [...plan.cards, ...revealed.cards] }, revealing }
}

type Draft = {
  readonly plan: Plan
  readonly came: readonly Came[]
  /** Mutes that this ends, by a refusal. */
  readonly ended: readonly Mute[]
  /** Once it is written. */
  log(): void
}

async function draftOf(ports: AnswerPorts, answered: readonly Answered[]): Promise<Draft> {
  const { store, clock, lastPollMs, logger } = ports
  const nowMs = clock.nowMs()
  const parts = openPlanParts(nowMs)
  const rows = new Map(
    (await store.switchesOf(answered.map(({ subject }) => subject))).map((row) => [row.subject, row]),
  )
  const mutes = new Map<string, Plan['mutes'][number]>()
  const switches: Plan['switches'][number][] = []
  const came: Came[] = []
  const ended: Mute[] = []
  const logs: (() => void)[] = []
  const cases: Case[] = []
  for (const one of answered) {
    const row = rows.get(one.subject)
    const answer = row === undefined ? null : answerSwitch(row, one, { nowMs, lastPollMs: lastPollMs() })
    came.push(answer?.came ?? { kind: 'overtaken' })
    if (row === undefined || answer === null) continue
    const mute = row.muteId === null ? null : await store.muteById(row.muteId)
    const base = row.auditId === null ? null : await store.auditById(row.auditId)
    const found: Case = { row, mute, base, ...answer }
    const after = muteAfter(found, nowMs)
    if (after !== null && mute !== null) mutes.set(mute.muteId, { mute: after, was: mute.version })
    if (after?.state === 'ended' && mute?.state === 'active') ended.push(after)
    // New terms that the service refused leave it muted on the old ones; an alert whose mute it ends early is shown again.
    const isLeft = after === null && mute?.alert != null && mute.state === 'active' && row.wanted === 'off'
    const isKept = answer.came.kind === 'refused' && (after?.state === 'active' || isLeft)
    const next = isKept ? keepMuted(answer.next, row, nowMs) : answer.next
    switches.push({ next, was: row.version, ...(one.wasAsked ? { isAnswered: true } : {}) })
    cases.push({ ...found, next, mute: after ?? mute })
    logs.push(() => logOf(logger, { ...found, mute: after ?? mute }))
  }
  const beside = await silencedBeside(store, [...mutes.values()])
  for (const one of cases) await tellCase(ports, parts, one, beside(one.mute))
  await closeGroups(ports, parts, cases)
  const changed = [...mutes.values()]
  const plan = {
    ...emptyPlan(nowMs),
    mutes: changed,
    switches,
    audit: [...parts.audit.values()],
    cards: [...parts.cards.values()],
    dirtyCards: [...parts.dirtyCards],
    markers: parts.markers,
    dirtySubjects: changed.map(({ mute }) => mute.subject),
  }
  return { plan, came, ended, log: () => logs.forEach((log) => void log()) }
}

/** Null: it stays as it is. */
function muteAfter({ row, came, mute, next }: Case, nowMs: number): Mute | null {
  if (mute === null) return null
  const isEnding = row.wanted === 'on' && mute.state === 'ended'
  switch (came.kind) {
    case 'said':
      return (isEnding || row.wanted === 'off') && mute.confirmation !== 'confirmed'
        ? confirmMute(mute)
        : null
    case 'gone':
      return isEnding ? confirmMute(mute, { endedBy: 'gone' }) : null
    case 'failed':
      return isEnding && next.attempts === endToldAfter && mute.confirmation === 'waiting'
        ? stuckMute(mute)
        : null
    case 'refused': {
      if (mute.state === 'ended' || mute.confirmation === 'confirmed') return null
      if (wasConfirmed(mute)) return restoreTerms(mute, nowMs)
      const over = endMute(mute, { by: 'interrupted', userId: null, nowMs })
      return came.isOwed ? over : { ...over, confirmation: 'confirmed' }
    }
    case 'overtaken':
    case 'repeated':
    case 'unrepeated':
      return null
  }
}

/** What keeps the servers of the others silent all the same. */
async function silencedBeside(
  store: AnswerPorts['store'],
  changed: Plan['mutes'],
): Promise<(of: Mute | null) => Silenced> {
  const own = new Set(changed.map(({ mute }) => mute.muteId))
  const { mutes } = await store.mutes()
  const others = mutes.filter(({ muteId, state }) => state === 'active' || !own.has(muteId))
  return (of) => silencedBy(others, of)
}

function logOf(logger: Logger, { row, next, came, mute }: Case): void {
  const { subject: hostname, wanted } = row
  const on = wanted === 'on'
  const tries = row.attempts + 1
  if (came.kind === 'overtaken') return
  if (came.kind === 'repeated') logger.info('mute:said_again', { hostname, on })
  else if (came.kind === 'refused') logger.info('mute:refused', { hostname, on, why: came.failure.message })
  else if (came.kind === 'unrepeated') {
    logger.warn('mute:not_said_again', { hostname, on, why: came.failure.message, tries: next.attempts })
  } else if (came.kind === 'failed') {
    const facts = { hostname, why: came.failure.message, tries: next.attempts }
    if (on) logger.warn('mute:not_ended', facts)
    else logger.info('mute:not_confirmed', facts)
  } else if (on) logger.info('mute:ended', { hostname, by: mute?.endedBy ?? null, tries })
  else logger.info('mute:confirmed', { hostname, tries })
}
