/** The direct message to somebody to whom alerts were handed: what, how bad, since when, by whom, and the way to the card. */
import type { ActionsBlock } from '@slack/types'
import { type Alert, isLive } from '../../../domain/alert/alert.ts'
import type { NoticeView } from '../../../domain/card/kinds.ts'
import { heldBy } from '../../../domain/card/reminders.ts'
import { escapedWithin } from '../../mrkdwn.ts'
import { actions, stampText } from '../../vocabulary.ts'
import { headline } from '../text/headline.ts'
import { openLines } from '../text/list-lines.ts'
import {
  actionsBlock,
  button,
  context,
  linkButton,
  type Rendered,
  said,
  section,
  textOf,
} from '../text/message-parts.ts'
import { counted, inBlocks, inText, person, type When } from '../text/phrases.ts'
import { aboutOf } from './alert-actions.ts'

const noteLengthMax = 1_500

type HandedView = NoticeView<'handed'>

export function renderHanded(view: HandedView): Rendered {
  const { alerts, to, entry, isOfList, above } = view
  const held = heldBy(alerts, to)
  const [alert] = held
  if (alert === undefined) return over(view)
  const what = isOfList ? counted(held.length, 'alert') : 'this alert'
  const by = entry === null ? 'This was handed to you' : `${person(entry.userId)} handed you ${what}`
  const note = escapedWithin(entry?.detail.text ?? '', noteLengthMax)
  const some = alert.state === 'open' ? 'Open' : 'Happened once'
  const facts = (when: When) =>
    isOfList ? openLines(held, { none: '', some, when }) : [headline(alert, when)]
  const where = [
    ...(entry === null ? [] : [`handed ${inBlocks(entry.atMs)}`]),
    ...(above === null ? [] : [`in <#${above.channel}>`]),
  ]
  const said = note === '' ? [] : [`“${note}”`]
  return {
    text: textOf([`👋 ${by}`, ...said, ...facts(inText)], '\n'),
    blocks: [
      section([`👋 *${by}*`, ...said].join('\n')),
      section(facts(inBlocks).join('\n')),
      ...(where.length === 0 ? [] : [context(where.join(' · '))]),
      buttonsOf(view, held, alert),
    ],
  }
}

function buttonsOf(
  { stamp, isOfList, above }: HandedView,
  held: readonly Alert[],
  alert: Alert,
): ActionsBlock {
  const about = isOfList ? counted(held.length, 'alert') : aboutOf(alert)
  const url = above?.link
  return actionsBlock(
    [
      ...(url === undefined
        ? []
        : [
            linkButton({
              actionId: actions.open,
              label: 'Open in channel',
              url,
              says: `Open in channel: ${about}`,
            }),
          ]),
      button({ actionId: actions.release, label: 'Hand back', value: 'all', says: `Hand back ${about}` }),
    ],
    stampText({ ...stamp, alertId: isOfList ? null : alert.alertId }),
  )
}

/** What became of them: closed, or somebody else's. */
function over({ alerts, to, entry, isOfList }: HandedView): Rendered {
  const open = alerts.filter(isLive)
  const [alert] = open
  if (alert === undefined) {
    const [last] = alerts
    if (last !== undefined && !isOfList) return said((when) => [headline(last, when)])
    const from = entry === null ? '' : ` that ${person(entry.userId)} handed you`
    return said(() => [`🟢 All ${alerts.length} alerts${from} are over`])
  }
  const what = isOfList ? counted(open.length, 'alert') : ''
  const now = [...new Set(open.map(({ ackedBy }) => ackedBy))]
  const [owner] = now
  const state =
    now.length > 1
      ? '👀 Others have them now'
      : owner == null
        ? `↩️ Not ${person(to)} any more: nobody is on ${isOfList ? 'them' : 'it'} now`
        : `👀 ${person(owner)} has ${isOfList ? 'them' : 'it'} now`
  const lines = (when: When) => (isOfList ? [what] : [headline(alert, when)])
  return said((when) => [state, ...lines(when)])
}
