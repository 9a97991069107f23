/** Puts the parts of the store together, on whichever database. */
import type { Kysely } from 'kysely'
import type { Store } from '../flow/ports/store.ts'
import { alertStore } from './alert/alerts.ts'
import { outageStore } from './alert/outages.ts'
import { readingStore } from './alert/readings.ts'
import { recallStore } from './alert/recall.ts'
import { report, unrest } from './alert/report.ts'
import { happened, openedAlerts } from './alert/rules.ts'
import { timelineFacts } from './alert/timeline.ts'
import { cardStore } from './card/cards.ts'
import { letGoStore } from './card/let-go.ts'
import { pictureStore } from './card/pictures.ts'
import { placeStore } from './card/places.ts'
import { stormStore } from './card/storms.ts'
import { lateNotes } from './late-notes.ts'
import { markerStore } from './mute/markers.ts'
import { muteStore } from './mute/mutes.ts'
import { plannedStore } from './mute/planned.ts'
import type { Tables } from './open/schema.ts'
import { pageStore } from './page/pages.ts'
import { prune } from './prune.ts'
import { auditStore } from './records/audit.ts'
import { requestStore } from './records/requests.ts'
import { verdictStore } from './records/verdicts.ts'
import { takeOverStore } from './take-over.ts'

/** `db` is migrated, and its dialect carries its words (`sqlOf`). */
export function assembleStore(db: Kysely<Tables>): Store {
  return {
    ...recallStore(db),
    ...cardStore(db),
    ...stormStore(db),
    ...outageStore(db),
    ...pictureStore(db),
    ...muteStore(db),
    ...plannedStore(db),
    ...alertStore(db),
    ...readingStore(db),
    ...placeStore(db),
    ...letGoStore(db),
    ...auditStore(db),
    ...markerStore(db),
    ...pageStore(db),
    ...requestStore(db),
    ...verdictStore(db),
    ...lateNotes(db),
    ...takeOverStore(db),
    report: (fromMs, toMs, startsMs) => report(db, fromMs, toMs, startsMs),
    unrest: (sinceMs) => unrest(db, sinceMs),
    happened: (fromMs, toMs, isBeforeKnown) => happened(db, fromMs, toMs, isBeforeKnown),
    openedAlerts: (fromMs, toMs, limit) => openedAlerts(db, fromMs, toMs, limit),
    timelineFacts: (of) => timelineFacts(db, of),
    prune: (before, batchRows) => prune(db, before, batchRows),
  }
}
