/** Searches Slack's history for a post: whether it is there, and whether it is there twice. */
import { OutsideFailure } from '../../domain/base/failure.ts'
import { isPerson } from '../../domain/card/card.ts'
import {
  afterCheck,
  afterFailedCheck,
  afterFailedTidy,
  afterTidy,
  historyLagMs,
  historySkewMs,
  type Outcome,
  unreadableMaxMs,
} from '../../domain/delivery/delivery.ts'
import { attempt } from '../attempt.ts'
import { within } from '../concurrency/within.ts'
import type { CardJob } from '../ports/card-store.ts'
import type { Leadership } from '../ports/leadership.ts'
import type { Chat, HistorySearch, Logger, SteadyClock } from '../ports/ports.ts'
import type { Store } from '../ports/store.ts'
import { placeOf } from './direct.ts'

/** A long history is read in many calls, each of which may have to wait for its turn. */
const readMaxMs = 5 * 60_000

export type LookUpPorts = {
  store: Pick<Store, 'settle'>
  chat: Pick<Chat, 'direct' | 'find' | 'remove'>
  clock: SteadyClock
  logger: Logger
  leadership: Leadership
  /** Resolves when the history of a channel may be asked for its next part. */
  mayRead: (channel: string) => Promise<void>
}

/** A call that another process made in trust is over by then. */
const callUnderWayMs = 10_000

/** What this process knows of its posts, for searches. */
export type Posts = {
  /** When the posts whose fate is open were begun, by the steady clock. */
  readonly begunMs: Map<string, number>
  /** How far Slack's clock is behind ours, by the last post. */
  slackBehindMs: number
}

/**
 * A search that Slack interrupted, as it does after each part where it shows an app 15 messages a minute: it goes on from there. What it
 * proves is what was there when it began.
 */
type Search = { readonly place: HistorySearch; readonly begunMs: number }

/** Opens searches of the history. Each returns an outcome only if history reads must pause, else null. */
export function openLookUp({ store, chat, clock, logger, leadership, mayRead }: LookUpPorts, posts: Posts) {
  const { find, forget } = openSearches({ chat, clock, mayRead }, posts)

  async function check(job: CardJob): Promise<Outcome | null> {
    // A clock that was set ahead meanwhile must not shorten the silence, nor one that was set back prolong it.
    const postedMs = begunAtMs(job)
    const agoMs = Math.round(clock.steadyMs() - postedMs)
    try {
      const { found, begunMs } = await find(job, 'one')
      const [ts] = found
      const patch = afterCheck(job, ts ?? null, {
        nowMs: clock.nowMs(),
        agoMs: Math.round(begunMs - postedMs),
      })
      await store.settle(job.cardId, patch, 'unknown')
      if (patch.state === undefined) return null
      posts.begunMs.delete(job.cardId)
      logger.info('card:checked', { cardId: job.cardId, found: ts ?? null })
    } catch (error) {
      if (!(error instanceof OutsideFailure)) throw error
      const patch = afterFailedCheck(job, error, { nowMs: clock.nowMs(), agoMs })
      await store.settle(job.cardId, patch, 'unknown')
      if (patch.state !== undefined) {
        posts.begunMs.delete(job.cardId)
        forget(job.cardId)
      }
      // Posted again without proof: it may be there twice, until the copy is found.
      const isGivenUp = patch.state === 'wanted'
      logger.warn('card:unchecked', { cardId: job.cardId, why: error.message, isGivenUp })
      return heldBy(job, error)
    }
    return null
  }

  /**
   * When its post was begun; of one that another process began, only the stored time can say. Where that led on another machine,
   * with another clock, it may have been just now, and the call may still be under way.
   */
  function begunAtMs({ cardId, sendingMs }: CardJob): number {
    const nowMs = clock.nowMs()
    const storedMs = Math.min(Math.max(0, nowMs - (sendingMs ?? nowMs)), unreadableMaxMs)
    const isElsewhere = leadership.term > 0
    // The memory knows of no post, and may have forgotten one: it is not just under way.
    const agoMs = sendingMs === null ? historyLagMs : isElsewhere ? -callUnderWayMs : storedMs
    const atMs = posts.begunMs.get(cardId) ?? clock.steadyMs() - agoMs
    posts.begunMs.set(cardId, atMs)
    return atMs
  }

  async function tidy(job: CardJob): Promise<Outcome | null> {
    try {
      const { found } = await find(job, 'all')
      const [kept, ...copies] = found
      const channel = copies.length === 0 ? job.channel : await placeOf(chat, job.channel)
      for (const ts of copies) await chat.remove({ channel, ts })
      await store.settle(job.cardId, afterTidy(job, kept ?? null, clock.nowMs()))
      if (copies.length > 0) logger.info('card:tidied', { cardId: job.cardId, deleted: copies.length })
    } catch (error) {
      if (!(error instanceof OutsideFailure)) throw error
      const patch = afterFailedTidy(job, clock.nowMs())
      if (patch.tidyMs === null) forget(job.cardId)
      await store.settle(job.cardId, patch)
      logger.warn('card:untidied', { cardId: job.cardId, why: error.message })
      return heldBy(job, error)
    }
    return null
  }

  return { check, tidy }
}

/** The searches under way, by card. */
function openSearches(
  { chat, clock, mayRead }: Pick<LookUpPorts, 'chat' | 'clock' | 'mayRead'>,
  posts: Pick<Posts, 'slackBehindMs'>,
) {
  const searches = new Map<string, Search>()

  /** `one`: that it is there is enough, however much of the history is still unread; a search for copies follows where there may be any. */
  async function find(
    job: CardJob,
    wanted: 'one' | 'all',
  ): Promise<{ readonly found: readonly string[]; readonly begunMs: number }> {
    const nowMs = clock.nowMs()
    // Where the clock was set back since, now is nearer to the truth than what was written down.
    const sentMs = Math.min(job.firstSendingMs ?? job.sendingMs ?? nowMs, nowMs)
    const sinceMs = sentMs - posts.slackBehindMs - historySkewMs
    const { parentTs: threadTs, cardId: key } = job
    const channel = await placeOf(chat, job.channel)
    const interrupted = searches.get(key)
    const begunMs = interrupted?.begunMs ?? clock.steadyMs()
    // Of its own: a search that takes too long goes on in the background, until it asks whether it may.
    const place: HistorySearch = { cursor: '', found: [], ...interrupted?.place }
    searches.set(key, { place, begunMs })
    let isLate = false
    const mayGoOn = async () => {
      await mayRead(channel)
      if (isLate) throw new OutsideFailure('unreachable', 'Slack took too long to show a history')
    }
    const reading = attempt(() => chat.find({ channel, threadTs, key, sinceMs }, mayGoOn, place))
    const read = await within(clock, readMaxMs, reading)
    isLate = read === 'late'
    const isEnough = wanted === 'one' && place.found.length > 0
    if (!isEnough) {
      if (read === 'late') throw new OutsideFailure('unreachable', 'Slack took too long to show a history')
      if (!read.ok) throw read.failure
    }
    searches.delete(key)
    const found = read !== 'late' && read.ok ? read.value : [...place.found].sort()
    return { found, begunMs }
  }

  return { find, forget: (cardId: string) => void searches.delete(cardId) }
}

/** What a look that failed means for others: Slack limits them, or refused the token. */
function heldBy(
  { channel }: Pick<CardJob, 'channel'>,
  { kind, code, message: why, retryAfterMs }: OutsideFailure,
): Outcome | null {
  // The scope for direct messages is optional, and no other history needs it.
  if (code === 'missing_scope' && isPerson(channel)) return null
  return kind === 'forbidden' ? { kind: 'no_token', why } : { kind: 'later', why, retryAfterMs }
}
