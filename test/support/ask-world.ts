/** A world for queries: real SQLite, a monitoring API in memory that can be down, and a manual clock. */
import type { Alert } from '../../src/bot/domain/alert/alert.ts'
import { OutsideFailure } from '../../src/bot/domain/base/failure.ts'
import type { BarChart } from '../../src/bot/domain/chart/chart.ts'
import type { Mute } from '../../src/bot/domain/mute/mute.ts'
import { emptyPlan } from '../../src/bot/domain/plan.ts'
import type { Answer } from '../../src/bot/domain/request/answer.ts'
import type { AuditEntry } from '../../src/bot/domain/request/audit.ts'
import type { Ask } from '../../src/bot/domain/request/queries.ts'
import type { Reply } from '../../src/bot/domain/request/reply.ts'
import type { Charts } from '../../src/bot/flow/chart.ts'
import type { Trigger } from '../../src/bot/flow/ports/ports.ts'
import { openAnswers } from '../../src/bot/flow/queries/answers.ts'
import { openServers } from '../../src/bot/flow/servers.ts'
import { bareWorld } from './bare-world.ts'
import { calm } from './delivery-world.ts'

export const away = new OutsideFailure('unreachable', 'the monitoring API could not be reached', {
  code: 'ECONNREFUSED',
})

/** Queries whose answer has the same kind. */
type AnsweredKind = Exclude<Ask['kind'], 'alert_chart'>

export type AskWorld = Awaited<ReturnType<typeof askWorld>>

export async function askWorld(
  setting: {
    roles?: ReadonlyMap<string, readonly string[]>
    triggers?: readonly Trigger[]
    /** So many of the roles, and of the triggers, cannot be read. */
    skipped?: number
    charts?: Partial<Charts>
    zone?: string
  } = {},
) {
  const { roles = new Map(), triggers = [], zone = 'Europe/Berlin' } = setting
  const { clock, store, logger } = await bareWorld()
  const drawn: BarChart[] = []
  let isAway = false
  let isDirectoryAway = false
  const orAway = <T>(value: T): Promise<T> => (isAway ? Promise.reject(away) : Promise.resolve(value))

  const { skipped = 0 } = setting
  const monitor = {
    roles: () => orAway({ roles, skipped }),
    triggers: () => orAway({ triggers, skipped }),
  }
  const answers = openAnswers({
    monitor,
    store,
    clock,
    logger,
    directory: { zoneOf: () => (isDirectoryAway ? Promise.reject(away) : Promise.resolve(zone)) },
    servers: openServers({ monitor, store, clock, logger }),
    charts: {
      metricsOf: () => orAway([]),
      ofMetric: ({ metric }) => orAway({ kind: 'drawn', metric, drawing: null }),
      ofAlert: () => orAway(null),
      ...setting.charts,
    },
    draw: {
      bars: (chart) => {
        drawn.push(chart)
        return Promise.resolve(new Uint8Array([1]))
      },
    },
    health: () => calm(clock.nowMs()),
  })

  return {
    clock,
    store,
    logger,
    /** What was drawn. */
    drawn,
    goAway: () => {
      isAway = true
    },
    loseDirectory: () => {
      isDirectoryAway = true
    },
    /** Remembers these. */
    knows: (what: {
      alerts?: readonly Alert[]
      mutes?: readonly Mute[]
      audit?: readonly AuditEntry[]
    }): Promise<'saved' | 'stale'> =>
      store.commit({
        ...emptyPlan(clock.nowMs()),
        alerts: (what.alerts ?? []).map((alert) => ({ alert, was: null })),
        mutes: (what.mutes ?? []).map((mute) => ({ mute, was: null })),
        audit: what.audit ?? [],
      }),
    asks: (ask: Ask): Promise<Reply> => answers(ask, { userId: 'U1' }),
    /** The answer to it; throws where something else is said. */
    answerTo: async <Kind extends AnsweredKind>(
      ask: Extract<Ask, { kind: Kind }>,
    ): Promise<Extract<Answer, { kind: Kind }>> => {
      const given: Ask = ask
      const reply = await answers(given, { userId: 'U1' })
      const isIt = (answer: Answer): answer is Extract<Answer, { kind: Kind }> => answer.kind === given.kind
      if (reply.kind === 'answer' && isIt(reply.answer)) return reply.answer
      throw new Error(`expected the answer to ${given.kind}, got ${JSON.stringify(reply)}`)
    },
  }
}
