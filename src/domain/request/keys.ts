/** What tells a repeat of a request from a new one. Pure. */
import { isChange } from './actions.ts'
import type { Request } from './intent.ts'
import type { Reply } from './reply.ts'

/** Two clicks within this are a double click; from twice as long on they are two wishes. */
const doubleClickMs = 5_000

/**
 * Slack's own keys, and those of what was pressed at `atMs`: a double click has two keys of Slack's, and is one click on
 * one version of one card by one person.
 */
export function keysOf(request: Request, atMs: number): readonly string[] {
  return [...request.keys, ...pressKeys(request, atMs)]
}

function pressKeys({ intent, userId, card, via }: Request, atMs: number): readonly string[] {
  // A form is sent once, which its trigger tells; the next one with the same words is another wish.
  if (card === null || via === 'modal' || !isChange(intent)) return []
  // The whole intent: one time and then another chosen from one select are two wishes.
  return spanKeys(`click:${userId}:${card.cardId}:${card.version}:${JSON.stringify(intent)}`, atMs)
}

/**
 * Those of an answer to a question. Of two answers one finds the question, so that these keep nobody from answering it:
 * they only tell the second of a double click from somebody who asks what became of it.
 */
export function answerKeys(userId: string, pendingId: string, atMs: number): readonly string[] {
  return spanKeys(`answer:${userId}:${pendingId}`, atMs)
}

/** Its own span of time and the next one: two clicks share a key when their spans are the same or neighbours. */
function spanKeys(click: string, atMs: number): readonly string[] {
  const span = Math.floor(atMs / doubleClickMs)
  return [`${click}:${span}`, `${click}:${span + 1}`]
}

/**
 * Which keys are free again after this reply. What was not done may be asked for again; a list, a form or a receipt is
 * not sent twice for one envelope of Slack's, but may be pressed for again on the same card.
 */
export function freedKeys(reply: Reply, request: Request, atMs: number): readonly string[] {
  switch (reply.kind) {
    case 'refused':
    case 'failed':
    case 'stale':
    case 'broken':
      return keysOf(request, atMs)
    case 'form':
    case 'confirm':
    case 'cancelled':
    case 'answer':
      return pressKeys(request, atMs)
    case 'repeat':
    case 'muted':
    case 'account_muted':
    case 'unmuted':
    case 'extended':
    case 'undone':
    case 'done':
      return []
  }
}
