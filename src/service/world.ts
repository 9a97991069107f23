/** The service's whole state, passed to the routes. */
import type { AlertLog } from './alerts/alert-log.ts'
import type { Desk } from './alerts/desk.ts'
import type { ScenarioAsk, ScenarioName, ScenarioRun } from './alerts/scenarios.ts'
import type { Generated } from './metrics/generated.ts'
import type { Readings } from './metrics/readings.ts'
import type { SeriesStore } from './metrics/series.ts'
import type { Source } from './own-source.ts'
import type { Push } from './push/otlp.ts'
import type { Taken } from './push/receiver.ts'
import type { Fleet } from './scrape/fleet.ts'
import type { Keys } from './store/keys.ts'
import type { Ledger } from './store/ledger.ts'
import type { MuteSpans } from './store/mute-spans.ts'
import type { Registry } from './store/registry.ts'
import type { Links } from './web/links.ts'

export type World = {
  nowMs(): number
  readonly ledger: Ledger
  readonly keys: Keys
  readonly registry: Registry
  readonly muteSpans: MuteSpans
  readonly generated: Generated
  readonly series: SeriesStore
  readonly readings: Readings
  readonly fleet: Fleet
  /** Accepts an agent's push. */
  push(push: Push): Taken
  readonly source: Source
  readonly log: AlertLog
  readonly desk: Desk
  readonly links: Links
  startScenario(name: ScenarioName, ask: ScenarioAsk): ScenarioRun
}
