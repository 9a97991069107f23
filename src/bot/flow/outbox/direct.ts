/** Cards for a person: they are direct messages, which Slack knows by an id of their own, and which may not be possible. */
import type { OutsideFailure } from '../../domain/base/failure.ts'
import { isPerson } from '../../domain/card/card.ts'
import { changeNotice } from '../../domain/card/thread-cards.ts'
import type { Outcome } from '../../domain/delivery/delivery.ts'
import { emptyPlan } from '../../domain/plan.ts'
import type { AuditEntry } from '../../domain/request/audit.ts'
import type { CardJob } from '../ports/card-store.ts'
import type { Chat, Clock } from '../ports/ports.ts'
import type { Store } from '../ports/store.ts'

/** Where Slack is to be called for a card of this channel. May throw an `OutsideFailure`. */
export async function placeOf(chat: Pick<Chat, 'direct'>, channel: string): Promise<string> {
  return isPerson(channel) ? chat.direct(channel) : channel
}

type Undelivered = Exclude<Outcome, { kind: 'shown' }>

/** What follows for a card from a direct message that could not be opened: nothing was posted. */
export function unopened({ kind, code, message, retryAfterMs }: OutsideFailure): Undelivered {
  const why = code ?? message
  if (kind === 'unreachable' || kind === 'rate_limited') return { kind: 'later', why, retryAfterMs }
  return kind === 'forbidden' && code !== 'missing_scope'
    ? { kind: 'no_token', why }
    : { kind: 'no_person', why }
}

/** A refused channel is a channel's trouble, which somebody may end; where it is a person, this message comes to nobody. */
export function ofPerson({ channel }: Pick<CardJob, 'channel'>, outcome: Outcome): Outcome {
  return outcome.kind === 'channel_unavailable' && isPerson(channel)
    ? { kind: 'no_person', why: outcome.why }
    : outcome
}

/** Says in the thread of the card that a direct message linked to that it reached nobody; once, however often it is tried. */
export async function tellUnreached(
  {
    store,
    clock,
  }: { readonly store: Pick<Store, 'cardById' | 'commit'>; readonly clock: Pick<Clock, 'nowMs'> },
  { cardId, channel: to }: Pick<CardJob, 'cardId' | 'channel'>,
  why: string,
): Promise<void> {
  const card = await store.cardById(cardId)
  const root = card?.subjectId == null ? null : await store.cardById(card.subjectId)
  if (card === null || root === null) return
  const [alertId = null, ...others] = card.alertIds
  const atMs = clock.nowMs()
  const entry: AuditEntry = {
    auditId: `unreached-${cardId}`,
    atMs,
    userId: null,
    via: 'monbot',
    act: 'not_reached',
    hostname: null,
    alertId: others.length === 0 ? alertId : null,
    channel: null,
    outcome: 'failed',
    why,
    detail: { to },
  }
  const place = { channel: root.channel, cardId: root.parentId ?? root.cardId }
  await store.commit({ ...emptyPlan(atMs), audit: [entry], cards: [changeNotice(entry, place)] })
}
