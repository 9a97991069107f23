/** Renders the answers that are lists, one page at a time. */
import type { KnownBlock } from '@slack/types'
import type { Silence } from '../../../domain/mute/hiding.ts'
import type { Mute } from '../../../domain/mute/mute.ts'
import type { Answer } from '../../../domain/request/answer.ts'
import { escapedWithin, printable } from '../../mrkdwn.ts'
import { actions } from '../../vocabulary.ts'
import { auditLine } from '../actions/words.ts'
import { inhibitedLines, silenceLine } from '../text/elsewhere-words.ts'
import { doubtLines, isDoubtful, unknownLines } from '../text/health-words.ts'
import { alertLine, muteLine, unmuteValue } from '../text/list-lines.ts'
import {
  button,
  context,
  fitted,
  listCharsMax,
  listedWithin,
  pageBlocks,
  section,
  sectionsOf,
} from '../text/message-parts.ts'
import { code, counted, inBlocks, name, plainThing } from '../text/phrases.ts'
import { plannedBlock } from './planned.ts'

type AnswerOf<Kind extends Answer['kind']> = Extract<Answer, { kind: Kind }>

const conditionLengthMax = 300
const whoseCharsMax = 40
const serversOfRoleCharsMax = 320
const serversInLine = 10

export function renderAlerts({ ask, list, lost = 0, mutes, health }: AnswerOf<'alerts'>): KnownBlock[] {
  const labels = (ask.labels ?? []).map((label) => code(`${label.name}=${label.value}`))
  const on = ask.server === null ? '' : ` on ${code(ask.server)}`
  const of = `${on}${labels.length === 0 ? '' : ` with ${labels.join(' and ')}`}`
  const isOpen = ask.state === 'open'
  const unknown = isOpen ? unknownLines(lost) : []
  if (list.total === 0) {
    const none = {
      open: ask.isMine === true ? 'You have no open alerts' : 'No open alerts',
      closed: 'No closed alerts',
      all: 'No alerts',
    }
    const mark = isOpen && lost === 0 && !isDoubtful(health) ? '🟢 ' : ''
    return [section([...doubtLines(health), `${mark}*${none[ask.state]}*${of}`, ...unknown].join('\n'))]
  }
  const charsMax = Math.floor(listCharsMax / list.items.length)
  const title = {
    open: ask.isMine === true ? 'Open alerts that you have' : 'Open alerts',
    closed: 'Closed alerts',
    all: 'Alerts',
  }[ask.state]
  return [
    section(
      [
        ...doubtLines(health),
        `*${title}*${of}, ${isOpen ? 'critical first' : 'newest first'}`,
        ...unknown,
      ].join('\n'),
    ),
    // One block each: Slack separates blocks, and two lines belong together.
    ...list.items.map((alert) => section(alertLine(alert, { mutes, charsMax, isCompact: false }))),
    ...pageBlocks(ask, list, { noun: 'alert', order: isOpen ? 'place' : 'time' }),
  ]
}

export function renderMutes({ ask, list, outside }: AnswerOf<'mutes'>): KnownBlock[] {
  const inhibited = outside === undefined ? [] : inhibitedLines(outside)
  if (list.total + inhibited.length === 0) return [section('*Nothing is muted.*')]
  return [
    ...list.items.flatMap((item, at) => [
      ...titleOf(item, list.items[at - 1] ?? null),
      ...('planned' in item ? plannedBlock(item) : [muteBlock(item)]),
    ]),
    ...pageBlocks(ask, list, { noun: 'mute', order: 'place' }),
    ...inhibited.map(context),
  ]
}

type Listed = AnswerOf<'mutes'>['list']['items'][number]

/** Before the first of what is muted, and of what is planned. */
function titleOf(item: Listed, before: Listed | null): KnownBlock[] {
  const isPlanned = 'planned' in item
  if (before !== null && 'planned' in before === isPlanned) return []
  return [section(isPlanned ? '*Planned*' : '*Muted now*')]
}

/** A mute, or a silence elsewhere, with the button that ends it, unless it is already ending. */
export function muteBlock(mute: Mute | Silence): KnownBlock {
  if (!('muteId' in mute)) return silenceBlock(mute)
  const block = { type: 'section', text: { type: 'mrkdwn', text: muteLine(mute), verbatim: true } } as const
  if (mute.state !== 'active') return block
  const accessory = button({
    actionId: actions.unmuteServer,
    label: 'Unmute',
    value: unmuteValue(mute),
    says: `Unmute ${plainThing(mute)}`,
  })
  return { ...block, accessory }
}

function silenceBlock(silence: Silence): KnownBlock {
  const text = { type: 'mrkdwn', text: silenceLine(silence, inBlocks), verbatim: true } as const
  const { id, by, canEnd, isEnding } = silence
  if (id === null || !canEnd || isEnding) return { type: 'section', text }
  const whose = by === null ? '' : ` by ${by}`
  const says = `End the silence${printable(whose, whoseCharsMax)}`
  const accessory = button({ actionId: actions.endSilence, label: 'End…', value: id, says })
  return { type: 'section', text, accessory }
}

export function renderRoles(answer: AnswerOf<'roles'>): KnownBlock[] {
  return [...rolesBlocks(answer), ...unreadBlocks(answer)]
}

function rolesBlocks({ ask, list, unreadable }: AnswerOf<'roles'>): KnownBlock[] {
  const [first] = list.items
  if (first === undefined) {
    const known = unreadable ? ' that can be read' : ''
    const none =
      ask.about === null ? `There are no roles${known || ' yet'}` : `No roles${known} for ${code(ask.about)}`
    return [section(`${none}. To add one: \`/mon role add web-1 web\``)]
  }
  if (ask.about === first.role) {
    if (list.total === 0) return [section(`Role ${code(first.role)} has no servers.`)]
    const names = first.servers.map(name)
    const lines = Array.from({ length: Math.ceil(names.length / serversInLine) }, (_, at) =>
      names.slice(at * serversInLine, (at + 1) * serversInLine).join(', '),
    )
    return [
      section(`*Servers with role* ${code(first.role)}`),
      ...sectionsOf(lines),
      ...pageBlocks(ask, list, { noun: 'server', order: 'place' }),
    ]
  }
  if (ask.about !== null) {
    const names = list.items.map(({ role }) => name(role)).join(', ')
    return [
      section(`*Roles* of ${code(ask.about)}`),
      ...sectionsOf([names]),
      ...pageBlocks(ask, list, { noun: 'role', order: 'place' }),
    ]
  }
  const lines = list.items.map(({ role, servers }) => {
    const names = servers.length === 0 ? 'no servers' : listedWithin(servers, name, serversOfRoleCharsMax)
    return `*${name(role)}* · ${names}`
  })
  return [
    section('*Roles*'),
    ...sectionsOf(lines),
    ...pageBlocks(ask, list, { noun: 'role', order: 'place' }),
  ]
}

export function renderTriggers(answer: AnswerOf<'triggers'>): KnownBlock[] {
  return [...triggersBlocks(answer), ...unreadBlocks(answer)]
}

function triggersBlocks({ ask, list, unreadable }: AnswerOf<'triggers'>): KnownBlock[] {
  if (list.total === 0) {
    const none =
      ask.filter === null
        ? 'No triggers'
        : `No trigger${unreadable ? ' that can be read' : ''} matches ${code(ask.filter)}`
    return [section(`${none}.`)]
  }
  const lines = list.items.map(({ metric, condition }) => {
    return `*${name(metric)}* · ${escapedWithin(condition, conditionLengthMax)}`
  })
  const title = ask.filter === null ? '*Triggers*' : `*Triggers* matching ${code(ask.filter)}`
  return [section(title), ...sectionsOf(lines), ...pageBlocks(ask, list, { noun: 'trigger', order: 'place' })]
}

/** How many entries were left out because they could not be read. */
function unreadBlocks({ kind, unreadable = 0 }: AnswerOf<'roles' | 'triggers'>): KnownBlock[] {
  if (unreadable === 0) return []
  const one = kind === 'triggers' ? 'trigger' : 'record'
  const isOne = unreadable === 1
  return [context(`⚠️ ${counted(unreadable, one)} cannot be read and ${isOne ? 'is' : 'are'} not listed.`)]
}

export function renderAudit({ ask, list }: AnswerOf<'audit'>): KnownBlock[] {
  const of = ask.server === null ? '' : ` about ${code(ask.server)}`
  if (list.total === 0) return [section(`No actions${of} yet.`)]
  const charsMax = Math.floor(listCharsMax / list.items.length)
  const room = { charsMax: listCharsMax, linesMax: list.items.length, more: leftOut }
  return [
    section(`*Who did what*${of}, newest first`),
    ...sectionsOf(fitted(list.items, (entry) => auditLine(entry, charsMax), room)),
    ...pageBlocks(ask, list, { noun: 'action', order: 'time' }),
  ]
}

function leftOut(left: number): string {
  return `and ${left} more that did not fit`
}
