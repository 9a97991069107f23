/** Answers what only asks: it reads the memory and the monitoring API, and changes nothing. */
import type { Request } from '../../domain/request/intent.ts'
import type { Ask } from '../../domain/request/queries.ts'
import type { Reply } from '../../domain/request/reply.ts'
import { attempt } from '../attempt.ts'
import { chartAlert, chartMetric } from './charts.ts'
import { listAlerts, listAudit, listMutes, listRoles, listTriggers } from './lists.ts'
import { tellHandoff, tellReport, tellStatus } from './overviews.ts'
import { type AskPorts, answered } from './query-ports.ts'
import { zoneFor } from './zone.ts'

/** What the API does not answer becomes a reply that says so; a bug is thrown. */
export type Answers = (ask: Ask, request: Pick<Request, 'userId'>) => Promise<Reply>

export function openAnswers(ports: AskPorts): Answers {
  return async (ask, { userId }) => {
    const reply = await attempt(() => replyTo(ask, userId, ports))
    if (reply.ok) return reply.value
    const { message: words, kind } = reply.failure
    ports.logger.warn('ask:failed', { ask: ask.kind, kind, why: words })
    const doing = ask.kind === 'alert_chart' ? 'chart' : ask.kind
    return { kind: 'failed', doing, words, isUnknown: false }
  }
}

async function replyTo(ask: Ask, userId: string, ports: AskPorts): Promise<Reply> {
  switch (ask.kind) {
    case 'help':
      return answered({ kind: 'help', topic: ask.topic })
    case 'status':
      return tellStatus(ports)
    case 'alerts':
      return listAlerts(ask, ports)
    case 'mutes':
      return listMutes(ask, ports)
    case 'roles':
      return listRoles(ask, ports)
    case 'triggers':
      return listTriggers(ask, ports)
    case 'handoff':
      return tellHandoff(ports)
    case 'report':
      return tellReport({ ms: ask.ms, zone: await zoneFor(userId, ports) }, ports)
    case 'audit':
      return listAudit(ask, ports)
    case 'chart':
      return chartMetric({ ...ask, zone: await zoneFor(userId, ports) }, ports)
    case 'alert_chart':
      return chartAlert({ ...ask, zone: await zoneFor(userId, ports) }, ports)
  }
}
