/** What a form needs to know before it is shown. */
import type { Intent } from '../../domain/intent.ts'
import type { Reply } from '../../domain/reply.ts'
import { hiddenBy } from './mute-terms.ts'
import type { ActLimits, ActPorts } from './scene.ts'

type OpenForm = Omit<Extract<Intent, { kind: 'open_form' }>, 'kind'>

/** Of who may fill it in; the permission is asked for again when it is sent. */
export async function openForm(
  { store, clock }: Pick<ActPorts, 'store' | 'clock'>,
  { form: name, alertId, given }: OpenForm,
  limits: ActLimits,
): Promise<Reply> {
  const [alert = null] = alertId === null ? [] : await store.recallByIds([alertId])
  if (alertId !== null && alert === null) {
    return { kind: 'refused', refusal: { why: 'unknown_alert', alert: alertId } }
  }
  const hostname = alert?.hostname ?? given
  const hidden = { open: 0, lastWeek: 0 }
  const hides =
    name === 'mute_account'
      ? await hiddenBy(null, store, clock.nowMs())
      : name === 'mute_server' && hostname !== null
        ? await hiddenBy([hostname], store, clock.nowMs())
        : hidden
  const isMarker = name === 'add_marker' && alert !== null
  return {
    kind: 'form',
    form: {
      name,
      alert,
      given,
      hidesNow: hides.open,
      hidLastWeek: hides.lastWeek,
      maxMs: name === 'mute_account' ? limits.accountMuteMaxMs : limits.muteMaxMs,
      prefill: isMarker ? `${alert.plugin} on ${alert.serverName}: ${alert.title} (#${alert.alertId})` : '',
    },
  }
}
