/** What the person who asked is told: every reply that handling knows, as a message that only they see. */
import type { Alert } from '../../../domain/alert/alert.ts'
import type { Reply } from '../../../domain/request/reply.ts'
import { escaped } from '../../mrkdwn.ts'
import { command } from '../../vocabulary.ts'
import { type Rendered, said } from '../text/message-parts.ts'
import {
  capital,
  code,
  counted,
  endWords,
  listed,
  name,
  serverName,
  serverOf,
  subjectWords,
} from '../text/phrases.ts'
import { renderAnswer } from './answer.ts'
import { renderFailed } from './failed.ts'
import { renderAccountMuted, renderConfirm, renderMuted } from './receipt.ts'
import { refusalLines } from './refusal.ts'
import { staleLines } from './stale.ts'

const namesShown = 8
const ownWordsCharsMax = 200

type Told<Kind extends Reply['kind']> = Extract<Reply, { kind: Kind }>

/** Null where nothing is said: a form opens instead, or it is a repeat of what was answered already. */
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
    case 'unmuted':
      return said(() => unmutedLines(reply))
    case 'extended':
      return said((when) => [
        `🔕 The mute of ${serverName(reply.mute.hostname)} goes on ${endWords(reply.mute, when)}.`,
      ])
    case 'undone':
      return renderUndone(reply)
    case 'roles_added':
      return said(() => rolesLines(reply))
    case 'marker_added':
      return said(() => [`📍 Marker dropped: ${escaped(reply.text, ownWordsCharsMax)}`])
    case 'acknowledged':
      return said(() => [`👀 You acknowledged ${subjectOf(reply.alert)}. Its card says so to everyone.`])
    case 'all_acknowledged':
      return said(() => allAcknowledgedLines(reply))
    case 'noted':
      return said(() => [
        reply.isTold
          ? `📝 Your note stands in the thread of ${subjectOf(reply.alert)}: ${escaped(reply.text, ownWordsCharsMax)}`
          : `📝 Your note about ${subjectOf(reply.alert)} is kept, but nobody sees it: no message tells of that alert. You wrote: ${escaped(reply.text, ownWordsCharsMax)}`,
      ])
    case 'no_data_set':
      return said(() => [
        `📨 If ${serverName(reply.server)} sends no data, ${code(reply.group)} is notified from now on.`,
      ])
    case 'server_deleted':
      return said(() => [`🗑️ The server ${serverName(reply.server)} is deleted.`])
    case 'metrics_deleted':
      return said(() => [`🗑️ ${counted(reply.names.length, 'custom metric')} deleted: ${named(reply.names)}.`])
    case 'cancelled':
      return said(() => ['Cancelled. Nothing changed.'])
    case 'refused':
      return said((when) => refusalLines(reply.refusal, when))
    case 'stale':
      return said((when) => staleLines(reply.changed, reply.nowMs, when))
    case 'failed':
      return renderFailed(reply)
    case 'broken':
      return said(() => brokenLines(reply))
  }
}

function unmutedLines({ server, isSure, several, wasMuted }: Told<'unmuted'>): string[] {
  if (several !== undefined) return unmutedTogether(several, isSure)
  if (wasMuted === false) return [`🔔 ${capital(serverName(server))} is not muted. Notifications are on.`]
  if (!isSure) return [`🔔 Unmuting ${serverName(server)}.`, goesOn]
  return server === null
    ? ['🔔 The whole account is unmuted. Servers that have a mute of their own stay muted.']
    : [`🔔 ${serverName(server)} is unmuted: notifications are on again.`]
}

function unmutedTogether(
  { servers, left }: NonNullable<Told<'unmuted'>['several']>,
  isSure: boolean,
): string[] {
  const rest = left.length === 0 ? [] : [`Not muted: ${named(left)}.`]
  const what = `${counted(servers.length, 'server')}: ${named(servers)}`
  return isSure ? [`🔔 Unmuted ${what}.`, ...rest] : [`🔔 Unmuting ${what}.`, goesOn, ...rest]
}

const goesOn =
  'The monitoring API has not confirmed it. monbot goes on until it does; there is nothing for you to do.'

function renderUndone({ server, restored, isSure, several }: Told<'undone'>): Rendered {
  if (several !== undefined) return said(() => undoneLines(several, isSure))
  const what = serverName(server)
  return said((when) => {
    if (restored !== null) return [`↩️ Undone: ${what} is muted as before, ${endWords(restored, when)}.`]
    return isSure
      ? [`↩️ Undone: ${what} is not muted any more.`]
      : [`↩️ Undoing: ${what} is being unmuted.`, goesOn]
  })
}

/** Some may be muted as before; the card that tells of it says which. */
function undoneLines({ servers, left }: NonNullable<Told<'undone'>['several']>, isSure: boolean): string[] {
  return [
    `↩️ ${isSure ? 'Undone' : 'Undoing'}: ${counted(servers.length, 'mute')} taken back: ${named(servers)}.`,
    ...(isSure ? [] : [goesOn]),
    ...(left.length === 0 ? [] : [`Not undone, because they were changed meanwhile: ${named(left)}.`]),
  ]
}

function allAcknowledgedLines({ count, others, later }: Told<'all_acknowledged'>): string[] {
  const missed =
    later === 0
      ? []
      : [
          `${counted(later, 'alert')} came after what you saw: press again to take ${later === 1 ? 'it' : 'them'} too.`,
        ]
  if (count === 0) {
    const who = others === 0 ? 'you acknowledged all that are open' : 'somebody is on all that are open'
    const why = later === 0 ? who : 'what you saw is acknowledged or closed'
    return [`👀 Nothing was left to acknowledge: ${why}. Nothing changed.`, ...missed]
  }
  const rest =
    others === 0 ? '' : ` ${others} ${others === 1 ? 'was' : 'were'} acknowledged by others before.`
  return [`👀 You acknowledged ${counted(count, 'alert')}.${rest} The card says so to everyone.`, ...missed]
}

function rolesLines({ server, roles, created, already }: Told<'roles_added'>): string[] {
  const what = serverName(server)
  const has = (names: readonly string[]) => `the role${names.length === 1 ? '' : 's'} ${named(names)}`
  const had = already.length === 0 ? [] : [`It had ${has(already)} before.`]
  const fresh = roles.filter((role) => !already.includes(role))
  if (fresh.length === 0) return [`🏷️ ${what} has ${has(already)} already. Nothing changed.`]
  const isNew = created.length === 1 ? 'is a new role' : 'are new roles'
  return [
    `🏷️ ${what} now has ${has(fresh)}.`,
    ...(created.length === 0 ? [] : [`${named(created)} ${isNew}: check the spelling.`]),
    ...had,
  ]
}

function brokenLines({ errorId, mayBeDone, isMemory = false }: Told<'broken'>): string[] {
  if (isMemory) return memoryLines(errorId, mayBeDone)
  const look = `Part of it may have been done: look at the card, or at \`${command} status\`, before you try again.`
  return [
    '⚠️ A fault in monbot itself stopped this.',
    ...(mayBeDone ? [look] : []),
    `If you report it, give this id, under which the log has the details: ${code(errorId)}`,
  ]
}

function memoryLines(errorId: string, mayBeDone: boolean): string[] {
  const look = `Part of it may have been done. A mute that was not written down is taken back; the rest shows \`${command} status\`.`
  return [
    '⚠️ monbot cannot read or write its database, and stops.',
    `Tell whoever runs monbot; its log says why and what to mend, under ${code(errorId)}. Ask again once it is back.`,
    ...(mayBeDone ? [look] : []),
  ]
}

function subjectOf(alert: Alert): string {
  return subjectWords(alert.plugin, serverOf(alert))
}

function named(names: readonly string[]): string {
  return listed(names.map(name), namesShown)
}
