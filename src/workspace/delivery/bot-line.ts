/**
 * The line to the bot: takes a payload there and brings its acknowledgement back. Socket Mode and HTTP mode are two of
 * them, and no act here depends on which one it is (slack-facts 4.1, 4.4, 1.5).
 */
import type { Fields } from '../state/fields.ts'
import type { RepeatAsk } from './repeats.ts'

export type PayloadKind = 'events_api' | 'interactive' | 'slash_commands'

/** `detail` is one sentence without an address or a secret; `reason` is what a second try would give as its reason. */
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
