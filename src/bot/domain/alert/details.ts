/** What a service that knows more than the plain API says of an alert (docs/api.md#more-than-the-plain-api). */

import type { Limit } from './reading.ts'

export type Labels = Readonly<Record<string, string>>

/** A link that the alert's author wrote; http or https. */
export type AlertLink = { readonly text: string; readonly url: string }

export type Details = {
  /** At most 40; empty if it has none. */
  readonly labels: Labels
  /** Empty if it has none. */
  readonly description: string
  /** At most 5. */
  readonly links: readonly AlertLink[]
  /** Equal for the same trouble under another number; null if the service does not say. */
  readonly trouble: string | null
  /** Whether the service can mute this alert alone. */
  readonly canMute: boolean
  /** Of its value and its limit; empty if they have none, absent if the service does not say. */
  readonly units?: string
  /** What the rule compares with; absent if the service does not say. */
  readonly limit?: Limit
}

/** Why the monitoring itself notifies nobody of an open alert. Null for what is not known. */
export type MutedBy = {
  readonly kind: 'silence' | 'inhibition'
  /** The silence's name at the service, by which it can be ended. */
  readonly id: string | null
  /** Who made the silence, or which alert inhibits this one: `NodeDown on node-3`. */
  readonly by: string | null
  readonly untilMs: number | null
  readonly why: string | null
  /** Made by the service itself, for one of its clients. */
  readonly isOurs: boolean
}

/**
 * What is known after a record. One that does not name the trouble takes its name not back, and a description that has only other
 * values stays: they change at every evaluation, and each would be an edit of the card.
 */
export function detailsAfter(known: Details | undefined, seen: Details | undefined): Details | undefined {
  if (seen === undefined || known === undefined) return seen ?? known
  const trouble = seen.trouble ?? known.trouble
  const description = isWordedAlike(known.description, seen.description)
    ? known.description
    : seen.description
  return trouble === seen.trouble && description === seen.description
    ? seen
    : { ...seen, trouble, description }
}

/** So near the limit of a description a longer value cuts off another end. */
const cutFromChars = 270
const cutWords = 5

/** By its plain words: whatever holds a digit or a sign is a value or a name, and names are in the labels as well. */
function isWordedAlike(one: string, other: string): boolean {
  if (one === other) return true
  const [some, others] = [plainWordsOf(one), plainWordsOf(other)]
  const isCut = Math.max(one.length, other.length) >= cutFromChars
  const count = isCut ? Math.min(some.length, others.length) - cutWords : Math.max(some.length, others.length)
  return count > 0 && some.slice(0, count).join(' ') === others.slice(0, count).join(' ')
}

function plainWordsOf(text: string): string[] {
  return text.split(/\s+/).filter((word) => /^[('"“]*\p{L}+[.,:;!?)'"”]*$/u.test(word))
}

export function areSameDetails(one: Details | undefined, other: Details | undefined): boolean {
  if (one === other) return true
  if (one === undefined || other === undefined) return false
  return (
    one.trouble === other.trouble &&
    one.canMute === other.canMute &&
    one.description === other.description &&
    one.units === other.units &&
    one.limit?.value === other.limit?.value &&
    one.limit?.side === other.limit?.side &&
    JSON.stringify(one.links) === JSON.stringify(other.links) &&
    areSameLabels(one.labels, other.labels)
  )
}

/** By hand, because thousands are compared at every poll, and their order says nothing. */
function areSameLabels(one: Labels, other: Labels): boolean {
  const names = Object.keys(one)
  if (names.length !== Object.keys(other).length) return false
  return names.every((name) => Object.hasOwn(other, name) && one[name] === other[name])
}

export function areSameMutedBy(
  some: readonly MutedBy[] | undefined,
  others: readonly MutedBy[] | undefined,
): boolean {
  if (some === undefined && others === undefined) return true
  return JSON.stringify(some ?? []) === JSON.stringify(others ?? [])
}
