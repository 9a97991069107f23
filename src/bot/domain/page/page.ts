/** A page: what the pager should know of an alert or of a list of alerts, and what it was told. Pure. */

/** The events of a page, in the words of the webhook. */
export type PageEventType = 'triggered' | 'acknowledged' | 'resolved'

/** Something that the pager is to be told. */
export type PageEvent = {
  /** The same at every try, so that whoever hears it twice knows it for one. */
  readonly eventId: string
  readonly type: PageEventType
  /** Who acknowledged it; null for the other types. */
  readonly by: string | null
  readonly atMs: number
}

/** Why the pager does not take what it is told next. Times are epoch milliseconds. */
export type PageFailure = {
  readonly sinceMs: number
  readonly times: number
  readonly notBeforeMs: number
  readonly why: string
  /** The pager refused it: it is tried again only after a start, which may have brought other settings. */
  readonly isFinal: boolean
}

/** What became of an event that the pager was asked to take: the record of it. Times are epoch milliseconds. */
export type PageDelivery = Pick<PageEvent, 'eventId' | 'type'> & {
  /** The alerts that it was about. */
  readonly alertIds: readonly string[]
  /** When it was first asked. */
  readonly askedMs: number
  /** Why it did not take it: each reason once, at most `reasonsMax`. */
  readonly failures: readonly { readonly atMs: number; readonly why: string }[]
  /** When it took it; null: that it did is not known. */
  readonly toldMs: number | null
}

/** Times are epoch milliseconds. */
export type Page = {
  /** The deduplication key. */
  readonly key: string
  /** The alerts for which somebody is called; once nobody is, those of the last call. Never empty. */
  readonly alertIds: readonly string[]
  readonly isOfList: boolean
  /** The card that it links to, its channel, and whom its route mentions. */
  readonly cardId: string
  readonly channel: string
  readonly mention: string | null
  /** Somebody is to be called. */
  readonly isRinging: boolean
  /** The steps that called, by their times; each calls once. */
  readonly steps: readonly number[]
  /** The times of all steps that could call when it began to ring; absent in a page of an earlier version. */
  readonly stepsAtFirst?: readonly number[]
  /** What is still to be told, in this order. */
  readonly events: readonly PageEvent[]
  /** The pager was asked to call, and not told since that it is over. */
  readonly mayKnow: boolean
  /** When the pager was asked to take the first of these events; null: it was not. */
  readonly askedMs: number | null
  /** When the pager last took a call; null: not since it rings. */
  readonly toldMs: number | null
  /** Who acknowledged it in the pager, as the alert has it in `ackedBy`: the pager need not be told. */
  readonly heardFrom: string | null
  readonly failure: PageFailure | null
  /** The latest `deliveriesMax`, earliest first; kept for the timeline. */
  readonly deliveries: readonly PageDelivery[]
  /** Grows with every change; a plan made on an older version is stale. */
  readonly version: number
}

const deliveriesMax = 50
const reasonsMax = 5
const endTriesMs = 60_000

type Moment = { readonly nowMs: number; readonly newId: () => string }

/** Somebody is to be called for these: a new page, or one that rings again, or a later step of one that rings. */
export function ring(
  known: Page | null,
  given: Pick<Page, 'key' | 'alertIds' | 'isOfList' | 'cardId' | 'channel' | 'mention' | 'steps'> & {
    readonly stepsNow: readonly number[]
  },
  moment: Moment,
): Page {
  const { stepsNow, ...next } = given
  const isAgain = known?.isRinging === true
  const before = known?.events ?? []
  const isOnItsWay = before.some(({ type }) => type === 'triggered')
  return unblocked({
    mayKnow: false,
    askedMs: null,
    failure: null,
    deliveries: [],
    ...known,
    ...next,
    isRinging: true,
    steps: isAgain ? [...new Set([...known.steps, ...next.steps])] : next.steps,
    ...(isAgain ? {} : { stepsAtFirst: stepsNow }),
    // What has not gone out yet calls no second time.
    events: isOnItsWay ? before : [...before, eventOf('triggered', null, moment)],
    toldMs: isAgain ? known.toldMs : null,
    heardFrom: null,
    version: (known?.version ?? 0) + 1,
  })
}

/** What the pager refuses holds back no call: it never heard that it is over, and the call goes on there. */
function unblocked(page: Page): Page {
  const calls = page.events.filter(({ type }) => type === 'triggered')
  const isBlocked = page.failure?.isFinal === true && page.events[0]?.type !== 'triggered'
  return isBlocked && calls.length > 0 ? { ...page, events: calls, askedMs: null, failure: null } : page
}

/** Nobody need be called any more. What the pager never heard of it is not told at all. `by`: who acknowledged it. */
export function quiet(page: Page, by: string | null, moment: Moment): Page {
  const before = page.events.filter(({ type }) => type !== 'triggered')
  const isEnding = before.some(({ type }) => type === 'resolved')
  const acknowledged = by === null || by === page.heardFrom ? [] : [eventOf('acknowledged', by, moment)]
  const events =
    page.mayKnow && !isEnding ? [...before, ...acknowledged, eventOf('resolved', null, moment)] : before
  const isSameHead = events[0]?.eventId === page.events[0]?.eventId
  return {
    ...page,
    isRinging: false,
    events,
    askedMs: isSameHead ? page.askedMs : null,
    failure: events.length === 0 || page.failure?.isFinal === true ? null : page.failure,
    version: page.version + 1,
  }
}

function eventOf(type: PageEventType, by: string | null, { nowMs, newId }: Moment): PageEvent {
  return { eventId: newId(), type, by, atMs: nowMs }
}

/** To be on disk before the pager is asked: a process that ends then asks with the same event again. */
export function asked(page: Page, { eventId, type }: PageEvent, nowMs: number): Page {
  const { alertIds, deliveries } = page
  const first: PageDelivery = { eventId, type, alertIds, askedMs: nowMs, failures: [], toldMs: null }
  const isFirst = deliveries.every((delivery) => delivery.eventId !== eventId)
  return {
    ...page,
    askedMs: nowMs,
    mayKnow: page.mayKnow || type === 'triggered',
    deliveries: isFirst
      ? [...deliveries, first].slice(-deliveriesMax)
      : // More alerts may have joined the call since the last try.
        delivered(page, eventId, (before) => ({ alertIds: [...new Set([...before.alertIds, ...alertIds])] })),
    version: page.version + 1,
  }
}

function delivered(
  { deliveries }: Page,
  eventId: string,
  change: (delivery: PageDelivery) => Partial<PageDelivery>,
): readonly PageDelivery[] {
  return deliveries.map((delivery) =>
    delivery.eventId === eventId ? { ...delivery, ...change(delivery) } : delivery,
  )
}

/** The pager took this event. */
export function told(page: Page, { eventId, type }: PageEvent, nowMs: number): Page {
  const isResolved = type === 'resolved'
  return {
    ...page,
    events: page.events.filter((event) => event.eventId !== eventId),
    mayKnow: isResolved ? false : page.mayKnow,
    askedMs: null,
    toldMs: type === 'triggered' && page.isRinging ? nowMs : page.toldMs,
    failure: null,
    deliveries: delivered(page, eventId, () => ({ toldMs: nowMs })),
    version: page.version + 1,
  }
}

/**
 * Is it time to leave out an end that the pager does not take? Its answer may be that of a proxy, or of a receiver that is just being
 * restarted, so it is asked for a minute, unless somebody is to be called.
 */
export function isGivenUp({ deliveries, events, failure }: Page, why: string, nowMs: number): boolean {
  const { failures = [] } = deliveries.find(({ eventId }) => eventId === events[0]?.eventId) ?? {}
  const sinceMs = failures.find((before) => before.why === why)?.atMs ?? failure?.sinceMs ?? nowMs
  return nowMs - sinceMs >= endTriesMs || events.some(({ type }) => type === 'triggered')
}

/** The pager does not know (any more) what this event ends. It need not: what follows goes out, and the record says why. */
export function needless(
  page: Page,
  event: PageEvent,
  { why, nowMs }: { readonly why: string; readonly nowMs: number },
): Page {
  const { deliveries } = failed(page, event, { why, isFinal: false, nowMs, waitMs: 0 })
  return { ...told(page, event, nowMs), deliveries }
}

/** The pager did not take this event; the same page if it need not take it any more. */
export function failed(
  page: Page,
  { eventId }: PageEvent,
  failure: Pick<PageFailure, 'why' | 'isFinal'> & { readonly nowMs: number; readonly waitMs: number },
): Page {
  if (page.events[0]?.eventId !== eventId) return page
  const { why, isFinal, nowMs, waitMs } = failure
  const times = (page.failure?.times ?? 0) + 1
  // A clock that was set back since must not hide for how long it has failed.
  const sinceMs = Math.min(page.failure?.sinceMs ?? page.askedMs ?? nowMs, nowMs)
  return unblocked({
    ...page,
    failure: { sinceMs, times, notBeforeMs: nowMs + waitMs, why, isFinal },
    deliveries: delivered(page, eventId, ({ failures }) => {
      const isKnown = failures.length === reasonsMax || failures.some((before) => before.why === why)
      return isKnown ? {} : { failures: [...failures, { atMs: nowMs, why }] }
    }),
    version: page.version + 1,
  })
}
