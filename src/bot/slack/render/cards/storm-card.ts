/** Renders one card for many alerts, which fired at once or were found open: how many, since when, what, and who is on it. */
import type { ActionsBlock, Button, KnownBlock } from '@slack/types'
import type { Alert } from '../../../domain/alert/alert.ts'
import { severities, usualSeverity, worstFirst } from '../../../domain/alert/severity.ts'
import { countsOf } from '../../../domain/base/counts.ts'
import type { CardStamp, CardView } from '../../../domain/card/kinds.ts'
import { placesOf, reasonsOf } from '../../../domain/card/reasons.ts'
import { mutedElsewhere } from '../../../domain/mute/hiding.ts'
import { isOfAccount, isSameTerms, type Mute, muteOf } from '../../../domain/mute/mute.ts'
import { escapedWithin } from '../../mrkdwn.ts'
import { actions, stampText } from '../../vocabulary.ts'
import { elsewhereParts } from '../text/elsewhere-words.ts'
import { marks, openMarks } from '../text/headline.ts'
import { openLines } from '../text/list-lines.ts'
import {
  actionsBlock,
  button,
  context,
  type Rendered,
  section,
  sectionsOf,
  textOf,
} from '../text/message-parts.ts'
import { calledWords } from '../text/on-call-words.ts'
import {
  counted,
  endWords,
  inBlocks,
  inText,
  listed,
  pageWords,
  person,
  reasonWords,
  serverOf,
  type When,
} from '../text/phrases.ts'
import { muteSelect } from './alert-actions.ts'
import { countWords, extremes, frequent, lasting, oneoffWords, renderStormOver } from './storm-over.ts'

const namesShown = 4
/** Up to this many alerts are listed on the card itself. */
const listedMax = 5
const peopleShown = 4
/** After escaping: with this, four lists of names stay below a section's 3,000 characters. */
const nameLengthMax = 60
const titleLengthMax = 100
const titleReasons = 2
const titleReasonLengthMax = 40

type StormView = CardView<'summary' | 'storm'>

export function renderStorm(view: StormView): Rendered {
  const { alerts, mention, mutes } = view
  const open = worstFirst(alerts.filter(({ state }) => state === 'open'))
  if (open.length === 0) return renderStormOver(view)
  const title = stormTitle(view, open)
  // Counted once for blocks and text, because there may be tens of thousands.
  const counts = open.length <= listedMax ? null : countLines(open)
  const oneoffs = oneoffLines(alerts)
  const acked = ackedLine(open)
  const worstOf = (when: When) => (counts === null ? [] : criticalLines(open, when))
  const span = extremes(open.map(({ startedMs }) => startedMs))
  const facts = (when: When) => [
    ...(counts ?? openLines(open, { none: '', some: '', when }).slice(1)),
    ...oneoffs,
  ]
  const state = (when: When) => [acked, ...mutedLines(open, mutes, when), ...elsewhereLines(open, mutes)]
  const called = calledWords(mention)
  const rest = (when: When) =>
    [sinceWords(span, when), ...pageWords(view.page, when), 'all are listed in the thread', ...called].join(
      ' · ',
    )
  const blocks: KnownBlock[] = [
    section(title),
    ...sectionsOf([...worstOf(inBlocks), ...facts(inBlocks)]),
    section(state(inBlocks).join('\n')),
    context(rest(inBlocks)),
    stormActions(view, open),
  ]
  // What matters most comes first: the last parts may be left out for length.
  return {
    text: textOf([title, ...worstOf(inText), ...state(inText), rest(inText), ...facts(inText)], '\n'),
    blocks,
  }
}

/** Without words, because the same line says how many are critical. */
const titleMarks = { ...openMarks, critical: '🚨' } as const

/** The storm's title, for notifications and the Home tab. `open` are its open alerts, critical ones first. */
export function stormTitle(view: Pick<StormView, 'kind' | 'alerts'>, open: readonly Alert[]): string {
  return `${titleMarks[open[0]?.severity ?? usualSeverity]} *${openTitle(view, open)}*`
}

/** `199 × Timeouts on web-∗, app-∗ (199 servers) · 33 critical`: what, where and how many, for a locked phone. */
function openTitle({ kind, alerts }: Pick<StormView, 'kind' | 'alerts'>, open: readonly Alert[]): string {
  const all = lasting(alerts).length
  const reasons = reasonsOf(open, titleReasons)
  const what = reasons.most.map(({ name }) => escapedWithin(name, titleReasonLengthMax) || '(no name)')
  const places = escapedWithin(placesOf(open.map(serverOf)), nameLengthMax)
  const servers = new Set(open.map(({ hostname }) => hostname)).size
  const came = kind === 'storm' ? 'fired at once' : 'found open'
  return [
    `${open.length} × ${what.join(', ')}${reasons.names > what.length ? ', …' : ''} on ${places}${servers === 1 ? '' : ` (${servers} servers)`}`,
    ...severityWords(open),
    ...(open.length < all ? [`${all} ${came}`] : kind === 'storm' ? [] : [came]),
  ].join(' · ')
}

/** `12 critical, 3 info`, `all critical`; nothing if all are warnings. */
function severityWords(open: readonly Alert[]): string[] {
  const by = Map.groupBy(open, ({ severity }) => severity)
  if (by.size < 2) return by.has('critical') ? ['all critical'] : []
  const told = severities.filter((severity) => severity !== usualSeverity)
  return [
    told
      .flatMap((severity) => (by.has(severity) ? `${by.get(severity)?.length} ${severity}` : []))
      .join(', '),
  ]
}

function oneoffLines(alerts: readonly Alert[]): string[] {
  const words = oneoffWords(alerts)
  return words === '' ? [] : [`${marks.oneoff} ${words}`]
}

/** Lists the few critical alerts among many others, because a number does not say what broke. */
function criticalLines(open: readonly Alert[], when: When): string[] {
  const critical = open.filter(({ severity }) => severity === 'critical')
  const isFew = critical.length <= listedMax && critical.length < open.length
  return isFew ? openLines(critical, { none: '', some: '', when }).slice(1) : []
}

/** The most frequent titles, plugins and servers or roles. */
function countLines(open: readonly Alert[]): string[] {
  const plugins = open.map(({ plugin }) => plugin)
  const roles = open.flatMap((alert) => alert.roles)
  return [
    `*What* ${countWords(countsOf(plugins, namesShown), nameLengthMax)}`,
    `*Why* ${countWords(reasonsOf(open, namesShown), titleLengthMax)}`,
    ...(roles.length === 0 ? [] : [`*Roles* ${countWords(countsOf(roles, namesShown), nameLengthMax)}`]),
    ...worstLine(open),
  ]
}

/** `Worst servers web-1 ×3, db-1 ×2 and 38 with one`; nothing where each has one. */
function worstLine(open: readonly Alert[]): string[] {
  const { most, names, repeated } = countsOf(open.map(serverOf), namesShown)
  if (repeated === 0) return []
  const worst = most.filter(({ count }) => count > 1)
  const left = repeated > namesShown ? `and ${repeated - namesShown} more` : ''
  const single = names > repeated ? `and ${names - repeated} with one` : ''
  return [`*Worst servers* ${[frequent(worst, nameLengthMax), left || single].filter(Boolean).join(' ')}`]
}

/** Who is on it. */
export function ackedLine(open: readonly Alert[]): string {
  const owners = open.flatMap(({ ackedBy }) => ackedBy ?? [])
  if (owners.length === 0) return '👀 All unacknowledged'
  const { most, names } = countsOf(owners, Number.POSITIVE_INFINITY)
  const which = owners.length === open.length ? 'All' : `${owners.length} of ${open.length}`
  const who = most.map(({ name, count }) => `${person(name)}${names === 1 ? '' : ` ${count}`}`)
  return `👀 ${which} acknowledged: ${listed(who, peopleShown)}`
}

/** `12 of 340 servers are muted until 15:00 by <@U1> — deploying`, or of the alerts where some are muted alone; nothing where none is. */
function mutedLines(open: readonly Alert[], mutes: readonly Mute[], when: When): string[] {
  if (mutes.length === 0) return []
  const muted = open.map((alert) => ({ alert, mute: muteOf(alert, mutes) }))
  const isAlone = muted.some(({ mute }) => mute !== null && mute.alert !== null)
  const noun = isAlone ? 'alert' : 'server'
  const named = new Map(muted.map((one) => [isAlone ? one.alert.alertId : one.alert.hostname, one.mute]))
  const found = [...named.values()].flatMap((mute) => mute ?? [])
  const [first, ...others] = found
  if (first === undefined) return []
  const account = found.find(isOfAccount)
  if (account !== undefined) {
    return [
      `🔕 The whole account is muted ${endWords(account, when)} by ${person(account.userId)}${reasonWords(account.reason)}`,
    ]
  }
  const which =
    found.length < named.size
      ? `${found.length} of ${counted(named.size, noun)}`
      : named.size === 1
        ? `The ${noun}`
        : `All ${counted(named.size, noun)}`
  const are = `🔕 ${which} ${found.length === 1 ? 'is' : 'are'} muted`
  if (others.every((mute) => isSameTerms(mute, first))) {
    return [`${are} ${endWords(first, when)} by ${person(first.userId)}${reasonWords(first.reason)}`]
  }
  const ends = found.flatMap(({ untilMs }) => untilMs ?? [])
  return [
    `${are}${ends.length === 0 ? '' : `, the first of them until ${when(Math.min(...extremes(ends)))}`}`,
  ]
}

/** `🔕 3 silenced elsewhere, 60 inhibited`; nothing where none is. */
function elsewhereLines(open: readonly Alert[], mutes: readonly Mute[]): string[] {
  const parts = elsewhereParts(mutedElsewhere(open, mutes))
  return parts.length === 0 ? [] : [`🔕 ${parts.join(', ')}`]
}

function sinceWords([firstMs, newestMs]: readonly [number, number], when: When): string {
  const first = when(firstMs)
  // Within one minute, first and last are the same time.
  if (when(newestMs) === first || newestMs - firstMs < 60_000) return `Since ${first}`
  return `Oldest since ${first}, newest since ${when(newestMs)}`
}

/** The buttons that act on all of them at once. */
function stormActions(
  { stamp, alerts }: { readonly stamp: CardStamp; readonly alerts: readonly Alert[] },
  open: readonly Alert[],
): ActionsBlock {
  const value = stamp.cardId
  return actionsBlock(
    [
      ...holdButtons(open, alerts.length),
      muteSelect(actions.muteAll, 'Mute servers…'),
      button({ actionId: actions.handTo, label: 'Hand to…', value, says: 'Hand to…: all open alerts' }),
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

/** The buttons that take over all open alerts of a card, and hand back one's own. `shown`: how many alerts the card has. */
export function holdButtons(open: readonly Alert[], shown: number): Button[] {
  const waiting = open.filter(({ ackedBy }) => ackedBy === null).length
  const of = counted(open.length, 'alert')
  const acknowledge = button({
    actionId: actions.acknowledgeAll,
    label: 'Acknowledge all',
    // Alerts that join the card later come after these.
    value: String(shown),
    says: `Acknowledge all: ${counted(waiting, 'alert')}`,
    style: 'primary',
  })
  const takeOver = { actionId: actions.takeOver, label: 'Take over', value: 'all', says: `Take over ${of}` }
  const release = {
    actionId: actions.release,
    label: 'Hand back',
    value: 'all',
    says: `Hand back those of ${of} that are yours`,
  }
  return [
    ...(waiting > 0 ? [acknowledge] : []),
    ...(waiting < open.length ? [button(takeOver), button(release)] : []),
  ]
}
