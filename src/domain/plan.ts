/** One decision, written in one transaction: either all of it is on disk, or it is stale and nothing is. */
import type { Alert } from './alert.ts'
import type { NewCard } from './card.ts'
import type { End, Form } from './correlate.ts'
import type { PictureWay } from './picture.ts'

/** What the bot knows about the service and about its own past; one value each. */
export type Facts = {
  /** How the service closes alerts, once that was seen. */
  readonly form: Form | null
  /** Records up to here are history; see `Look` in reconcile.ts. */
  readonly historyMs: number | null
  /** A poll that went well, at most a few minutes before the last one that did; a first start has none. */
  readonly polledMs: number | null
}

export type Plan = {
  /** When it was decided, epoch milliseconds. */
  readonly atMs: number
  /** `was` is the version the decision was made on, null for an alert that is new. */
  readonly alerts: readonly { readonly alert: Alert; readonly was: number | null }[]
  readonly keptEnds: readonly End[]
  readonly droppedEndIds: readonly string[]
  readonly cards: readonly NewCard[]
  /** Alerts whose cards must be shown anew. */
  readonly touched: readonly string[]
  readonly pictures: readonly { readonly alertId: string; readonly way: PictureWay }[]
  readonly facts: Partial<Facts>
}
