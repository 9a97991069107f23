/** A world for polls of an API that lists exactly what a test says, page by page. */
import type { AlertRecord } from '../../src/bot/domain/alert/alert.ts'
import { OutsideFailure } from '../../src/bot/domain/base/failure.ts'
import type { Page } from '../../src/bot/flow/ports/ports.ts'
import { pollWorld } from './poll-world.ts'

export const pageRecords = 50

export type ScriptedAsk = { readonly lifecycle: 'start' | 'end' | 'all'; readonly offset: number }

/** `lists`: what is listed now; `keep`: which records of a page survive a filter after paging. */
export async function scriptedWorld(setting: Parameters<typeof pollWorld>[0] = {}) {
  const api = {
    start: [] as readonly AlertRecord[],
    all: [] as readonly AlertRecord[],
    keep: (_sighting: AlertRecord): boolean => true,
    /** Instead of the two lists. */
    page: null as ((ask: ScriptedAsk) => readonly AlertRecord[]) | null,
    failsFrom: Number.POSITIVE_INFINITY,
    asked: [] as ScriptedAsk[],
  }
  const world = await pollWorld({
    ...setting,
    over: () => ({
      alerts: async (ask): Promise<Page> => {
        api.asked.push(ask)
        if (ask.offset >= api.failsFrom) {
          throw new OutsideFailure('unreachable', 'the monitoring API returned HTTP 500')
        }
        const list = ask.lifecycle === 'start' ? api.start : api.all
        const page = api.page?.(ask) ?? list.slice(ask.offset, ask.offset + pageRecords)
        const records = page.filter((one) => api.keep(one))
        return { records, size: records.length, skipped: 0 }
      },
    }),
  })
  /** A record as the API lists it, by the world's clock. */
  const record = (alertId: string, over: Partial<AlertRecord> = {}): AlertRecord => ({
    alertId,
    timeMs: world.clock.nowMs(),
    serverName: over.hostname ?? 'web-2',
    hostname: 'web-2',
    lifecycle: 'start',
    title: 'Load Average met or exceeded 3.00',
    plugin: 'Load Average',
    metric: 'last_minute',
    value: 3.5,
    url: '',
    triggerId: null,
    saidSeverity: null,
    ...over,
  })
  return { ...world, api, record }
}
