/** Renders a mute's receipt: what the mute hides, before it is confirmed and after it is done. */
import type { KnownBlock } from '@slack/types'
import { numberOf } from '../../../domain/alert/episode.ts'
import { formatDuration } from '../../../domain/base/duration.ts'
import { alertWords, type Before, beforeOf, isByMonbot, type Mute } from '../../../domain/mute/mute.ts'
import type { Difference } from '../../../domain/mute/shown.ts'
import { isShortened } from '../../../domain/mute/wide.ts'
import type { MuteResult, Receipt, Reply } from '../../../domain/request/reply.ts'
import { escaped } from '../../mrkdwn.ts'
import { actions, command } from '../../vocabulary.ts'
import { mutedByWords } from '../text/elsewhere-words.ts'
import { hiddenLines } from '../text/health-words.ts'
import { actionsBlock, button, fitted, type Rendered, type Room, said } from '../text/message-parts.ts'
import {
  capital,
  code,
  counted,
  endWords,
  mutedThing,
  name,
  namesOf,
  person,
  plainThing,
  reasonWords,
  replacedWords,
  sentence,
  serverName,
  slackOnlyWords,
  termsWords,
  type When,
} from '../text/phrases.ts'

const namesInLine = 10
/** For one list of names; two fit into a message, and as many names as can be typed always fit. */
const namesCharsMax = 5_200
const namesLinesMax = 12
/** For mutes that are replaced. */
const linesShown = 8
const failuresShown = 8
const changedShown = 5
const failureCharsMax = 200
const matcherCharsMax = 300
const matchersRoom: Room = { charsMax: 2_500, linesMax: 12, more: (left) => `and ${left} more matchers` }

type Told<Kind extends Reply['kind']> = Extract<Reply, { kind: Kind }>

export function renderMuted({ results, receipt, auditId, health }: Told<'muted'>): Rendered {
  const done = results.flatMap(({ mute, failure }) => (mute !== null && failure === null ? [mute] : []))
  const [mute] = done
  if (mute === undefined) return said(() => notMutedLines(results))
  const what = done.length === 1 ? mutedThing(mute) : `*${done.length} servers*`
  const are = done.length === 1 ? 'is' : 'are'
  const lines = (when: When) => [
    `🔕 ${what} ${are} ${mutedWords(done)} ${endWords(mute, when)}${zoneWords(receipt)}${reasonWords(mute.reason)}`,
    ...unconfirmedLines(done),
    ...(mute.alert === null ? [] : aloneLines(mute)),
    ...(done.length === 1 ? [] : allNames(done.map(({ subject: hostname }) => hostname ?? ''))),
    ...beforeLines(done, when),
    ...hiddenLines(receipt, health, when),
    ...defaultLines(receipt, mute),
    ...notMutedLines(results),
  ]
  return said(lines, [undoOf(done, auditId)])
}

/** Of an alert's mute: that its neighbours go on, and where it holds. */
function aloneLines(mute: Mute): string[] {
  if (isByMonbot(mute)) return [`Only this alert. ${slackOnlyWords}.`]
  return mute.alert?.matchers === null ? ['Only this alert, also under a new number.'] : []
}

function isUnconfirmed({ confirmation }: Mute): boolean {
  return confirmation === 'waiting'
}

function mutedWords(mutes: readonly Mute[]): string {
  return mutes.every(isUnconfirmed) ? 'muted in Slack' : 'muted'
}

function unconfirmedLines(mutes: readonly Mute[]): string[] {
  const count = mutes.filter(isUnconfirmed).length
  if (count === 0) return []
  const what = mutes.length === 1 ? 'it' : count === mutes.length ? 'them' : `${count} of them`
  return [`The monitoring API has not confirmed ${what} yet; still trying.`]
}

export function renderAccountMuted({ mute, receipt, health }: Told<'account_muted'>): Rendered {
  const lines = (when: When) => [
    `🔕 *The whole account is ${mutedWords([mute])}* ${endWords(mute, when)}${zoneWords(receipt)}${reasonWords(mute.reason)}`,
    ...unconfirmedLines([mute]),
    ...beforeLines([mute], when),
    ...hiddenLines(receipt, health, when),
    'Individually muted servers stay muted.',
  ]
  return said(lines, [undoOf([mute])])
}

export function renderConfirm({ receipt, pendingId, difference, health }: Told<'confirm'>): Rendered {
  const { change, servers } = receipt
  const isAccount = change.kind === 'mute_account'
  const isOne = servers.length === 1 || receipt.alert !== undefined
  const what = isAccount
    ? 'the whole account'
    : receipt.alert !== undefined
      ? name(alertWords(receipt.alert.muted))
      : isOne
        ? (servers.map(name)[0] ?? '')
        : counted(servers.length, 'server')
  const lines = (when: When) => [
    ...(difference === undefined ? [] : [differenceWords(difference, receipt)]),
    `*Mute ${what} ${endWords(receipt, when)}${zoneWords(receipt)}?*${reasonWords(change.reason)}`,
    ...(isAccount || isOne ? [] : allNames(servers)),
    ...othersLines(receipt, when),
    ...hiddenLines(receipt, health, when),
    ...(receipt.isDefaultEnd ? ['No duration given, so this is the default.'] : []),
  ]
  const label = isAccount
    ? 'Mute the account'
    : isOne
      ? 'Mute it'
      : `Mute ${counted(servers.length, 'server')}`
  const confirm = button({
    actionId: actions.confirm,
    label,
    value: pendingId,
    says: isOne ? `${label}: ${what}` : label,
    style: isAccount ? 'danger' : 'primary',
  })
  const cancel = button({
    actionId: actions.cancel,
    label: 'Cancel',
    value: pendingId,
    says: 'Cancel: mute nothing',
  })
  return said(lines, [actionsBlock([confirm, cancel])])
}

/** The question before a silence is ended: what it matches, and how many alerts it hides. */
export function renderConfirmSilence({ silence, pendingId, isChanged }: Told<'confirm_silence'>): Rendered {
  const { matchers, hides } = silence
  const shownMatchers = matchers.map((one) => code(one, matcherCharsMax))
  const lines = (when: When) => [
    ...(isChanged ? ['⚠️ Changed since you were asked. Nothing was ended.'] : []),
    `*End this silence?* ${capital(mutedByWords({ ...silence, kind: 'silence' }, when))}`,
    hides === 0
      ? 'Hides no open alerts.'
      : `Hides ${counted(hides, 'open alert')}: ${hides === 1 ? 'it notifies' : 'they notify'} again, at the Alertmanager as well.`,
    ...fitted(shownMatchers, (one) => one, matchersRoom),
  ]
  const label = 'End the silence'
  return said(lines, [
    actionsBlock([
      button({
        actionId: actions.confirm,
        label,
        value: pendingId,
        says: label,
        style: hides > 1 ? 'danger' : 'primary',
      }),
      button({ actionId: actions.cancel, label: 'Cancel', value: pendingId, says: 'Cancel: end nothing' }),
    ]),
  ])
}

/** The time zone of a typed time, ` (Asia/Tokyo)`; nothing if it is also the channels'. */
function zoneWords({ zone }: Receipt): string {
  return zone === undefined ? '' : ` (${name(zone)})`
}

/** What replaces a question between its confirmation and its outcome. */
export function workingWords(): Rendered {
  return said(() => ['⏳ Working on it…'])
}

/** Below the words of a chart whose picture Slack did not take. */
export function noPictureWords(): Rendered {
  return said(() => ['Slack did not take the picture. Please try again.'])
}

/** `why` is as Slack's refusals are worded. */
export function noFileWords(why: string): Rendered {
  return said(() => [`⚠️ The file was not sent: ${name(why)}. Please try again.`])
}

/** `Changed since you were asked: nothing is open on web-1 and web-2 any more. Nothing was muted.` */
function differenceWords(difference: Difference, { change, open }: Receipt): string {
  const { left, joined, isAllClosed, isNewlyOpen, mutes } = difference
  const isOfCard = change.kind === 'mute_server' && change.servers.some(({ by }) => by === 'card')
  const people = [...new Set(mutes.map(({ userId }) => userId))]
  const words = [
    ...(left.length === 0
      ? []
      : [
          isOfCard
            ? `${namesShort(left)} ${left.length === 1 ? 'has' : 'have'} no open alerts any more`
            : `${namesShort(left)} ${left.length === 1 ? 'is' : 'are'} not known any more`,
        ]),
    ...(joined.length === 0 ? [] : [`${namesShort(joined)} came`]),
    ...(isAllClosed && left.length === 0 ? ['all its open alerts have closed'] : []),
    ...(isNewlyOpen ? [`${counted(open, 'alert')} ${open === 1 ? 'is' : 'are'} open by now`] : []),
    ...people.map((userId) => `${person(userId)} muted`),
  ]
  return `⚠️ Changed since you were asked: ${words.join('; ')}. Nothing was muted.`
}

function namesShort(servers: readonly string[]): string {
  return servers.length > changedShown ? counted(servers.length, 'server') : namesOf(servers, changedShown)
}

function defaultLines({ isDefaultEnd, servers, alert }: Receipt, mute: Mute): string[] {
  if (!isDefaultEnd || mute.untilMs === null) return []
  const length = formatDuration(mute.untilMs - mute.termsMs)
  const [server] = servers
  const id = alert?.muted.about?.alertId
  const example =
    id !== undefined
      ? `#${numberOf(id)}`
      : servers.length === 1 && server !== undefined
        ? name(server)
        : 'web-1'
  return [`No duration given, so ${length}. For another: \`${command} mute ${example} 4h\``]
}

function notMutedLines(results: readonly MuteResult[]): string[] {
  const left = results.filter(({ mute }) => mute === null)
  const doubtful = left.filter((result) => result.left === 'doubtful')
  const failed = left.filter((result) => result.left === undefined)
  const isNothing = left.length === results.length && doubtful.length === 0
  return [
    ...(isNothing ? ['⚠️ Nothing was muted.'] : []),
    ...(doubtful.length === 0
      ? []
      : [`⚠️ May be muted (${doubtful.length}):`, ...failureLines(doubtful), takenBack]),
    ...(failed.length === 0 || isNothing ? [] : [`⚠️ Not muted (${failed.length}):`]),
    ...failureLines(failed),
  ]
}

const takenBack = 'monbot switches their notifications back on until the API confirms it.'

function failureLines(failed: readonly MuteResult[]): string[] {
  const rest = failed.length - failuresShown
  return [
    ...failed
      .slice(0, failuresShown)
      .map(
        ({ hostname, failure }) =>
          `• ${name(hostname)}: ${sentence(escaped(failure ?? 'nothing changed', failureCharsMax))}`,
      ),
    ...(rest > 0 ? [`• and ${rest} more`] : []),
  ]
}

/** All names, because the person who confirms must see them; of a storm's, as many as fit. */
function allNames(servers: readonly string[]): string[] {
  const lines = Array.from({ length: Math.ceil(servers.length / namesInLine) }, (_, at) =>
    servers.slice(at * namesInLine, (at + 1) * namesInLine),
  )
  const lineOf = (names: readonly string[]) => names.map(name).join(', ')
  const moreLines = (left: number) => `and ${servers.length - (lines.length - left) * namesInLine} more`
  return fitted(lines, lineOf, { charsMax: namesCharsMax, linesMax: namesLinesMax, more: moreLines })
}

/** Whose mutes these replaced. */
function beforeLines(mutes: readonly Mute[], when: When): string[] {
  const before = mutes.flatMap(beforeOf)
  const of = (terms: Before) => (mutes.length === 1 ? '' : serverName(terms.hostname))
  return capped(before.map((terms) => `Replaces ${replacedWords(terms, of(terms), when)}`))
}

function othersLines(receipt: Receipt, when: When): string[] {
  const lineOf = (mute: Mute) => {
    const what = capital(mutedThing(mute))
    const sooner = isShortened(mute, receipt) ? ' It would end sooner.' : ''
    return `⚠️ ${what} is muted ${termsWords(mute, when)}.${sooner}`
  }
  return capped(receipt.others.map(lineOf))
}

function capped(lines: readonly string[]): string[] {
  const rest = lines.length - linesShown
  return [...lines.slice(0, linesShown), ...(rest > 0 ? [`and ${rest} more`] : [])]
}

/** The undo button. For several mutes it carries the audit row that lists them. */
function undoOf(mutes: readonly Mute[], auditId?: string): KnownBlock {
  const [mute] = mutes
  const isOne = mutes.length === 1
  const terms = `${mute?.muteId}|${mute?.termsMs}`
  const what = isOne && mute !== undefined ? plainThing(mute) : counted(mutes.length, 'server')
  const label = isOne ? 'Undo (within 1 min)' : 'Undo all (within 1 min)'
  return actionsBlock([
    button({
      actionId: actions.undoMute,
      label,
      value: isOne ? terms : `${terms}|${auditId}`,
      says: `${label}: the mute of ${what}`,
    }),
  ])
}
