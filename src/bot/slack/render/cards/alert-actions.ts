/** The buttons of an alert's card. The stamp in the block's id says which card they are on, and which version of it. */
import type { ActionsBlock, Button, Overflow, PlainTextOption, StaticSelect } from '@slack/types'
import type { Alert } from '../../../domain/alert/alert.ts'
import type { CardView } from '../../../domain/card/kinds.ts'
import type { CardLink } from '../../../domain/card/links.ts'
import { isOfAccount, type Mute, mutesHiding } from '../../../domain/mute/mute.ts'
import type { AlertPlace } from '../../../domain/request/answer.ts'
import { muteChoiceWords } from '../../inbound/mute-end.ts'
import { printable, webAddress } from '../../mrkdwn.ts'
import {
  actions,
  alertMuteChoice,
  customMute,
  moreChoices,
  muteChoices,
  stampText,
} from '../../vocabulary.ts'
import { unmuteValue } from '../text/list-lines.ts'
import { actionsBlock, button, linkButton } from '../text/message-parts.ts'
import { plainThing, serverOf } from '../text/phrases.ts'

const moreWords: Record<(typeof moreChoices)[number], string> = {
  hand_to: 'Hand to…',
  add_note: 'Add note…',
  timeline: 'Timeline',
  drop_marker: 'Drop marker…',
  hand_back: 'Hand back',
}

/** An option has 75 characters. */
const serverCharsMax = 50

/** How many links become buttons: with more, a phone would need a third line of buttons. */
export const linkButtonsMax = 2

/** Those that lead to a page, as they were checked before; here once more, as a button hides its address. */
export function openable(links: readonly CardLink[]): readonly CardLink[] {
  return links.filter(({ url }) => webAddress(url) !== null)
}

export function alertActions(view: CardView<'alert'>): ActionsBlock {
  const { alert, mute, stamp, links } = view
  const about = aboutOf(alert)
  const value = alert.alertId
  const chart = button({ actionId: actions.showChart, label: 'Chart', value, says: `Chart of ${about}` })
  return actionsBlock(
    [
      holdButton(alert),
      muteElement(alert, mute),
      // An alert that a plugin made by itself has no metric to draw.
      ...(alert.metric === null ? [] : [chart]),
      ...openable(links)
        .slice(0, linkButtonsMax)
        .map(({ text, url }, n) => {
          return linkButton({
            actionId: `${actions.open}:${n + 1}`,
            label: text,
            url,
            says: `${text}: ${about}`,
          })
        }),
      moreMenu(alert),
    ],
    stampText({ ...stamp, alertId: alert.alertId }),
  )
}

/** The card id in the stamp of a message that is no card. */
const noCard = 'home'

/**
 * The buttons of an alert on the Home tab of `userId`, with a link to its card. Their stamp has a version that was never shown,
 * because a tab may be open for an hour: a click is compared with what is true now.
 */
export function homeActions(
  alert: Alert,
  {
    mutes,
    place,
    url,
    userId,
    shownMs,
  }: {
    readonly mutes: readonly Mute[]
    readonly place: AlertPlace | null
    readonly url: string | null
    readonly userId: string | null
    readonly shownMs: number
  },
): ActionsBlock {
  const own = mutesHiding(alert, mutes).find((mute) => !isOfAccount(mute)) ?? null
  const open = {
    actionId: actions.open,
    label: 'Open in channel',
    says: `Open in channel: ${aboutOf(alert)}`,
  }
  return actionsBlock(
    [
      holdButton(alert, userId),
      muteElement(alert, own),
      ...(url === null ? [] : [linkButton({ ...open, url })]),
    ],
    stampText({ cardId: place?.cardId ?? noCard, version: 0, alertId: alert.alertId }, shownMs),
  )
}

/** What a button is about, for screen readers; not escaped. */
export function aboutOf(alert: Alert): string {
  return `${alert.plugin} on ${serverOf(alert)}`
}

/** A card is everybody's; only on a tab of one's own is it known who would press. */
function holdButton(alert: Alert, userId: string | null = null): Button {
  if (alert.ackedBy === null) return acknowledgeButton(alert)
  const [actionId, label] =
    alert.ackedBy === userId ? [actions.release, 'Hand back'] : [actions.takeOver, 'Take over']
  return button({ actionId, label, value: alert.alertId, says: `${label} ${aboutOf(alert)}` })
}

export function acknowledgeButton(alert: Alert): Button {
  return button({
    actionId: actions.acknowledge,
    label: 'Acknowledge',
    value: alert.alertId,
    says: `Acknowledge ${aboutOf(alert)}`,
    style: 'primary',
  })
}

/**
 * The element that mutes the alert or its server, or unmutes them. A mute of the account cannot be ended here, and the alert and
 * its server can have their own in addition.
 */
function muteElement(alert: Alert, mute: Mute | null): Button | StaticSelect {
  return mute !== null && mute.state === 'active' && mute.subject !== null
    ? unmuteButton(mute, mute.alert === null ? serverOf(alert) : plainThing(mute))
    : muteAlertSelect(alert)
}

function unmuteButton(mute: Mute, what: string): Button {
  return button({
    actionId: actions.unmuteServer,
    label: 'Unmute',
    value: unmuteValue(mute, true),
    says: `Unmute ${what}`,
  })
}

/** The alert alone first, because its server's other alerts are seldom meant; then the server. */
export function muteAlertSelect(alert: Alert): StaticSelect {
  const server = printable(serverOf(alert), serverCharsMax)
  const { options = [], ...select } = muteSelect(actions.muteServer, 'Mute…')
  const own = options.map(({ value = '', text }) =>
    option(alertMuteChoice(value), `This alert: ${text.text}`),
  )
  const whole = options.map(({ value = '', text }) => option(value, `${server}: ${text.text}`))
  return { ...select, options: [...own, ...whole] }
}

/** Durations of a mute, and the form for another end and a reason; `label` is short and ours. */
export function muteSelect(actionId: string, label: string): StaticSelect {
  return {
    type: 'static_select',
    action_id: actionId,
    placeholder: { type: 'plain_text', text: label, emoji: true },
    options: [
      ...muteChoices.map((choice) => option(choice, muteChoiceWords[choice])),
      option(customMute, 'Custom…'),
    ],
  }
}

function moreMenu({ ackedBy }: Alert): Overflow {
  const choices = moreChoices.filter((choice) => choice !== 'hand_back' || ackedBy !== null)
  return {
    type: 'overflow',
    action_id: actions.more,
    options: choices.map((choice) => option(choice, moreWords[choice])),
  }
}

function option(value: string, words: string): PlainTextOption {
  return { text: { type: 'plain_text', text: words, emoji: true }, value }
}
