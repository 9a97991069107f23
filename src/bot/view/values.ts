/** What a button carries: which alert, message or mutes it acts on, and a digest of what it showed. Read by the router. */
import { createHash } from 'node:crypto'
import { z } from 'zod'
import { hidingMutes } from '../decide/hidden.ts'
import type { Alert, Post } from '../world/types.ts'
import type { World } from '../world/world.ts'

/** `words`: a command, or which of several things an option means (`server 30m`, `note`). */
export type ButtonValue = {
  readonly alert?: string
  readonly post?: string
  readonly mutes?: readonly string[]
  readonly act?: string
  readonly seen?: string
  readonly words?: string
  /** Of a list's alerts those of this kind. */
  readonly kind?: string
  /** What asks first is confirmed once: the key of the request that asked. */
  readonly once?: string
}

const valueCharsMax = 2_000
const optionCharsMax = 150

/** One letter a field: an option's value has 150 characters. */
const shape = z
  .object({
    a: z.string(),
    p: z.string(),
    m: z.array(z.string()),
    c: z.string(),
    s: z.string(),
    w: z.string(),
    k: z.string(),
    o: z.string(),
  })
  .partial()

/** Mutes that do not fit are left out: a message of that many carries its act. */
export function buttonValueOf(value: ButtonValue): string {
  const text = written(value)
  if (text.length <= valueCharsMax) return text
  const { mutes: _, ...rest } = value
  return written(rest).slice(0, valueCharsMax)
}

/** The value of an option. The message is known from where it was pressed, and so is the alert of a card. */
export function optionValueOf({ alert, seen, words }: ButtonValue): string {
  const less = { ...(seen === undefined ? {} : { seen }), ...(words === undefined ? {} : { words }) }
  const text = written({ ...less, ...(alert === undefined ? {} : { alert }) })
  return text.length <= optionCharsMax ? text : written(less).slice(0, optionCharsMax)
}

export function readValue(text: string): ButtonValue | null {
  try {
    const { a, p, m, c, s, w, k, o } = shape.parse(JSON.parse(text))
    return {
      ...(a === undefined ? {} : { alert: a }),
      ...(p === undefined ? {} : { post: p }),
      ...(m === undefined ? {} : { mutes: m }),
      ...(c === undefined ? {} : { act: c }),
      ...(s === undefined ? {} : { seen: s }),
      ...(w === undefined ? {} : { words: w }),
      ...(k === undefined ? {} : { kind: k }),
      ...(o === undefined ? {} : { once: o }),
    }
  } catch {
    return null
  }
}

function written({ alert, post, mutes, act, seen, words, kind, once }: ButtonValue): string {
  return JSON.stringify({ a: alert, p: post, m: mutes, c: act, s: seen, w: words, k: kind, o: once })
}

/** Of a message that shows several: what it shows only grows, so a number says what it showed. */
export function listValue({ id, shows }: Post): ButtonValue {
  return { post: id, seen: String(shows.length) }
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
