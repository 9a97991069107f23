/** Every reply to the person who asked, as a message that only they see. */

import type { Button, KnownBlock } from '@slack/types'
import type { Alert } from '../../../domain/alert/alert.ts'
import { numberOf } from '../../../domain/alert/episode.ts'
import { typedName } from '../../../domain/command/words.ts'
import type { Silenced } from '../../../domain/mute/mute.ts'
import type { ChangeKind } from '../../../domain/request/actions.ts'
import type { Answer } from '../../../domain/request/answer.ts'
import type { Refusal, Reply } from '../../../domain/request/reply.ts'
import { escaped, printable } from '../../mrkdwn.ts'
import { actions, command } from '../../vocabulary.ts'
import { actionWords, doneLines } from '../actions/words.ts'
import { plainSubject } from '../text/headline.ts'
import { doubtLines } from '../text/health-words.ts'
import { unmuteButtons } from '../text/list-lines.ts'
import { actionsBlock, askButton, button, commandButton, type Rendered, said } from '../text/message-parts.ts'
import {
  alertThing,
  capital,
  code,
  counted,
  endWords,
  listed,
  mutedThing,
  namesOf,
  onAgain,
  sentence,
  serverName,
  type When,
} from '../text/phrases.ts'
import { answerWords, renderAnswer } from './answer.ts'
import { doneButtons, plannedBlocks, renderConfirmPlanned } from './planned.ts'
import { renderAccountMuted, renderConfirm, renderConfirmSilence, renderMuted } from './receipt.ts'
import { refusalLines } from './refusal.ts'
import { staleButtons, staleLines } from './stale.ts'

type Told<Kind extends Reply['kind']> = Extract<Reply, { kind: Kind }>

/** Null if there is no message: a form opens instead, or it repeats an answered request. */
export function renderReply(reply: Reply): Rendered | null {
  switch (reply.kind) {
    case 'form':
    case 'repeat':
      return null
    case 'answer':
      return renderAnswer(reply.answer)
    case 'muted':
      return renderMuted(reply)
    case 'account_muted':
      return renderAccountMuted(reply)
    case 'confirm':
      return renderConfirm(reply)
    case 'confirm_planned':
      return renderConfirmPlanned(reply)
    case 'confirm_roles':
      return renderOddRoles(reply)
    case 'confirm_silence':
      return renderConfirmSilence(reply)
    case 'unmuted':
      return said((when) => unmutedLines(reply, when), plannedBlocks(reply.planned))
    case 'extended':
      return said((when) => [
        `🔕 The mute of ${mutedThing(reply.mute)} goes on ${endWords(reply.mute, when)}.`,
      ])
    case 'undone':
      return renderUndone(reply)
    case 'done':
      return said((when) => doneLines(reply.act, reply, when), doneButtons(reply))
    case 'cancelled':
      return said(() => ['Cancelled. Nothing changed.'])
    case 'refused':
      return said(
        (when) => [
          ...(reply.health === undefined ? [] : doubtLines(reply.health, when)),
          ...refusalLines(reply.refusal, when),
        ],
        [
          ...refusalButtons(reply.refusal),
          ...plannedBlocks(reply.refusal.why === 'not_muted' ? reply.refusal.planned : []),
        ],
      )
    case 'stale':
      return said((when) => staleLines(reply.changed, reply.nowMs, when), staleButtons(reply.changed))
    case 'failed':
      return renderFailed(reply)
    case 'broken':
      return said(() => brokenLines(reply))
    case 'away':
      return said(() => awayLines(reply))
  }
}

function unmutedLines(reply: Told<'unmuted'>, when: When): string[] {
  const { server, alert, isSure, several, wasMuted } = reply
  const what = alert === undefined ? serverName(server) : alertThing(alert)
  if (several !== undefined)
    return unmutedTogether(several, isSure, silentLines(reply, several.servers, when))
  if (wasMuted === false) return [`🔔 ${capital(serverName(server))} is not muted. Notifications are on.`]
  if (!isSure) return [`🔔 Unmuting ${what}.`, goesOn]
  if (alert !== undefined) return [`🔔 ${what} is unmuted: ${onAgain(reply, when, 'alert')}.`]
  return server === null
    ? ['🔔 The whole account is unmuted. Individually muted servers stay muted.']
    : [`🔔 ${serverName(server)} is unmuted: ${onAgain(reply, when)}.`]
}

function unmutedTogether(
  { servers, left }: NonNullable<Told<'unmuted'>['several']>,
  isSure: boolean,
  silent: readonly string[],
): string[] {
  const rest = left.length === 0 ? [] : [`Not muted: ${namesOf(left)}.`]
  const what = `${counted(servers.length, 'server')}: ${namesOf(servers)}`
  return isSure
    ? [`🔔 Unmuted ${what}.`, ...silent, ...rest]
    : [`🔔 Unmuting ${what}.`, goesOn, ...silent, ...rest]
}

/** Says that notifications stay off, because another mute still covers these servers. */
function silentLines(silenced: Silenced, servers: readonly unknown[], when: When): string[] {
  if (silenced.accountMuted === undefined && silenced.serverMuted === undefined) return []
  return [`${capital(onAgain(silenced, when, servers.length === 1 ? 'it' : 'they'))}.`]
}

const goesOn = "Couldn't confirm it yet; still trying."

function renderUndone(reply: Told<'undone'>): Rendered {
  const { server, alert, restored, isSure, several } = reply
  if (several !== undefined)
    return said((when) => undoneLines(several, isSure, silentLines(reply, several.servers, when)))
  const what = alert === undefined ? serverName(server) : alertThing(alert)
  return said((when) => {
    if (restored !== null) return [`↩️ Undone: ${what} is muted as before, ${endWords(restored, when)}.`]
    return isSure
      ? [`↩️ Undone: ${what} is unmuted.`, ...silentLines(reply, [server], when)]
      : [`↩️ Undoing: ${what} is being unmuted.`, goesOn]
  })
}

/** The outcome of an undo. Some servers may still be muted; the card about that says which. */
function undoneLines(
  { servers, left }: NonNullable<Told<'undone'>['several']>,
  isSure: boolean,
  silent: readonly string[],
): string[] {
  return [
    `↩️ ${isSure ? 'Undone' : 'Undoing'}: ${counted(servers.length, 'mute')} taken back: ${namesOf(servers)}.`,
    ...(isSure ? [] : [goesOn]),
    ...silent,
    ...(left.length === 0 ? [] : [`Not undone, because they were changed meanwhile: ${namesOf(left)}.`]),
  ]
}

function brokenLines({ errorId, mayBeDone, isDatabaseError = false }: Told<'broken'>): string[] {
  if (isDatabaseError) return memoryLines(errorId, mayBeDone)
  const look = `Part of it may have been done: look at the card, or at \`${command} status\`, before you try again.`
  return [
    '⚠️ An error in monbot stopped this.',
    ...(mayBeDone ? [look] : []),
    `If you report it, give this id; the log has the details: ${code(errorId)}`,
  ]
}

function awayLines({ mayBeDone }: Told<'away'>): string[] {
  return mayBeDone
    ? [
        '⚠️ monbot cannot reach its memory; it may have been done.',
        `Look at the card, or at \`${command} status\`, before you try again.`,
      ]
    : ['⚠️ monbot cannot reach its memory; nothing was changed.', 'Try again in a moment.']
}

function memoryLines(errorId: string, mayBeDone: boolean): string[] {
  const look = `Part of it may have been done. A mute that was not written down is taken back; the rest shows \`${command} status\`.`
  return [
    '⚠️ monbot cannot read or write its database, and stops.',
    `Tell whoever runs monbot; its log says why and what to fix, under ${code(errorId)}. Ask again once it is back.`,
    ...(mayBeDone ? [look] : []),
  ]
}

const wordsCharsMax = 300

type Failed = Extract<Reply, { kind: 'failed' }>

/** The monitoring API failed. Offers a retry for what was certainly not done, or does no harm if done twice. */
function renderFailed(reply: Failed): Rendered {
  const { pendingId } = reply
  if (pendingId === undefined) return said(() => failedLines(reply))
  const says = 'Try again: what you asked for'
  const again = button({ actionId: actions.confirm, label: 'Try again', value: pendingId, says })
  return said(() => failedLines(reply), [actionsBlock([again])])
}

/** What did not happen, or what is not known, and what to do next. */
function failedLines({ doing, words, isUnknown, server }: Failed): string[] {
  const why = sentence(escaped(words, wordsCharsMax))
  if (!isChange(doing)) return [`⚠️ Could not ${answerWords[doing].attempt}. ${why}`, 'Try again in a minute.']
  const { attempt, thing, doubt } = actionWords[doing]
  if (isUnknown) {
    const what = thing?.endsWith(' of')
      ? `${thing} ${serverName(server ?? null)}`
      : (thing ?? `this: ${attempt}`)
    return [`⚠️ Couldn't confirm ${what}.`, why, doubt]
  }
  const next = `try again in a minute. \`${command} status\` shows what is wrong.`
  return [`⚠️ Could not ${attempt}. ${why}`, `Nothing changed: ${next}`]
}

function isChange(doing: ChangeKind | Answer['kind']): doing is ChangeKind {
  return Object.hasOwn(actionWords, doing)
}

/** Slack's limit on a button is 75. */
const buttonCharsMax = 60
const rolesShown = 3

/** The question before a role with an odd name is made. */
function renderOddRoles({
  server,
  odd,
  pendingId,
  instead,
}: Extract<Reply, { kind: 'confirm_roles' }>): Rendered {
  const lines = odd.map(({ role, similar }) =>
    similar === null
      ? `${code(role)} would be a new role with an unusual name.`
      : `There is no role ${code(role)}. Did you mean ${code(similar)}?`,
  )
  const names = (roles: readonly string[]) => printable(listed(roles, rolesShown), buttonCharsMax)
  const press = (label: string, actionId: string, value: string) =>
    button({ actionId, label, value, says: `${label}: roles of ${server}` })
  const add = instead === undefined ? [] : [`Add ${names(instead.roles)}`]
  const make = `Create ${names(odd.map(({ role }) => role))}`
  return said(
    () => [
      ...lines,
      `Nothing was added to ${serverName(server)} yet. Roles can only be removed in the monitoring service.`,
    ],
    [
      actionsBlock([
        ...add.map((label) => press(label, `${actions.confirm}:instead`, instead?.pendingId ?? pendingId)),
        press(make, actions.confirm, pendingId),
        press('Cancel', actions.cancel, pendingId),
      ]),
    ],
  )
}

const alertsShown = 8
/** Slack's limit on a button is 75. */
const labelCharsMax = 60

function refusalButtons(refusal: Refusal): KnownBlock[] {
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
