/** One decision, written in one transaction: either all of it is on disk, or it is stale and none of it is. */
import type { Alert, Note } from './alert/alert.ts'
import type { CloseStyle, End } from './alert/end.ts'
import type { GivenVerdict } from './alert/rule.ts'
import type { NewCard } from './card/card.ts'
import type { NewPicture } from './delivery/picture.ts'
import type { NewMarker } from './mute/marker.ts'
import type { Mute } from './mute/mute.ts'
import type { PlannedMute } from './mute/planned.ts'
import type { Subject } from './mute/subject.ts'
import type { Switch } from './mute/switch.ts'
import type { Outage } from './outage/outage.ts'
import type { PageChange } from './page/decide.ts'
import type { AuditEntry } from './request/audit.ts'

/** What the bot knows about the service and about its own past; one value each. */
export type Facts = {
  /** How the service closes alerts, once that was seen. */
  readonly form: CloseStyle | null
  /** Records up to here are history; see `Snapshot` in reconcile.ts. */
  readonly historyMs: number | null
  /** The time of a successful poll, at most a few minutes before the last one; null at a first start. */
  readonly polledMs: number | null
}

export type Plan = {
  /** When it was decided, epoch milliseconds. */
  readonly atMs: number
  /** `was` is the version the decision was made on, null for a new alert. */
  readonly alerts: readonly { readonly alert: Alert; readonly was: number | null }[]
  readonly keptEnds: readonly End[]
  readonly droppedEndIds: readonly string[]
  readonly cards: readonly NewCard[]
  /** Alerts added to an existing card as its newest: a flap does not get a card of its own. */
  readonly folds: readonly { readonly cardId: string; readonly alertId: string }[]
  /**
   * Alerts that join an existing storm or summary and one of its pages, at the end and in this order. Stale if the card does
   * not hold `after` alerts: others have joined it, and its pages have changed.
   */
  readonly joins: readonly {
    readonly cardId: string
    readonly alertIds: readonly string[]
    readonly after?: number
  }[]
  /**
   * Cards of single alerts that were never shown and are removed, with their pictures, because a storm takes them; stale if
   * one is being sent.
   */
  readonly withdrawn: readonly string[]
  /** Alerts whose cards must be updated. */
  readonly dirty: readonly string[]
  /** What changed mutes are about, whose open alerts' cards must be updated; a null entry means all. */
  readonly dirtySubjects: readonly Subject[]
  readonly dirtyCards: readonly string[]
  readonly pictures: readonly NewPicture[]
  readonly mutes: readonly { readonly mute: Mute; readonly was: number | null }[]
  /**
   * What the API is to be told about notifications, one a subject at most; stale if it has changed since version `was`. What is
   * known of requests (asked, in doubt) stays as it is on disk, unless it `isAnswered`: one may have been begun meanwhile.
   */
  readonly switches: readonly {
    readonly next: Switch
    readonly was: number | null
    readonly isAnswered?: true
  }[]
  /** Mutes for later; `next` null: it is planned no more. Stale if it has changed since version `was`, null: it is new. */
  readonly planned: readonly {
    readonly plannedId: string
    readonly next: PlannedMute | null
    readonly was: number | null
  }[]
  /** Also updates the existing cards about an outage. */
  readonly outages: readonly { readonly outage: Outage; readonly was: number | null }[]
  /** `was` is the version the decision was made on, null for a new page. */
  readonly pages: readonly PageChange[]
  readonly notes: readonly Note[]
  /** What people think of alerts, whose cards must be updated; there is no hurry. */
  readonly verdicts: readonly GivenVerdict[]
  readonly markers: readonly NewMarker[]
  /** An entry with an existing id replaces it: the outcome settles what was about to be done. */
  readonly audit: readonly AuditEntry[]
  /**
   * The state of all mutes that the decision was made on (see `Recalled`); null if it does not matter. A poll that hid an
   * alert because of a mute that has since ended is stale. It changes as well where something elsewhere no longer hides an alert.
   */
  readonly muteEpoch: number | null
  readonly facts: Partial<Facts>
  /** What a part keeps for itself in a word or two, by a name that begins with the part's own word; null: no longer. */
  readonly state: readonly { readonly name: string; readonly value: string | null }[]
}

/** A plan that changes nothing, to spread into one that does. */
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
    dirtySubjects: [],
    dirtyCards: [],
    pictures: [],
    mutes: [],
    switches: [],
    planned: [],
    outages: [],
    pages: [],
    notes: [],
    verdicts: [],
    markers: [],
    audit: [],
    muteEpoch: null,
    facts: {},
    state: [],
  }
}
