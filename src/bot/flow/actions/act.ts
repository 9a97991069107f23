/** The table of changes, with the module that carries out each. */
import type { Limits } from '../../domain/mute/until.ts'
import { actions, type ChangeKind, type ChangeOf } from '../../domain/request/actions.ts'
import { acknowledge, acknowledgeAll, addNote } from './alert-actions.ts'
import type { Acted, ActionContext, ActPorts } from './context.ts'
import { endSilence } from './end-silence.ts'
import { handTo } from './hand-to.ts'
import { stillOnIt, takeOver, unacknowledge } from './holder.ts'
import { muteAccount, muteServer } from './mute.ts'
import { muteAlert, unmuteAlert } from './mute-alert.ts'
import { cancelPlanned, planMute, skipPlanned } from './plan-mute.ts'
import { postTimeline } from './post-timeline.ts'
import { rateAlert } from './rate-alert.ts'
import { addMarker, addRoles, deleteMetrics, deleteServer, setNoData } from './service-actions.ts'
import { extendMute, undoMute } from './undo.ts'
import { unmuteAccount, unmuteServer, unmuteSeveral } from './unmute.ts'

type Run<Kind extends ChangeKind> = (
  ports: ActPorts,
  context: ActionContext,
  change: ChangeOf<Kind>,
  limits: Limits,
) => Promise<Acted>

const runs: { readonly [Kind in ChangeKind]: Run<Kind> } = {
  mute_server: muteServer,
  unmute_server: (ports, context, change) =>
    change.servers === undefined
      ? unmuteServer(ports, context, change)
      : unmuteSeveral(ports, context, change.servers),
  mute_alert: muteAlert,
  unmute_alert: unmuteAlert,
  mute_account: muteAccount,
  unmute_account: unmuteAccount,
  extend_mute: extendMute,
  undo_mute: undoMute,
  plan_mute: planMute,
  skip_planned: skipPlanned,
  cancel_planned: cancelPlanned,
  add_roles: addRoles,
  add_marker: addMarker,
  acknowledge,
  acknowledge_all: acknowledgeAll,
  take_over: takeOver,
  unacknowledge,
  still_on_it: stillOnIt,
  hand_to: handTo,
  add_note: addNote,
  post_timeline: postTimeline,
  rate_alert: rateAlert,
  set_no_data: setNoData,
  end_silence: endSilence,
  delete_server: deleteServer,
  delete_metrics: deleteMetrics,
}

/** The caller has checked the permission. Refusals by the outside world are in the result; a thrown error is a bug. */
export async function act<Kind extends ChangeKind>(
  ports: ActPorts,
  context: ActionContext,
  { kind, change }: { readonly kind: Kind; readonly change: ChangeOf<Kind> },
  limits: Limits,
): Promise<Acted> {
  const { reply, row } = await runs[kind](ports, context, change, limits)
  const topic = actions[kind].command?.name
  if (reply.kind !== 'refused' || topic === undefined) return { reply, row }
  const { refusal } = reply
  if (refusal.why !== 'invalid' && refusal.why !== 'many_alerts') return { reply, row }
  return { reply: { kind: 'refused', refusal: { ...refusal, topic } }, row }
}
