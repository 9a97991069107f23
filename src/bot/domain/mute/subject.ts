/** What a mute is about: the account, one server, or one trouble. One word names it everywhere, so that any of them is looked up alike. */
import { createHash } from 'node:crypto'
import type { Alert } from '../alert/alert.ts'
import { troubleOf } from '../alert/trouble.ts'

/** Null: the account. Else a hostname, or the name of one trouble (`troubleSubject`). */
export type Subject = string | null

const troublePrefix = 'alert:'

type About = Parameters<typeof troubleOf>[0]

const known = new WeakMap<About, string>()

/** Names the alert's trouble, as `troubleOf` tells it apart. It is stored with alerts and mutes, so it must stay the same. */
export function troubleSubject(alert: About): string {
  const before = known.get(alert)
  if (before !== undefined) return before
  const name = nameOf(troubleOf(alert))
  known.set(alert, name)
  return name
}

/** Names what these matchers match, where that is no alert's trouble. */
export function matchersSubject(matchers: readonly string[]): string {
  return nameOf(JSON.stringify(['matchers', ...matchers.toSorted()]))
}

function nameOf(text: string): string {
  return `${troublePrefix}${createHash('sha256').update(text).digest('hex').slice(0, 32)}`
}

/** May it name a trouble? A hostname may look like one, so whoever looks alerts up by it looks for both. */
export function isTroubleSubject(subject: Subject): boolean {
  return subject?.startsWith(troublePrefix) === true
}

/** What the mutes of these alerts may be about, without the account. */
export function subjectsOver(alerts: readonly (About & Pick<Alert, 'hostname'>)[]): readonly string[] {
  return [...new Set(alerts.flatMap((alert) => [alert.hostname, troubleSubject(alert)]))]
}
