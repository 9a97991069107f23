/** What distinguishes a repeated request from a new one. Pure. */
import { isChange } from './actions.ts'
import type { Request } from './intent.ts'
import type { Reply } from './reply.ts'

/** Two clicks within this time are a double click; after twice as long they are two requests. */
const doubleClickMs = 5_000

/**
 * Slack's own keys, and those of a click at `atMs`: a double click has two of Slack's keys, but is one click by one person on
 * one version of one card.
 */
export function keysOf(request: Request, atMs: number): readonly string[] {
  return [...request.keys, ...pressKeys(request, atMs)]
}

function pressKeys({ intent, userId, card, via }: Request, atMs: number): readonly string[] {
  // A form is sent once, which its trigger identifies; the next one with the same words is a new request.
  if (card === null || via === 'modal' || !isChange(intent)) return []
  // The whole intent: choosing two times, one after the other, from one select makes two requests.
  return spanKeys(`click:${userId}:${card.cardId}:${card.version}:${JSON.stringify(intent)}`, atMs)
}

/**
 * The keys of an answer to a question. Only one answer can take the question, so these keys stop nobody from answering it:
 * they only distinguish the second half of a double click from somebody who wants to know the outcome.
 */
export function answerKeys(userId: string, pendingId: string, atMs: number): readonly string[] {
  return spanKeys(`answer:${userId}:${pendingId}`, atMs)
}

/** Its own time span and the next: two clicks share a key if their spans are the same or adjacent. */
function spanKeys(click: string, atMs: number): readonly string[] {
  const span = Math.floor(atMs / doubleClickMs)
  return [`${click}:${span}`, `${click}:${span + 1}`]
}

/**
 * Which keys are free again after this reply. What was not done may be requested again; a list, a form or a receipt is not sent
 * twice for one Slack envelope, but the same card's button may be clicked again.
 */
export function freedKeys(reply: Reply, request: Request, atMs: number): readonly string[] {
  switch (reply.kind) {
    case 'refused':
    case 'failed':
    case 'stale':
    case 'broken':
    case 'away':
      return keysOf(request, atMs)
    case 'form':
    case 'confirm':
    case 'confirm_planned':
    case 'confirm_roles':
    case 'confirm_silence':
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
