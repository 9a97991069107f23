/**
 * The interface for deliveries to the bot: sends a payload and returns its acknowledgement. Socket Mode and HTTP mode implement
 * it (docs/slack.md#socket-mode, docs/slack.md#http-mode).
 */
import { z } from 'zod'
import { openOrders } from '../faults/faults.ts'
import type { Fields } from '../state/fields.ts'
import type { Timers } from '../state/timers.ts'

export type PayloadKind = 'events_api' | 'interactive' | 'slash_commands'

/**
 * The result of a delivery. `detail` is one sentence without an address or a secret; `reason` is what a second try would give as
 * its reason.
 */
export type Delivery =
  /** `payload` is undefined where the acknowledgement held nothing. */
  | { readonly kind: 'acked'; readonly payload: unknown }
  /** Sent, and not acknowledged in time. */
  | { readonly kind: 'late'; readonly reason: string; readonly detail: string }
  /** Nobody took it, or what came back was no acknowledgement. `isFinal`: the bot wants no second try. */
  | {
      readonly kind: 'failed'
      readonly reason: string
      readonly detail: string
      readonly isFinal: boolean
    }

export type DeliveryOptions = {
  /** Whether the acknowledgement may hold an answer. */
  readonly acceptsResponse: boolean
  /** Of events: 0 for the first, and why the one before failed. */
  readonly attempt?: { readonly number: number; readonly reason: string }
}

export type BotLine = {
  /** Sends once and waits for the acknowledgement, at most `ackWithinMs`. */
  deliver(kind: PayloadKind, payload: Fields, options: DeliveryOptions): Promise<Delivery>
  /** The next deliveries come twice. */
  redeliver(ask: RepeatAsk): void
  close(): void
}

export const ackWithinMs = 3_000
/** Deliveries under way at once. */
export const underWayMax = 5_000

export const late = 'the bot did not acknowledge within 3 seconds'

/** Deliveries that come twice on command: again with the same id and the same bytes, acknowledged or not (bolt-js #2487). */
export const repeatShape = z.strictObject({
  /** How many; null: all until cleared. */
  times: z.number().int().nonnegative().max(1_000_000).nullable().default(1),
  afterMs: z.number().int().nonnegative().max(86_400_000).default(10_000),
})
export type RepeatAsk = z.input<typeof repeatShape>

export function openRepeats(timers: Timers) {
  const orders = openOrders<z.output<typeof repeatShape>>()
  return {
    set(ask: RepeatAsk): void {
      orders.clear()
      orders.add(repeatShape.parse(ask))
    },
    /** Runs `again` later if this delivery is one that comes twice; counts it. */
    meet(again: () => void): void {
      const order = orders.take()
      if (order !== undefined) timers.after(order.afterMs, again)
    },
  }
}
