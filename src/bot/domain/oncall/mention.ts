/**
 * Mentions of whoever is on call. A policy says `oncall`; a card keeps whom that meant when it was made, as `oncall:U123`, so that an
 * edit mentions nobody else. Pure.
 */
import { type OnCall, onCallAt } from './shift.ts'

export const onCallWord = 'oncall'

/** In place of a person, where nobody can be mentioned. */
export const missing = {
  nobody: `${onCallWord}:nobody`,
  unknown: `${onCallWord}:unknown`,
  unfound: `${onCallWord}:unfound`,
} as const

/** Whom `oncall` means now, as a card keeps it. */
export function onCallMention(onCall: OnCall, nowMs: number): string {
  const at = onCallAt(onCall, nowMs)
  if (at.kind !== 'person') return missing[at.kind]
  const { userId } = at.duty.person
  return userId === null ? missing.unfound : `${onCallWord}:${userId}`
}

/** The same mention with whoever is on call now, whoever it meant before. `onCall` absent: nobody is asked for. */
export function calledNow(mention: string | null, onCall: string | undefined): string | null {
  return onCall === undefined
    ? mention
    : (mapped(mention, (name) => (isOnCall(name) ? onCall : name)) ?? null)
}

/** The mention as a policy says it, so that a change of shift is no other mention. */
export function asPolicySays(mention: string | null): string | null {
  return mapped(mention, (name) => (isOnCall(name) ? onCallWord : name))
}

export function asksForOnCall(mention: string | null): boolean {
  return mention?.split(' ').some(isOnCall) ?? false
}

function isOnCall(name: string): boolean {
  return name === onCallWord || name.startsWith(`${onCallWord}:`)
}

function mapped(mention: string | null, by: (name: string) => string): string | null {
  return mention === null ? null : [...new Set(mention.split(' ').map(by))].join(' ')
}
