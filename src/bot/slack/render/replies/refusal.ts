/** Renders refusals: what was asked, why not, and what to do next. */

import { formatDuration } from '../../../domain/base/duration.ts'
import { typedName } from '../../../domain/command/words.ts'
import { guardOf } from '../../../domain/request/actions.ts'
import type { Refusal, Wanted } from '../../../domain/request/reply.ts'
import { metricsDeletedMax, roleCharsMax, rolesAddedMax } from '../../../domain/request/service-actions.ts'
import { escaped, escapedWithin, printable } from '../../mrkdwn.ts'
import { command } from '../../vocabulary.ts'
import { actionWords } from '../actions/words.ts'
import { headline } from '../text/headline.ts'
import { idOf, muteLine } from '../text/list-lines.ts'
import { fitted, type Room } from '../text/message-parts.ts'
import {
  alertThing,
  capital,
  code,
  eitherOf,
  endWords,
  listed,
  mutedThing,
  name,
  person,
  sentence,
  serverName,
  type When,
} from '../text/phrases.ts'

const shown = 8
const expectedCharsMax = 400
const cameCharsMax = 200
/** What must be typed again must be shown in full; length after escaping. */
const typedAgainLengthMax = 1_700
const noteCharsMax = 200
/** Length after escaping. */
const longNoteLengthMax = 2_500
/** A command to be typed again, with a note or a reason in it. */
const againCharsMax = 400
const lineLengthMax = 500
const wordsCharsMax = 300
const unknownRoom: Room = { charsMax: 6_000, linesMax: 50, more: (left) => `• and ${left} more` }

export function refusalLines(refusal: Refusal, when: When): string[] {
  const lines = linesOf[refusal.why] as (refusal: Refusal, when: When) => string[]
  return lines(refusal, when)
}

const notPersons: Readonly<Record<Of<'not_a_person'>['is'], (who: string) => string>> = {
  bot: (who) => `${who} is an app, and nobody would be on it.`,
  deactivated: (who) => `The account of ${who} is deactivated.`,
  stranger: (who) => `${who} belongs to another workspace, and could not act here.`,
  unknown: (who) => `Slack knows nobody by the id of ${who}.`,
}

type Of<Why extends Refusal['why']> = Extract<Refusal, { why: Why }>

const linesOf: { readonly [Why in Refusal['why']]: (refusal: Of<Why>, when: When) => string[] } = {
  not_permitted: (refusal) => [
    ...notPermitted(refusal),
    ...(refusal.needs === undefined
      ? []
      : ['It hides more than one alert, so this needs the right to mute the whole account.']),
    ...(refusal.gone ?? []).map(
      (group) =>
        `Slack no longer knows the user group ${code(group)}: take it out of the policy file, or name another (\`permissions: ${refusal.needs ?? guardOf(refusal.act)}\`).`,
    ),
  ],
  other_workspace: () => ['🔒 monbot takes requests only from people of its own workspace. Nothing changed.'],
  unknown_card: ({ alert }) => [
    `monbot no longer knows ${alert === undefined ? 'this message' : `the alert of this message, ${code(`#${alert}`)}`}: it is old, was replaced, or its memory was restored. Nothing changed.`,
    `What is open: \`${command} alerts\`. Active mutes: \`${command} mutes\``,
  ],
  not_on_card: () => ['Works only on the card of one alert.'],
  groups_unread: (refusal) => [
    `⚠️ Only members of certain user groups may ${actionWords[refusal.act].may}, and Slack did not say who is in them. ${sentence(escaped(refusal.words, wordsCharsMax))}`,
    'Nothing changed: try again in a minute.',
  ],
  unknown_server: (refusal) => {
    if (refusal.unread != null) return unreadLines(`a server ${code(refusal.server)}`, refusal.unread)
    if (refusal.answer !== undefined)
      return [
        `⚠️ The monitoring API says that it does not know ${code(refusal.server)}, although monbot does, from an alert or a role.`,
        `${sentence(escaped(refusal.answer, wordsCharsMax))} Nothing changed.`,
      ]
    return [
      `No ${refusal.mayBeRole === true ? 'role or server' : 'server'} ${code(refusal.server)}.${meant(refusal.similar)}`,
      ...(refusal.similar.length > 0
        ? []
        : [`monbot knows servers from their alerts and roles: \`${command} roles\``]),
    ]
  },
  unknown_servers: unknownServers,
  unknown_command: (refusal) => [
    `No command ${code(`${command} ${refusal.command}`)}.${meant(refusal.similar.map((one) => `${command} ${one}`))}`,
    `All commands: \`${command} help\``,
  ],
  unknown_alert: (refusal) => [
    `No alert or server ${code(refusal.alert)}.${meant(refusal.similar ?? [])}`,
    ...(refusal.alert.includes(',') ? ['Give one alert or server at a time.'] : []),
    `Open alerts: \`${command} alerts\``,
  ],
  many_alerts: manyAlerts,
  none_open: noneOpen,
  unknown_metric: (refusal) => [
    `${serverName(refusal.server)} has no metric ${code(refusal.metric)}.${meant(refusal.similar)}`,
    `Those that are known: ${code(`${command} chart ${typedName(refusal.server)}`)}`,
  ],
  no_match: (refusal) => {
    if (refusal.unread != null) return unreadLines(`a server like ${code(refusal.pattern)}`, refusal.unread)
    return [
      `No known server matches ${code(refusal.pattern)}. Nothing changed.`,
      `monbot knows servers from their alerts and roles: \`${command} roles\``,
    ]
  },
  too_many_servers: (refusal) => [
    ...(refusal.to === 'mute'
      ? [
          `That is ${refusal.count} servers; at most ${refusal.max} can be muted at once. Nothing changed.`,
          `Use a pattern such as \`web-*\` for fewer of them, or mute the whole account: \`${command} mute account\``,
        ]
      : [
          `That is ${refusal.count} servers; at most ${refusal.max} can be asked about at once.`,
          'Use a pattern such as `web-*` for fewer of them.',
        ]),
  ],
  not_a_person: ({ userId, is }) => [
    `${notPersons[is](person(userId))} Nothing changed: choose somebody else.`,
  ],
  no_matchers: () => [
    'Only a service in front of an Alertmanager can mute by labels. Nothing changed.',
    `One alert: \`${command} mute #123 2h\`. Several servers: \`${command} mute web-* 2h\``,
  ],
  too_many_alert_mutes: ({ max }) => [
    `${max} alerts are muted by themselves already; that is the limit. Nothing changed.`,
    `Mute a server instead, or end some: \`${command} mutes\``,
  ],
  alert_not_muted: ({ what, by }, when) => [
    `${what === '' ? 'It' : alertThing(what)} has no mute of its own${by === undefined ? '' : `: ${mutedThing(by)} is muted ${endWords(by, when)}`}. Nothing changed.`,
    ...(by === undefined ? [`Active mutes: \`${command} mutes\``] : []),
  ],
  not_muted: (refusal) => {
    if (refusal.isAccountMuted)
      return [
        `${serverName(refusal.server)} has no mute of its own: the whole account is muted. Nothing changed.`,
        `To unmute the account: \`${command} unmute account\``,
      ]
    const { server, others = [] } = refusal
    const which = [server, ...others].map(serverName)
    return [
      `${capital(listed(which, shown))} ${which.length === 1 ? 'is' : 'are'} not muted. Nothing changed.`,
      `Active mutes: \`${command} mutes\``,
    ]
  },
  planned_changed: ({ is }) =>
    is === 'of_policy'
      ? ['The policy file plans it: skip it once, or take it out of `maintenance:` there. Nothing changed.']
      : [
          `${{ gone: 'It is planned no more: it has begun, is over, or was cancelled.', begun: 'It has begun already, or is over.', skipped: 'It is skipped already.' }[is]} Nothing changed.`,
          `What is muted and planned: \`${command} mutes\``,
        ],
  too_long: (refusal) =>
    refusal.topic === undefined || refusal.topic.startsWith('mute')
      ? [
          `That is too long: at most ${formatDuration(refusal.maxMs)}. Nothing changed.`,
          'Ask for a shorter time; a mute can be extended before it ends.',
        ]
      : [`That is too long: at most ${formatDuration(refusal.maxMs)}.`],
  too_short: (refusal) => [`That is too short: at least ${formatDuration(refusal.minMs)}. Nothing changed.`],
  reason_missing: () => [
    'Please give a reason: everyone is told why the account is muted. Nothing changed.',
    `For example \`${command} mute account 30m moving the database\``,
  ],
  undo_too_late: () => ['Too late to undo.'],
  mute_replaced: ({ mute }) => ['That mute has been replaced since. Nothing changed.', muteLine(mute)],
  pending_gone: () => [
    `This question was answered already, or is older than 10 min. \`${command} mutes\` shows what came of it.`,
    'If nothing did, ask again.',
  ],
  name_differs: (refusal) => [
    `You typed ${code(refusal.typed, cameCharsMax)}, which is not ${whole(refusal.expected)}.`,
    'Nothing was deleted. Type the name exactly as shown.',
  ],
  invalid: notFitting,
  misplaced: misplaced,
  no_unit: ({ number }) => [`${name(number)} needs a unit: ${name(number)}m? Nothing changed.`],
}

function notFitting(refusal: Of<'invalid'>): string[] {
  const examples = `Examples: \`${`${command} help ${name(refusal.topic ?? '')}`.trim()}\``
  const expected = 'wanted' in refusal ? wanted[refusal.wanted] : refusal.expected
  if (expected.startsWith(`${command} `)) return [`Usage: ${code(expected, expectedCharsMax)}`, examples]
  const right = escaped(expected, expectedCharsMax)
  const please =
    refusal.came === ''
      ? `Please give ${right}.`
      : `Please use ${right}, not ${code(refusal.came, cameCharsMax)}.`
  return [please, `Nothing changed. ${examples}`]
}

const wanted: Record<Wanted, string> = {
  server: 'the name of a server',
  roles: `1 to ${rolesAddedMax} role names, each without a comma and at most ${roleCharsMax} characters long`,
  existing_roles: 'roles that still exist, or a new one under *New roles*',
  metrics: `1 to ${metricsDeletedMax} names of custom metrics, separated by commas`,
  note: 'the text of the note',
  marker: 'the text of the marker',
  no_data_group: 'a server and the name of a group',
}

function notPermitted({ act, audience, needs, isUnset }: Of<'not_permitted'>): string[] {
  const setting = `permissions: ${needs ?? guardOf(act)}`
  if (audience === 'nobody') {
    return [
      isUnset
        ? '🔒 In front of an Alertmanager nobody may mute the whole account unless the policy says who. Nothing changed.'
        : `🔒 ${doing(actionWords[act].may)} is disabled in the policy. Nothing changed.`,
      `To allow it, name people or user groups in the policy file: \`${setting}\``,
    ]
  }
  const who = listed(audience.map(member), shown)
  return [`🔒 You may not ${actionWords[act].may}: only ${who} may. Nothing changed; ask one of them.`]
}

/** `delete servers` as the subject of a sentence: `Deleting servers`. */
function doing(may: string): string {
  const [verb = '', ...rest] = may.split(' ')
  const stem = /^(?:drop|set)$/.test(verb) ? `${verb}${verb.at(-1)}` : verb.replace(/e$/, '')
  return capital([`${stem}ing`, ...rest].join(' '))
}

/** The refusal of unknown servers; they may exist, if the list could not be read completely. */
function unknownServers({ act, servers, unread }: Of<'unknown_servers'>): string[] {
  const [first] = servers
  const verb = act === 'mute_server' ? 'mute' : 'unmute'
  const which = servers.length === 1 ? 'one of these servers is' : `${servers.length} of these servers are`
  return [
    `⚠️ Nothing was ${verb}d: ${which} not known.`,
    ...fitted(servers, ({ server, similar }) => `• ${code(server)}${meant(similar)}`, unknownRoom),
    unread === null
      ? `One without alerts and roles can be ${verb}d by itself: ${code(`${command} ${verb} ${first?.server ?? ''}`)}`
      : `The list of servers cannot be read now. ${sentence(escaped(unread, wordsCharsMax))}`,
  ]
}

function unreadLines(what: string, why: string): string[] {
  return [
    `⚠️ monbot does not know ${what}, and the list of servers cannot be read now. ${sentence(escaped(why, wordsCharsMax))}`,
    'Nothing changed: try again in a minute.',
  ]
}

/** A person or a user group. In an answer that only one person sees, a mention notifies nobody. */
function member(id: string): string {
  return /^S[A-Z0-9]{1,30}$/.test(id) ? `<!subteam^${id}>` : person(id)
}

function manyAlerts({ server, alerts, note, topic = 'ack' }: Of<'many_alerts'>, when: When): string[] {
  const rest = alerts.length - shown
  const [first] = alerts
  const example = first === undefined ? '#123' : idOf(first)
  const isWhole = note !== undefined && printable(note, noteCharsMax) === printable(note, note.length)
  const again = `${topic} ${example}${note === undefined ? '' : ` ${isWhole ? note : '<text>'}`}`
  const several =
    server === null ? 'Several alerts end so.' : `${serverName(server)} has ${alerts.length} open alerts.`
  return [
    `${several} Which one? ${code(`${command} ${again}`, againCharsMax)}:`,
    ...alerts.slice(0, shown).map((alert) => `${headline(alert, when, lineLengthMax)} · ${idOf(alert)}`),
    ...(rest > 0
      ? [`and ${rest} more: \`${command} alerts${server === null ? '' : ` open ${name(server)}`}\``]
      : []),
    ...(note === undefined || isWhole ? [] : [`Your text: ${escapedWithin(note, longNoteLengthMax)}`]),
  ]
}

function noneOpen({ server, last }: Of<'none_open'>, when: When): string[] {
  const list = `\`${command} alerts closed ${name(server)}\``
  if (last === null) return [`${serverName(server)} has no open or recent alerts.`]
  const closed = last.closedMs === null ? 'came' : 'closed'
  const words = `The last one, ${idOf(last)} ${name(last.plugin)}, ${closed} ${when(last.closedMs ?? last.startedMs)}.`
  return [
    `${serverName(server)} has no open alerts. ${words} Nothing changed.`,
    `To add a note to it: ${code(`${command} note ${idOf(last)} <text>`, againCharsMax)}. Closed alerts: ${list}`,
  ]
}

function misplaced({ what, came, command: meantCommand }: Of<'misplaced'>): string[] {
  const shownCommand = code(meantCommand, againCharsMax)
  switch (what) {
    case 'end':
      return [
        `Put the time before the reason: ${code(came)} came after it. Nothing changed.`,
        `Did you mean ${shownCommand}?`,
      ]
    case 'server':
      return [
        `Join several servers with commas: ${code(came)} came after a space. Nothing changed.`,
        `Did you mean ${shownCommand}? If it begins the reason, give a duration before it, such as 1h.`,
      ]
  }
}

/** A name to be typed again; not `code`, which shortens names mentioned in passing. */
function whole(text: string): string {
  const written = escapedWithin(text, typedAgainLengthMax)
  return written === '' ? 'nothing' : `\`${written}\``
}

function meant(similar: readonly string[]): string {
  return similar.length === 0 ? '' : ` Did you mean ${eitherOf(similar.slice(0, 3).map((one) => code(one)))}?`
}
