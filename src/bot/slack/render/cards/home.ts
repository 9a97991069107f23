/** Renders one person's Home tab: what is open, what is muted, and how monbot is doing. */
import type { Button, KnownBlock } from '@slack/types'
import type { Alert } from '../../../domain/alert/alert.ts'
import { worstFirst } from '../../../domain/alert/severity.ts'
import { hiddenLast, mutedElsewhere } from '../../../domain/mute/hiding.ts'
import { isInForce, isOfAccount } from '../../../domain/mute/mute.ts'
import { comingFirst } from '../../../domain/mute/planned.ts'
import type { AlertPlace, HomeStorm, HomeView } from '../../../domain/request/answer.ts'
import { actions, stampText } from '../../vocabulary.ts'
import { muteBlock } from '../replies/lists.ts'
import { plannedBlock } from '../replies/planned.ts'
import { elsewhereParts, inhibitedLines } from '../text/elsewhere-words.ts'
import {
  isDoubtful,
  lastKnown,
  lastPollWords,
  slackWords,
  troublesOf,
  troubleTitle,
  unknownLines,
} from '../text/health-words.ts'
import { alertCharsMin, alertLine } from '../text/list-lines.ts'
import { actionsBlock, button, context, linkButton, section } from '../text/message-parts.ts'
import { onCallLine } from '../text/on-call-words.ts'
import { counted, mutedParts, sentence } from '../text/phrases.ts'
import { homeActions } from './alert-actions.ts'
import { ackedLine, holdButtons, stormTitle } from './storm-card.ts'

// A view has at most 100 blocks: two for each alert, storm or planned mute, one for each mute, and thirteen others.
const alertsShown = 28
const mutesShown = 19
const plannedShown = 5
const stormsShown = 5

/** The tab of somebody who opens it while the memory is away. */
export const homeWithoutMemory: readonly KnownBlock[] = [
  section('⚠️ *monbot cannot reach its memory; nothing was changed.*'),
  context('This tab shows what is open as soon as monbot can read it again.'),
]

/** The blocks of the tab. `linkTo` gives the address of a message; null if the workspace's address is not known. */
export function renderHome(
  { open, lost = [], places = [], storms = [], mutes, planned = [], health }: HomeView,
  linkTo: (place: Pick<AlertPlace, 'channel' | 'ts'>) => string | null = () => null,
  userId: string | null = null,
): KnownBlock[] {
  const troubles = troublesOf({ ...health, mutes })
  const wellness = troubles.length === 0 ? '🟢 *Monitoring OK' : `⚠️ *${troubleTitle({ ...health, mutes })}`
  const muted = mutes.filter(isInForce).length
  const outside = mutedElsewhere(open, mutes)
  const hidden = [...(muted === 0 ? [] : [`${muted} muted`]), ...elsewhereParts(outside)]
  const account = mutedParts(mutes.filter(isOfAccount))
  const lists = storms.slice(0, stormsShown)
  const isTheirs = ({ ackedBy }: Alert) => ackedBy !== null && ackedBy === userId
  const all = [...hiddenLast(open), ...lost]
  const mine = all.filter(isTheirs)
  const shown = [...mine, ...all.filter((alert) => !isTheirs(alert))].slice(0, alertsShown - lists.length)
  const coming = comingFirst(planned)
  const placeOf = new Map(places.map((place) => [place.alertId, place]))
  const blocksOf = (alert: Alert): KnownBlock[] => {
    const line = section(alertLine(alert, { mutes, charsMax: 2 * alertCharsMin, isCompact: false }))
    const place = placeOf.get(alert.alertId) ?? null
    const url = place === null ? null : linkTo(place)
    return alert.state === 'open'
      ? [line, homeActions(alert, { mutes, place, url, userId, shownMs: health.nowMs })]
      : [line]
  }
  const [own, others] = [shown.filter(isTheirs), shown.filter((alert) => !isTheirs(alert))]
  const alerts = [
    ...(own.length === 0 ? [] : [section(`👀 *Yours (${mine.length})*`)]),
    ...own.flatMap(blocksOf),
    ...(own.length === 0 || others.length === 0 ? [] : [section('*Others*')]),
    ...others.flatMap(blocksOf),
  ]
  return [
    section(
      [
        `${[wellness, ...account].join(' · ')}*`,
        ...onCallLine(health, false),
        ...troubles.map(sentence),
      ].join('\n'),
    ),
    // A time, not an age, because the tab may be open for hours.
    context([lastPollWords(health), slackWords(health)].join(' · ')),
    { type: 'divider' },
    section(
      [openWords(open, isDoubtful(health) || lost.length > 0), ...unknownLines(lost.length)].join('\n'),
    ),
    ...lists.flatMap((storm) => stormBlocks(storm, linkTo(storm), health.nowMs)),
    ...alerts,
    ...more(open.length + lost.length - shown.length, '/mon alerts'),
    { type: 'divider' },
    section(hidden.length === 0 ? '*Nothing is muted.*' : `🔕 *${hidden.join(' · ')}*`),
    ...[...mutes, ...outside.silences].slice(0, mutesShown).map(muteBlock),
    ...more(mutes.length + outside.silences.length - mutesShown, '/mon mutes'),
    ...inhibitedLines(outside).map(context),
    ...coming.slice(0, plannedShown).flatMap(plannedBlock),
    ...more(coming.length - plannedShown, '/mon mutes'),
    { type: 'divider' },
    actionsBlock([
      rareButton(actions.addRoles, 'Add roles…', 'Add roles…: to a server'),
      rareButton(actions.muteAccount, 'Mute account…', 'Mute account…: all alerts of all servers'),
    ]),
    context('Type `/mon help` in any channel to see what you can do, or `/mon status` for this in short.'),
  ]
}

/** A storm, with the buttons of its card. */
function stormBlocks(storm: HomeStorm, url: string | null, shownMs: number): KnownBlock[] {
  const { cardId, channel, count } = storm
  const open = worstFirst(storm.open)
  const title = `${stormTitle({ kind: storm.kind, alerts: open }, open)} in <#${channel}>`
  const link = {
    actionId: actions.open,
    label: 'Open in channel',
    says: 'Open in channel: the list of these alerts',
  }
  return [
    section([title, ackedLine(open)].join('\n')),
    actionsBlock(
      [...holdButtons(open, count), ...(url === null ? [] : [linkButton({ ...link, url })])],
      stampText({ cardId, version: 0, alertId: null }, shownMs),
    ),
  ]
}

/** What is seldom needed, and stands on no card. */
function rareButton(actionId: string, label: string, says: string): Button {
  return button({ actionId, label, value: 'home', says })
}

function openWords(open: readonly Alert[], doubtful: boolean): string {
  const known = doubtful ? lastKnown : ''
  const critical = open.filter(({ severity }) => severity === 'critical').length
  const bad = critical > 0 ? ` · ${critical} critical` : ''
  if (open.length > 0) {
    return `${critical > 0 ? '🚨' : '🔴'} *${counted(open.length, 'open alert')}${known}${bad}*`
  }
  return `${doubtful ? '⚠️' : '🟢'} *No open alerts${known}*`
}

function more(left: number, command: string): KnownBlock[] {
  return left > 0 ? [context(`and ${left} more: \`${command}\``)] : []
}
