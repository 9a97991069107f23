/** Renders the notice that a mute ends soon: its owner sees what it hides, and extends or ends it. Afterwards it is one line. */
import type { KnownBlock } from '@slack/types'
import type { CardView } from '../../../domain/card/kinds.ts'
import { expiringCard } from '../../../domain/card/thread-cards.ts'
import { type Mute, standingOf } from '../../../domain/mute/mute.ts'
import { actions, stampText } from '../../vocabulary.ts'
import { hiddenWords, oneoffLines, underLines, unmuteValue } from '../text/list-lines.ts'
import {
  actionsBlock,
  button,
  context,
  imageBlock,
  type Rendered,
  said,
  sectionsOf,
  textOf,
} from '../text/message-parts.ts'
import {
  capital,
  endWords,
  inBlocks,
  inText,
  mutedThing,
  onAgain,
  person,
  plainThing,
  reasonWords,
  slackOnly,
  type When,
} from '../text/phrases.ts'

type ExpiringView = CardView<'mute_expiring'>

export function renderMuteExpiring(view: ExpiringView): Rendered {
  const { mute } = view
  // The notice belongs to one deadline: if the mute now has another, the question was answered.
  const isAnswered = mute.state !== 'active' || expiringCard(mute).cardId !== view.stamp.cardId
  if (isAnswered) return said((when) => [afterWords(view, when)])
  return renderQuestion(view)
}

function renderQuestion(view: ExpiringView): Rendered {
  const { mute, picture } = view
  const lines = (when: When) => [
    `⏰ ${person(mute.userId)}, your mute of ${mutedThing(mute)} ends ${whenWords(mute, when)}.`,
    ...underLines(view, 'Open now', when),
    ...oneoffLines(view.oneoffs, when),
  ]
  const rest = (when: When) =>
    `${capital(hiddenWords(view, 'since it began'))} · muted since ${when(mute.startedMs)}${[reasonWords(mute.reason), ...slackOnly(mute)].filter(Boolean).join(' · ')}`
  const plainName = plainThing(mute)
  const blocks: KnownBlock[] = [...sectionsOf(lines(inBlocks)), context(rest(inBlocks))]
  if (picture !== null) blocks.push(imageBlock(picture, `${plainName}: the metric of the newest open alert`))
  const extend = button({
    actionId: actions.extendMute,
    label: 'Extend 1 h',
    value: mute.muteId,
    says: `Extend 1 h: the mute of ${plainName}`,
  })
  const unmute = button({
    actionId: actions.unmuteNow,
    label: 'Unmute now',
    value: unmuteValue(mute),
    says: `Unmute now: ${plainName}`,
  })
  blocks.push(actionsBlock([extend, unmute], stampText({ ...view.stamp, alertId: null })))
  return { text: textOf([...lines(inText), rest(inText)], '\n'), blocks }
}

function whenWords({ mode, untilMs }: Mute, when: When): string {
  if (untilMs === null) return 'soon'
  return mode === 'healthy' ? `${when(untilMs)}, because that is as long as it may last` : when(untilMs)
}

/** What became of the mute, in one line. */
function afterWords(view: ExpiringView, when: When): string {
  const { mute, accountMuted } = view
  const again = onAgain(view, when, mute.alert === null ? 'it' : 'alert')
  const what = mutedThing(mute)
  switch (mute.state === 'ended' && mute.confirmation === 'confirmed' ? 'ended' : standingOf(mute)) {
    case 'asked':
    case 'active':
      return `🔕 The mute of ${what} goes on ${endWords(mute, when)}.`
    case 'ending':
      return `🔔 The mute of ${what} is ending: ${accountMuted === undefined ? 'notifications are being switched on again' : onAgain(view, when)}.`
    case 'ended':
      if (mute.endedBy === 'gone')
        return `🔔 The mute of ${what} is over: the monitoring API does not know it any more.`
      if (mute.endedBy === 'elsewhere')
        return `🔔 The mute of ${what} was ended at the Alertmanager: ${again}.`
      return mute.endedByUserId === null
        ? `🔔 The mute of ${what} has ended: ${again}.`
        : `🔔 ${person(mute.endedByUserId)} ended the mute of ${what}: ${again}.`
  }
}
