/** The ports that answering a question needs: reading only. */
import type { Answer, Health } from '../../domain/request/answer.ts'
import type { Refusal, Reply } from '../../domain/request/reply.ts'
import type { Charts } from '../chart.ts'
import type { Clock, Directory, Draw, Logger, Monitor } from '../ports/ports.ts'
import type { Store } from '../ports/store.ts'
import type { Servers } from '../servers.ts'

export type AskPorts = {
  readonly monitor: Pick<Monitor, 'roles' | 'triggers'>
  readonly store: Pick<
    Store,
    | 'audit'
    | 'outagesSince'
    | 'countCards'
    | 'countUnshown'
    | 'findAlerts'
    | 'hostnames'
    | 'mutes'
    | 'openAlerts'
    | 'lostAlerts'
    | 'recallByNumbers'
    | 'report'
    | 'unrest'
  >
  readonly clock: Pick<Clock, 'nowMs'>
  readonly logger: Logger
  readonly directory: Pick<Directory, 'zoneOf'>
  readonly servers: Pick<Servers, 'names' | 'book' | 'unread' | 'similar'>
  readonly charts: Charts
  readonly draw: Pick<Draw, 'bars'>
  readonly health: () => Health
}

export function answered(answer: Answer): Reply {
  return { kind: 'answer', answer }
}

export function refused(refusal: Refusal): Reply {
  return { kind: 'refused', refusal }
}
