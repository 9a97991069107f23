/** What reaches people once more: an alert that nobody takes, that came back, that somebody forgot, or that became critical. */
import type { ActionsBlock } from '@slack/types'
import type { Alert } from '../../../domain/alert/alert.ts'
import { formatRoughly } from '../../../domain/base/duration.ts'
import type { CardStamp, NoticeTopic, NoticeView } from '../../../domain/card/kinds.ts'
import { criticalOf, heldSinceMs, staleAcksOf, waitingOf } from '../../../domain/card/reminders.ts'
import { escapedWithin, link } from '../../mrkdwn.ts'
import { actions, stampText } from '../../vocabulary.ts'
import { toldLine } from '../actions/words.ts'
import { renderHandoff } from '../replies/overviews.ts'
import { soonButtons } from '../replies/planned.ts'
import { briefHeadline, headline } from '../text/headline.ts'
import { idOf, openLines } from '../text/list-lines.ts'
import {
  actionsBlock,
  button,
  context,
  type Rendered,
  said,
  section,
  spokenText,
  textOf,
} from '../text/message-parts.ts'
import { calledWords } from '../text/on-call-words.ts'
import { counted, inBlocks, inText, person, type When } from '../text/phrases.ts'
import { aboutOf, acknowledgeButton, muteAlertSelect, muteSelect } from './alert-actions.ts'
import { flapsWords } from './alert-card.ts'
import { renderFile, renderReportNotice } from './file.ts'
import { renderHanded } from './handed.ts'
import { renderDescription } from './thread.ts'

const subjectCharsMax = 1_000
const whyLengthMax = 300

const renderers: { readonly [Topic in NoticeTopic]: (view: NoticeView<Topic>) => Rendered } = {
  became_critical: renderCritical,
  unacknowledged: renderUnacknowledged,
  flap_reminder: renderFlap,
  stale_ack: renderStaleAck,
  handed: renderHanded,
  /** A change that somebody made, in one line: who, what, until when, why. */
  change_notice: ({ entry, isAlone }) =>
    said((when) => [toldLine(entry, when, isAlone ? 'alone' : 'thread')], soonButtons(entry)),
  description: ({ alert }) => renderDescription(alert),
  page_failed: renderPageFailed,
  page_works: ({ sinceMs, untilMs }) =>
    said((when) => [`📟 *Paging works again.* It failed from ${when(sinceMs)} to ${when(untilMs)}.`]),
  file: renderFile,
  report: renderReportNotice,
  handoff: renderHandoffNotice,
}

export function renderNotice<Topic extends NoticeTopic>(view: NoticeView<Topic>): Rendered {
  const render: (view: NoticeView<Topic>) => Rendered = renderers[view.topic]
  return render(view)
}

/** It stands for itself, as the line of the change may come after it. */
function renderHandoffNotice({ handoff }: NoticeView<'handoff'>): Rendered {
  if (handoff === undefined) throw new Error('a handoff without what it hands over')
  const blocks = renderHandoff(handoff, 'posted')
  return { text: spokenText(blocks), blocks }
}

type ReminderView = NoticeView<'unacknowledged'>

function renderUnacknowledged(view: ReminderView): Rendered {
  const [alert] = view.alerts
  return view.isOfList || alert === undefined ? ofList(view) : ofOne(view, alert)
}

function ofOne(view: ReminderView, alert: Alert): Rendered {
  if (waitingOf([alert]).length === 0) return over(alert)
  const called = calledWords(view.mention)
  const recent =
    alert.ackedBefore === null ? '⏰ *Still unacknowledged.*' : '⏰ *Nobody is on this alert any more.*'
  const line = (when: When) =>
    [`${recent} Open since ${when(alert.startedMs)}`, ...earlierWords(alert), ...called].join(' · ')
  return {
    // A notification shows only the beginning.
    text: textOf(
      [
        `⏰ ${alert.ackedBefore === null ? 'Still unacknowledged' : 'Nobody is on it any more'}: ${subjectOf(alert, inText)}`,
        ...called,
        `open since ${inText(alert.startedMs)}`,
      ],
      ' · ',
    ),
    blocks: [
      section(line(inBlocks)),
      context([subjectOf(alert, inBlocks), ...placeWords(view)].join(' · ')),
      actionsOf(view.stamp, alert),
    ],
  }
}

/** A reminder of a list: one button takes all of its alerts, and a command takes one. */
function ofList(view: ReminderView): Rendered {
  const { alerts, mention, stamp } = view
  const waiting = waitingOf(alerts).toSorted((a, b) => b.startedMs - a.startedMs)
  if (waiting.length === 0) return one(`👀 All ${alerts.length} alerts are acknowledged or over`)
  const called = calledWords(mention)
  const some = waiting.every(({ ackedBefore }) => ackedBefore === null)
    ? `⏰ *${counted(waiting.length, 'alert')} still unacknowledged.*`
    : `⏰ *Nobody is on ${counted(waiting.length, 'alert')} any more.*`
  const lines = (when: When) => {
    const [recent = '', ...open] = openLines(waiting, { none: '', some: 'Open', when })
    return [[some, ...called].join(' · '), recent, ...open]
  }
  const next = ['Type `/mon ack` and its number to take one of them', ...placeWords(view)].join(' · ')
  return said(lines, [context(next), actionsOfList(stamp, alerts, waiting)])
}

/** A link to the card, for readers of another channel. */
function placeWords({ above }: ReminderView): string[] {
  if (above === null) return []
  const where = `<#${above.channel}>`
  return [above.link === undefined ? `in ${where}` : `${link(above.link, 'its card')} in ${where}`]
}

function renderFlap(view: NoticeView<'flap_reminder'>): Rendered {
  const { alerts, mention, stamp } = view
  const [alert] = alerts
  if (alert === undefined) throw new Error('a notice of no alert')
  if (waitingOf([alert]).length === 0) return over(alert)
  const flaps = flapsWords({ alert, flaps: view.flaps })
  const called = calledWords(mention)
  const facts = (when: When) => [
    `Open again since ${when(alert.reopenedMs ?? alert.startedMs)}`,
    ...(flaps === null ? [] : [flaps]),
    ...earlierWords(alert),
  ]
  return {
    text: textOf([`🔁 Open again: ${subjectOf(alert, inText)}`, ...called, ...facts(inText)], ' · '),
    blocks: [
      section([`🔁 *Open again, and nobody is on it:* ${subjectOf(alert, inBlocks)}`, ...called].join(' · ')),
      context(facts(inBlocks).join(' · ')),
      actionsOf(stamp, alert),
    ],
  }
}

function renderStaleAck(view: NoticeView<'stale_ack'>): Rendered {
  const { alerts, owner, stamp } = view
  const held = staleAcksOf(alerts, view)
  const [alert] = held
  if (alert === undefined) return answered(view)
  const isOne = alerts.length === 1
  const what = isOne ? 'this alert' : counted(held.length, 'alert')
  const are = held.length === 1 ? 'it is' : 'they are'
  const line = (when: When) =>
    `👀 ${person(owner)}, you have had ${what} since ${when(heldSinceMs(alert))}, and ${are} still open. Still on it?`
  const open = (when: When) =>
    isOne ? [subjectOf(alert, when)] : openLines(held, { none: '', some: 'Open', when })
  const value = alert.alertId
  const about = isOne ? aboutOf(alert) : counted(held.length, 'alert')
  const buttons = [
    {
      actionId: actions.stillOnIt,
      label: 'Still on it',
      value,
      says: `Still on it: ${about}`,
      style: 'primary',
    },
    { actionId: actions.release, label: 'Hand back', value, says: `Hand back ${about}` },
    { actionId: actions.takeOver, label: 'Take over', value, says: `Take over ${about}` },
  ] as const
  const stamped = stampText({ ...stamp, alertId: isOne ? alert.alertId : null })
  return said((when) => [line(when), ...open(when)], [actionsBlock(buttons.map(button), stamped)])
}

function answered({ alerts, owner, askedMs }: NoticeView<'stale_ack'>): Rendered {
  const open = alerts.filter(({ state }) => state === 'open')
  const [alert] = alerts
  if (open.length === 0 && alerts.length === 1 && alert !== undefined) return over(alert)
  if (open.length === 0) return one(`👀 All ${alerts.length} alerts that ${person(owner)} had are over`)
  const isTheirs = open.some((held) => held.ackedBy === owner && heldSinceMs(held) > askedMs)
  if (isTheirs) return one(`👀 ${person(owner)} is still on it`)
  const now = open.flatMap(({ ackedBy }) => ackedBy ?? [])[0]
  return one(
    now === undefined
      ? `↩️ ${person(owner)} had it; nobody is on it now`
      : `👀 ${person(now)} took it over from ${person(owner)}`,
  )
}

/** A reminder that is out of date. It mentions nobody: people were mentioned when it was posted. */
function over(alert: Alert): Rendered {
  if (alert.state !== 'open' || alert.ackedBy === null) return said((when) => [headline(alert, when)])
  const { ackedMs, ackedBefore } = alert
  // Somebody had it before, so this acknowledgement does not show how long the first one took.
  const late =
    ackedMs === null || ackedBefore !== null
      ? ''
      : `, since ${formatRoughly(ackedMs - alert.startedMs)} after it opened`
  // Perhaps it was handed to them.
  return one(`👀 ${person(alert.ackedBy)} has this alert${late}`)
}

function earlierWords({ ackedBefore }: Alert): string[] {
  return ackedBefore === null ? [] : [`previously ${person(ackedBefore)}`]
}

/** The buttons of a message about an alert that nobody has. */
function actionsOf(stamp: CardStamp, alert: Alert): ActionsBlock {
  const stamped = stampText({ ...stamp, alertId: alert.alertId })
  return actionsBlock([acknowledgeButton(alert), muteAlertSelect(alert)], stamped)
}

function actionsOfList(stamp: CardStamp, alerts: readonly Alert[], waiting: readonly Alert[]): ActionsBlock {
  const acknowledge = button({
    actionId: actions.acknowledgeAll,
    label: 'Acknowledge all',
    value: String(alerts.length),
    says: `Acknowledge all: ${counted(waiting.length, 'alert')}`,
    style: 'primary',
  })
  const stamped = stampText({ ...stamp, alertId: null })
  return actionsBlock([acknowledge, muteSelect(actions.muteAll, 'Mute servers…')], stamped)
}

/** The alert without value and age: its card shows the current ones, and here they would become outdated. */
function subjectOf(alert: Alert, when: When): string {
  return `${briefHeadline(alert, { isLinked: when === inBlocks }, subjectCharsMax)} · ${idOf(alert)}`
}

/** People are mentioned here instead, while somebody is needed; an earlier step may have called them. */
function renderPageFailed(view: NoticeView<'page_failed'>): Rendered {
  const { alerts, mention, sinceMs, why } = view
  const waiting = waitingOf(alerts).toSorted((a, b) => b.startedMs - a.startedMs)
  const called = waiting.length === 0 ? [] : calledWords(mention)
  return said((when) => {
    const since = `📟 *Paging fails* since ${when(sinceMs)}: ${escapedWithin(why, whyLengthMax)}`
    const [some = '', ...open] =
      waiting.length === 0 ? [] : openLines(waiting, { none: '', some: 'Unacknowledged', when })
    return [[since, ...called].join(' · '), ...(some === '' ? [] : [some]), ...open]
  })
}

function one(line: string): Rendered {
  return said(() => [line])
}

/**
 * Alerts that became critical while they were open. People are mentioned only while it is critical, because an edit notifies
 * nobody.
 */
function renderCritical({ stamp, alerts, mention }: NoticeView<'became_critical'>): Rendered {
  const critical = criticalOf(alerts)
  const [free] = critical.length === 1 ? waitingOf(critical) : []
  const called = critical.length === 0 ? [] : calledWords(mention)
  const [only, ...others] = alerts
  const lines = (when: When): string[] => {
    if (critical.length === 0) {
      return others.length === 0 && only !== undefined
        ? [headline(only, when)]
        : [`None of the ${counted(alerts.length, 'alert')} that became critical is so any more`]
    }
    const some = critical.length === 1 ? '*Critical now*' : '*These are critical now*'
    const [first = '', ...rest] = openLines(critical, { none: '', some, when })
    return [[first, ...called].join(' '), ...rest]
  }
  return said(lines, free === undefined ? [] : [actionsOf(stamp, free)])
}
