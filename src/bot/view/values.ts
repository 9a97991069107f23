/** What a button carries: which alert, message or mutes it acts on, and a digest of what it showed. Read by the router. */
import { createHash } from 'node:crypto'
import { z } from 'zod'
import { hidingMutes } from '../decide/hidden.ts'
import type { Alert, Post } from '../world/types.ts'
import type { World } from '../world/world.ts'
import type { Scene } from './scene.ts'

const shape = z.object({
  alert: z.string().exactOptional(),
  post: z.string().exactOptional(),
  mutes: z.array(z.string()).exactOptional(),
  act: z.string().exactOptional(),
  /** What it showed: if that differs by now, somebody must look again. */
  seen: z.string().exactOptional(),
  /** Until when the mutes lasted that it showed. */
  untilMs: z.number().exactOptional(),
  /** A command, or which of several things an option means (`server 30m`, `note`). */
  words: z.string().exactOptional(),
  /** Of a list's alerts those of this kind. */
  kind: z.string().exactOptional(),
  /** What asks first is confirmed once: the key of the request that asked. */
  once: z.string().exactOptional(),
})
export type ButtonValue = Readonly<z.output<typeof shape>>

const valueCharsMax = 2_000
const optionCharsMax = 150

/** Mutes that do not fit are left out: a message of that many carries its act. */
export function buttonValueOf(value: ButtonValue): string {
  const text = JSON.stringify(value)
  if (text.length <= valueCharsMax) return text
  const { mutes: _, ...rest } = value
  return JSON.stringify(rest).slice(0, valueCharsMax)
}

/** The value of an option. The message is known from where it was pressed, and so is the alert of a card. */
export function optionValueOf({ seen, words, alert }: ButtonValue): string {
  const text = JSON.stringify({ seen, words, alert })
  return text.length <= optionCharsMax ? text : JSON.stringify({ seen, words }).slice(0, optionCharsMax)
}

export function readValue(text: string): ButtonValue | null {
  try {
    return shape.parse(JSON.parse(text))
  } catch {
    return null
  }
}

/** Of a message that shows several: what it shows only grows, so a number says what it showed. */
export function listValue({ id, shows }: Post): ButtonValue {
  return { post: id, seen: String(shows.length) }
}

/** Of a button about one alert. */
export function valueFor(alert: Alert, { world, nowMs }: Scene): ButtonValue & { readonly alert: string } {
  return { alert: alert.id, seen: seenOf([alert], world, nowMs) }
}

/** Equal as long as the same people are on the same alerts and the same mutes hide them. */
export function seenOf(alerts: readonly Alert[], world: World, nowMs: number): string {
  const shown = alerts.map((alert) => [
    alert.id,
    alert.closedMs,
    alert.holder,
    alert.round?.count ?? null,
    ...hidingMutes(world, alert, nowMs).map(({ id }) => id),
  ])
  return digest(JSON.stringify(shown), 8)
}

/** The first characters of a hash, which an id may hold. */
export function digest(text: string, chars: number): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, chars)
}
