/**
 * Tells the pager what it should know, in order and each event under one id, until it takes it; and tells people when it takes
 * nothing. That the pager is asked is on disk before each call.
 */
import { backoffMs } from '../../domain/base/backoff.ts'
import { OutsideFailure } from '../../domain/base/failure.ts'
import { remainingMs } from '../../domain/base/set-clock.ts'
import type { LiveRouting } from '../../domain/card/reach.ts'
import { callOf, type PageCall } from '../../domain/page/call.ts'
import { isSettled } from '../../domain/page/decide.ts'
import {
  asked,
  failed,
  isGivenUp,
  needless,
  type Page,
  type PageEvent,
  told,
} from '../../domain/page/page.ts'
import { nextTrouble, type PagerTrouble } from '../../domain/page/trouble.ts'
import { emptyPlan } from '../../domain/plan.ts'
import { type Attempt, attempt } from '../attempt.ts'
import { contain } from '../concurrency/contain.ts'
import { retryWhenStale } from '../concurrency/retry-when-stale.ts'
import { openWatch, type Watch } from '../concurrency/watch.ts'
import { within } from '../concurrency/within.ts'
import type { Pager } from '../ports/pager.ts'
import type { Chat, Clock, Logger } from '../ports/ports.ts'
import type { Store } from '../ports/store.ts'
import type { Heard } from './acknowledged.ts'

const lookEveryMs = 15_000
/** Longest wait between two tries, and longest that the pager may ask for. */
const waits = { firstMs: 2_000, maxMs: 60_000 }
const askedWaitMaxMs = 10 * 60_000
/** Until it is asked again to take an end that it does not know. */
const endAgainMs = 10_000
/** A pager that hangs holds up no more than these. */
const atOnceMax = 4
/** A page does not wait for Slack: without a link it calls as well. */
const linkWithinMs = 2_000
/** Nor does it wait longer than that for its card, to which whoever is called wants to go. */
const cardWithinMs = 2_000
const cardLookMs = 250
const triesMax = 5
const troubleName = 'pager trouble'

/** It took the call, and may have named somebody: it is asked once more. */
const cutOff = new OutsideFailure('unreachable', 'its answer broke off')
/** It took the call and named somebody, and the alert kept changing meanwhile: it is asked once more. */
const overtaken = new OutsideFailure('broken', 'who acknowledged it could not be written yet')

type TellPorts = {
  readonly store: Pick<
    Store,
    'cardById' | 'commit' | 'livePages' | 'mutes' | 'pagesByKey' | 'recallByIds' | 'state'
  >
  readonly pager: Pager
  readonly chat: Pick<Chat, 'permalink'>
  readonly clock: Clock
  readonly logger: Logger
  readonly heard: Heard
  /** Whoever is on call now hears that calling fails. */
  readonly routing: Pick<LiveRouting, 'onCallNow'>
  readonly onChanged: () => void
}

export type Teller = Watch & {
  /** Since when the pager takes nothing, and why; null if it does. */
  trouble(): { readonly sinceMs: number; readonly why: string } | null
}

export function openTeller(ports: TellPorts): Teller {
  const { store, clock, logger } = ports
  /** Refused by this process's pager: a start may bring other settings, and asks once more. */
  const refused = new Set<string>()
  const write = openWriter(ports)
  const judge = openJudge(ports)
  const waitOf = openWaits(ports, refused)

  async function round(): Promise<number> {
    const nowMs = clock.nowMs()
    const pages = (await store.livePages()).filter(({ events }) => events.length > 0)
    const waiting: { readonly page: Page; readonly waitMs: number }[] = []
    for (const page of pages) waiting.push({ page, waitMs: await waitOf(page, nowMs) })
    // What never failed comes first, lest those that hang hold it up.
    const due = waiting
      .filter(({ waitMs }) => waitMs === 0)
      .toSorted((a, b) => (a.page.failure?.times ?? 0) - (b.page.failure?.times ?? 0))
    await Promise.all(due.slice(0, atOnceMax).map(({ page }) => tellOne(page)))
    await judge.look()
    if (due.length > 0) return 0
    return waiting.reduce((next, { waitMs }) => Math.min(next, waitMs), lookEveryMs)
  }

  async function tellOne(page: Page): Promise<void> {
    const [event] = page.events
    if (event === undefined) return
    const job = { kind: 'page', logger, facts: { key: page.key } } as const
    await contain(
      job,
      async () => {
        const call = await contentOf(ports, page, event)
        const next = asked(page, event, clock.nowMs())
        const plan = { ...emptyPlan(clock.nowMs()), pages: [{ page: next, was: page.version }] }
        // It changed just now: the next round tells what is so then.
        if ((await store.commit(plan)) === 'stale') return
        await settle(page, event, await attempt(() => ports.pager.tell(call)))
      },
      (errorId) => settleBroken(page.key, event, errorId),
    )
  }

  async function settle(
    { key, failure: before }: Page,
    event: PageEvent,
    came: Attempt<Awaited<ReturnType<Pager['tell']>>>,
  ): Promise<void> {
    const { type, eventId } = event
    // It answered: that it does not know one incident says nothing of the next call.
    const isUnknown = !came.ok && type !== 'triggered' && came.failure.kind === 'missing'
    judge.heard(came.ok || isUnknown)
    // One that never ends its answers has taken the call for all that.
    const isCut = came.ok && type === 'triggered' && came.value.isCut === true && before === null
    if (came.ok && !isCut && (await isNoted(key, event, came.value.acknowledgedBy))) {
      await write(key, (page, nowMs) => told(page, event, nowMs))
      logger.info('page:told', { key, type, eventId })
      return
    }
    const failure = isCut ? cutOff : came.ok ? overtaken : came.failure
    const why = failure.message
    const isFinal = failure.kind === 'rejected'
    if (isFinal) refused.add(eventId)
    let isLeft = false
    await write(key, (page, nowMs) => {
      isLeft = isUnknown && isGivenUp(page, why, nowMs)
      if (isLeft) return needless(page, event, { why, nowMs })
      const waitMs = isUnknown ? endAgainMs : waitAfter(failure, page.failure?.times ?? 0)
      return failed(page, event, { why, isFinal, nowMs, waitMs })
    })
    logger.warn(isFinal || isLeft ? 'page:refused' : 'page:not_told', { key, type, eventId, why })
  }

  /** To be on disk before the call counts as told: what does not count yet is asked again, and answered again. */
  async function isNoted(key: string, { eventId, type }: PageEvent, by: string | null): Promise<boolean> {
    if (type !== 'triggered' || by === null) return true
    return (await ports.heard({ id: eventId, key, by })) !== 'stale'
  }

  async function settleBroken(key: string, event: PageEvent, errorId: string): Promise<void> {
    judge.heard(false)
    const why = `an error in monbot, in its log under ${errorId}`
    await write(key, (page, nowMs) =>
      failed(page, event, { why, isFinal: false, nowMs, waitMs: backoffMs(page.failure?.times ?? 0, waits) }),
    )
  }

  const watch = openWatch('page', { clock, logger }, round)
  return { ...watch, trouble: judge.trouble }
}

/** For how many milliseconds the pager is not to be told of a page; 0: it is due. */
function openWaits({ store }: TellPorts, refused: ReadonlySet<string>) {
  async function waitOf(page: Page, nowMs: number): Promise<number> {
    const waitMs = await untilDue(page, nowMs)
    return waitMs === 0 && (await isSettledSince(page)) ? lookEveryMs : waitMs
  }

  async function untilDue(page: Page, nowMs: number): Promise<number> {
    const { failure, events } = page
    if (failure === null) return (await isBeforeItsCard(page, nowMs)) ? cardLookMs : 0
    if (failure.isFinal) return refused.has(events[0]?.eventId ?? '') ? lookEveryMs : 0
    return remainingMs(failure.notBeforeMs, nowMs, askedWaitMaxMs)
  }

  async function isBeforeItsCard({ events, askedMs, cardId }: Page, nowMs: number): Promise<boolean> {
    const [call] = events
    if (call?.type !== 'triggered' || askedMs !== null) return false
    const sinceMs = nowMs - call.atMs
    return sinceMs >= 0 && sinceMs < cardWithinMs && ((await store.cardById(cardId))?.ts ?? null) === null
  }

  /** A call for what is settled by now, as after a start: that it is over is decided soon, and wakes whoever waits here. */
  async function isSettledSince({ events, alertIds }: Page): Promise<boolean> {
    if (events[0]?.type !== 'triggered') return false
    const { mutes } = await store.mutes()
    return (await store.recallByIds(alertIds)).every((alert) => isSettled(alert, mutes))
  }

  return waitOf
}

type Change = (page: Page, nowMs: number) => Page

/** Writes what came of it, whatever was decided meanwhile. */
function openWriter({ store, clock, onChanged }: TellPorts) {
  return async (key: string, change: Change): Promise<void> => {
    await retryWhenStale(triesMax, async () => {
      const [page] = await store.pagesByKey([key])
      if (page === undefined) return null
      const nowMs = clock.nowMs()
      const next = change(page, nowMs)
      if (next === page) return null
      // Its cards say that somebody was called, or that nobody could be.
      const isSeen = next.toldMs !== page.toldMs || (next.failure === null) !== (page.failure === null)
      const pages = [{ page: next, was: page.version }]
      return store.commit({ ...emptyPlan(nowMs), pages, dirty: isSeen ? page.alertIds : [] })
    })
    onChanged()
  }
}

/** Decides when people are told that the pager takes nothing, and that it does again. */
function openJudge({ store, clock, logger, routing, onChanged }: TellPorts) {
  let trouble: PagerTrouble | null | undefined
  let worksNow = false

  async function look(): Promise<void> {
    if (trouble === undefined) {
      const known = (await store.state(troubleName)).get('')
      trouble = known === undefined ? null : (JSON.parse(known) as PagerTrouble)
    }
    const nowMs = clock.nowMs()
    const pages = (await store.livePages()).filter(({ events }) => events.length > 0)
    const next = nextTrouble(trouble, pages, { nowMs, worksNow, onCall: routing.onCallNow?.() })
    if (next.trouble === trouble) return
    const value = next.trouble === null ? null : JSON.stringify(next.trouble)
    const state = [{ name: troubleName, value }]
    const saved = await store.commit({ ...emptyPlan(nowMs), cards: next.cards, state })
    if (saved === 'stale') return
    if (next.trouble === null)
      logger.info('pager:works_again', { failedMs: nowMs - (trouble?.sinceMs ?? nowMs) })
    else if (trouble === null) logger.error('pager:failing', { why: next.trouble.why })
    trouble = next.trouble
    onChanged()
  }

  return {
    look,
    /** The pager answered, or did not. */
    heard: (works: boolean) => {
      worksNow = works
    },
    trouble: () => trouble ?? null,
  }
}

function waitAfter({ retryAfterMs }: OutsideFailure, times: number): number {
  return Math.max(backoffMs(times, waits), Math.min(retryAfterMs ?? 0, askedWaitMaxMs))
}

async function contentOf(
  { store, chat, clock }: Pick<TellPorts, 'store' | 'chat' | 'clock'>,
  page: Page,
  event: PageEvent,
): Promise<PageCall> {
  const alerts = await store.recallByIds(page.alertIds)
  const { channel, ts = null } = (await store.cardById(page.cardId)) ?? {}
  if (channel === undefined || ts === null) return callOf(page, event, alerts, null)
  let link: string | null = null
  const found = attempt(() => chat.permalink({ channel, ts })).then((came) => {
    if (came.ok) link = came.value
  })
  await within(clock, linkWithinMs, found)
  return callOf(page, event, alerts, link)
}
