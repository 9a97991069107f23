/** Decides when people are told that the pager cannot be told. Pure. */
import { type NewCard, newCard } from '../card/card.ts'
import { calledNow } from '../oncall/mention.ts'
import type { Page } from './page.ts'

/** The pager is in trouble: since when (epoch milliseconds), why, and the channels that were told. */
export type PagerTrouble = {
  readonly sinceMs: number
  readonly why: string
  readonly channels: readonly string[]
}

/** A short trouble is nobody's news. */
export const troubleAfterMs = 2 * 60_000

type Moment = {
  readonly nowMs: number
  readonly worksNow: boolean
  /** Whom `oncall` mentions; undefined where the policy has no calendar. */
  readonly onCall: string | undefined
}

/** The trouble as it is now, and what is said of it; the same object if nothing has changed. */
export function nextTrouble(
  before: PagerTrouble | null,
  pages: readonly Page[],
  { nowMs, worksNow, onCall }: Moment,
): { readonly trouble: PagerTrouble | null; readonly cards: readonly NewCard[] } {
  const failing = pages.filter(({ failure }) => failure !== null && isNews(failure, nowMs))
  const [first] = failing.toSorted((a, b) => (a.failure?.sinceMs ?? 0) - (b.failure?.sinceMs ?? 0))
  if (first?.failure != null) {
    const { sinceMs = first.failure.sinceMs, why = first.failure.why, channels = [] } = before ?? {}
    // That a call is over is no news where nobody waits for one: the next call would find its channel told.
    const calls = failing.filter(({ isRinging }) => isRinging)
    const untold = [...new Set(calls.map(({ channel }) => channel))].filter((one) => !channels.includes(one))
    if (untold.length === 0 && before !== null) return { trouble: before, cards: [] }
    const trouble = { sinceMs, why, channels: [...channels, ...untold] }
    return { trouble, cards: untold.map((channel) => failingCard(trouble, channel, { calls, onCall })) }
  }
  if (before === null || !worksNow || pages.some(({ failure }) => failure !== null))
    return { trouble: before, cards: [] }
  return { trouble: null, cards: before.channels.map((channel) => worksCard(before, channel)) }
}

function isNews({ isFinal, sinceMs }: NonNullable<Page['failure']>, nowMs: number): boolean {
  return isFinal || nowMs - sinceMs >= troubleAfterMs
}

/** One a channel and trouble, however many calls fail. It calls whom the routes mention, or is on call, by now: the pager did not. */
function failingCard(
  { sinceMs, why }: PagerTrouble,
  channel: string,
  { calls, onCall }: { readonly calls: readonly Page[] } & Pick<Moment, 'onCall'>,
): NewCard {
  const here = calls.filter((page) => page.channel === channel)
  const mentioned = [...new Set(here.flatMap(({ mention }) => mention ?? []))].join(' ') || null
  return newCard('notice', `${sinceMs}:${channel}`, {
    topic: 'page_failed',
    channel,
    mention: calledNow(mentioned, onCall),
    alertIds: [...new Set(here.flatMap(({ alertIds }) => alertIds))],
    subjectId: JSON.stringify({ sinceMs, why }),
  })
}

function worksCard({ sinceMs }: PagerTrouble, channel: string): NewCard {
  return newCard('notice', `${sinceMs}:${channel}`, {
    topic: 'page_works',
    channel,
    subjectId: JSON.stringify({ sinceMs }),
  })
}
