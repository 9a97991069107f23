/** Answers read-only queries: reads the store and the monitoring API, and changes nothing. */
import type { Request } from '../../domain/request/intent.ts'
import type { Ask } from '../../domain/request/queries.ts'
import type { Reply } from '../../domain/request/reply.ts'
import { attempt } from '../attempt.ts'
import { chartAlert, chartMetric } from './charts.ts'
import { listAlerts, listAudit, listMutes, listRoles, listTriggers } from './lists.ts'
import { tellFile, tellHandoff, tellReport, tellStatus } from './overviews.ts'
import { type AskPorts, answered } from './query-ports.ts'

/** A failure of the API becomes a reply that says so; a bug is thrown. */
export type Answers = (ask: Ask, request: Pick<Request, 'userId'>) => Promise<Reply>

type Run<Kind extends Ask['kind']> = (
  ask: Extract<Ask, { kind: Kind }>,
  ports: AskPorts,
  userId: string,
) => Promise<Reply>

const runs: { readonly [Kind in Ask['kind']]: Run<Kind> } = {
  help: async ({ topic }) => answered({ kind: 'help', topic }),
  status: (_, ports) => tellStatus(ports),
  oncall: async (_, ports) => answered({ kind: 'oncall', health: ports.health() }),
  alerts: listAlerts,
  mutes: listMutes,
  roles: listRoles,
  triggers: listTriggers,
  handoff: async (ask, ports, userId) =>
    ask.isFile === true
      ? tellFile({ ...ask, zone: await zoneOf(userId, ports) }, ports)
      : tellHandoff(ask, ports),
  report: async (ask, ports, userId) => {
    const zoned = { ...ask, zone: await zoneOf(userId, ports) }
    return ask.isFile === true ? tellFile(zoned, ports) : tellReport(zoned, ports)
  },
  audit: listAudit,
  chart: async (ask, ports, userId) => chartMetric({ ...ask, zone: await zoneOf(userId, ports) }, ports),
  alert_chart: async (ask, ports, userId) => chartAlert({ ...ask, zone: await zoneOf(userId, ports) }, ports),
}

export function openAnswers(ports: AskPorts): Answers {
  return async (ask, { userId }) => {
    const reply = await attempt(() => run(ask.kind, ask, ports, userId))
    if (reply.ok) return reply.value
    const { message: words, kind } = reply.failure
    ports.logger.warn('ask:failed', { ask: ask.kind, kind, why: words })
    const doing = ask.kind === 'alert_chart' ? 'chart' : ask.kind
    return { kind: 'failed', doing, words, isUnknown: false }
  }
}

function run<Kind extends Ask['kind']>(kind: Kind, ...asked: Parameters<Run<Kind>>): Promise<Reply> {
  return runs[kind](...asked)
}

/**
 * The time zone of a chart: the person's own, or UTC if it cannot be looked up. The chart names its zone, so UTC is not
 * misleading.
 */
async function zoneOf(
  userId: string,
  { directory, logger }: Pick<AskPorts, 'directory' | 'logger'>,
): Promise<string> {
  const zone = await attempt(() => directory.zoneOf(userId))
  if (zone.ok) return zone.value
  logger.info('zone:unknown', { userId, why: zone.failure.message })
  return 'Etc/UTC'
}
