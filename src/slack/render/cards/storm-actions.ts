/** What can be pressed on the card of many alerts, for all of them at once. */
import type { ActionsBlock } from '@slack/types'
import type { Alert } from '../../../domain/alert/alert.ts'
import type { CardStamp } from '../../../domain/card/kinds.ts'
import { stampText } from '../../stamp.ts'
import { actions } from '../../vocabulary.ts'
import { actionsBlock, button } from '../text/message-parts.ts'
import { counted } from '../text/phrases.ts'
import { muteSelect } from './alert-actions.ts'

export function stormActions(
  { stamp, alerts }: { readonly stamp: CardStamp; readonly alerts: readonly Alert[] },
  open: readonly Alert[],
): ActionsBlock {
  const value = stamp.cardId
  const waiting = open.filter(({ ackedBy }) => ackedBy === null).length
  const acknowledge = button({
    actionId: actions.acknowledgeAll,
    label: 'Acknowledge all',
    // What joins the card later comes after these.
    value: String(alerts.length),
    says: `Acknowledge all: ${counted(waiting, 'alert')}`,
    style: 'primary',
  })
  return actionsBlock(
    [
      ...(waiting > 0 ? [acknowledge] : []),
      muteSelect(actions.muteAll, 'Mute servers…'),
      button({
        actionId: actions.dropMarker,
        label: 'Drop marker…',
        value,
        says: 'Drop marker… about these alerts',
      }),
      button({
        actionId: actions.muteAccount,
        label: 'Mute account…',
        value,
        says: 'Mute account…: a form asks for how long and why',
      }),
    ],
    stampText({ ...stamp, alertId: null }),
  )
}
