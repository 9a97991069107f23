/** The buttons on a refusal: each does what somebody would otherwise have to type. */
import type { Button, KnownBlock } from '@slack/types'
import type { Alert } from '../../../domain/alert/alert.ts'
import { numberOf } from '../../../domain/alert/episode.ts'
import { typedName } from '../../../domain/command/words.ts'
import type { Refusal } from '../../../domain/request/reply.ts'
import { printable } from '../../mrkdwn.ts'
import { command } from '../../vocabulary.ts'
import { plainSubject } from '../text/headline.ts'
import { unmuteButtons } from '../text/list-lines.ts'
import { actionsBlock, askButton, commandButton } from '../text/message-parts.ts'

const alertsShown = 8
/** Slack's limit on a button is 75. */
const labelCharsMax = 60

export function refusalButtons(refusal: Refusal): KnownBlock[] {
  const buttons = buttonsOf(refusal)
  return buttons.length === 0 ? [] : [actionsBlock(buttons)]
}

function buttonsOf(refusal: Refusal): Button[] {
  switch (refusal.why) {
    case 'undo_too_late':
      return refusal.mute === undefined ? mutesButton : unmuteButtons(refusal.mute)
    case 'no_unit': {
      const { meant: text } = refusal
      const label = `${printable(refusal.number, labelCharsMax)}m`
      return text === null ? [] : commandButton(text, { id: 'unit', label, says: label })
    }
    case 'many_alerts':
      return refusal.alerts.slice(0, alertsShown).flatMap((alert, at) => oneOfMany(refusal, alert, at))
    case 'misplaced': {
      const text = refusal.command.replace(`${command} `, '')
      return commandButton(text, { id: 'meant', label: 'Yes', says: 'Yes' })
    }
    default:
      return []
  }
}

/** A button for each alert that was possibly meant, if the command needs nothing but its number. */
function oneOfMany(
  { topic = 'ack', note }: Extract<Refusal, { why: 'many_alerts' }>,
  alert: Alert,
  at: number,
): Button[] {
  const label = printable(plainSubject(alert), labelCharsMax)
  const text = note === undefined ? '' : ` ${note}`
  const value = `${topic} ${typedName(`#${numberOf(alert.alertId)}`)}${text}`
  return commandButton(value, { id: `one${at}`, label, says: label })
}

const mutesButton = askButton({ kind: 'mutes', page: 1 }, { label: 'Mutes' })
