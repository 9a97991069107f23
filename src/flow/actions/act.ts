/** Every change and the act that makes it. */
import { topicOf } from '../../domain/command/topic.ts'
import type { Change } from '../../domain/request/intent.ts'
import { acknowledgeAll } from './acknowledge-all.ts'
import { acknowledge, addNote } from './alert-actions.ts'
import { extendMute, undoMute } from './change-mute.ts'
import type { Acted, ActionContext, ActLimits, ActPorts } from './context.ts'
import { deleteMetrics, deleteServer } from './deletions.ts'
import { muteAccount } from './mute-account.ts'
import { muteServer } from './mute-server.ts'
import { addMarker, addRoles, setNoData } from './service-actions.ts'
import { unmuteAccount, unmuteServer } from './unmute.ts'
import { unmuteSeveral } from './unmute-several.ts'

/** The person may. What the world refuses is in the answer; what is thrown is a bug. */
export async function act(
  ports: ActPorts,
  context: ActionContext,
  change: Change,
  limits: ActLimits,
): Promise<Acted> {
  const { reply, row } = await acted(ports, context, change, limits)
  const topic = topicOf[change.kind]
  if (reply.kind !== 'refused' || reply.refusal.why !== 'invalid' || topic === null) return { reply, row }
  return { reply: { kind: 'refused', refusal: { ...reply.refusal, topic } }, row }
}

function acted(ports: ActPorts, context: ActionContext, change: Change, limits: ActLimits): Promise<Acted> {
  switch (change.kind) {
    case 'mute_server':
      return muteServer(ports, context, change, limits)
    case 'unmute_server':
      return change.servers === undefined
        ? unmuteServer(ports, context, change)
        : unmuteSeveral(ports, context, change.servers)
    case 'mute_account':
      return muteAccount(ports, context, change, limits)
    case 'unmute_account':
      return unmuteAccount(ports, context, change)
    case 'extend_mute':
      return extendMute(ports, context, change, limits)
    case 'undo_mute':
      return undoMute(ports, context, change)
    case 'add_roles':
      return addRoles(ports, context, change)
    case 'add_marker':
      return addMarker(ports, context, change)
    case 'acknowledge':
      return acknowledge(ports, context, change)
    case 'acknowledge_all':
      return acknowledgeAll(ports, context, change)
    case 'add_note':
      return addNote(ports, context, change)
    case 'set_no_data':
      return setNoData(ports, context, change)
    case 'delete_server':
      return deleteServer(ports, context, change, limits)
    case 'delete_metrics':
      return deleteMetrics(ports, context, change, limits)
  }
}
