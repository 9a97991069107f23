/** One decision, written in one transaction: either all of it is on disk, or it is stale and nothing is. */
import type { Alert } from './alert/alert.ts'
import type { Note } from './alert/note.ts'
import type { End, Form } from './alert/pairing.ts'
import type { NewCard } from './card/card.ts'
import type { NewPicture } from './delivery/picture.ts'
import type { NewMarker } from './mute/marker.ts'
import type { Mute } from './mute/mute.ts'
import type { Outage } from './outage/outage.ts'
import type { AuditEntry } from './request/audit.ts'

/** What the bot knows about the service and about its own past; one value each. */
export type Facts = {
  /** How the service closes alerts, once that was seen. */
  readonly form: Form | null
  /** Records up to here are history; see `Snapshot` in reconcile.ts. */
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
  /** Alerts that go on a card that is there already, as its newest: a flap does not get a card of its own. */
  readonly folds: readonly { readonly cardId: string; readonly alertId: string }[]
  /**
   * Alerts that join a storm or a summary and a page of it, which are there already, as their last ones, in this order. Stale
   * where the card does not hold `after` alerts: others have joined it, and its pages are not as they were.
   */
  readonly joins: readonly {
    readonly cardId: string
    readonly alertIds: readonly string[]
    readonly after?: number
  }[]
  /** Cards of single alerts that were never shown and go, with their pictures, because a storm takes them; stale where one is being sent. */
  readonly withdrawn: readonly string[]
  /** Alerts whose cards must be shown anew. */
  readonly dirty: readonly string[]
  /** Servers whose open alerts' cards must be shown anew, because a mute of theirs changed; null among them: all. */
  readonly dirtyServers: readonly (string | null)[]
  readonly dirtyCards: readonly string[]
  readonly pictures: readonly NewPicture[]
  readonly mutes: readonly { readonly mute: Mute; readonly was: number | null }[]
  /** Also makes the cards that are there already and tell of a blind time wanted anew. */
  readonly outages: readonly { readonly outage: Outage; readonly was: number | null }[]
  readonly notes: readonly Note[]
  readonly markers: readonly NewMarker[]
  /** An entry whose id is there already replaces it: what was about to be done is settled by what came of it. */
  readonly audit: readonly AuditEntry[]
  /**
   * The state of all mutes that the decision was made on (see `Recalled`); null where it does not matter. A poll that hid
   * an alert because of a mute that has ended meanwhile is stale.
   */
  readonly muteEpoch: number | null
  readonly facts: Partial<Facts>
}

/** A plan that changes nothing, to be spread into one that does. */
export function emptyPlan(atMs: number): Plan {
  return {
    atMs,
    alerts: [],
    keptEnds: [],
    droppedEndIds: [],
    cards: [],
    folds: [],
    joins: [],
    withdrawn: [],
    dirty: [],
    dirtyServers: [],
    dirtyCards: [],
    pictures: [],
    mutes: [],
    outages: [],
    notes: [],
    markers: [],
    audit: [],
    muteEpoch: null,
    facts: {},
  }
}
