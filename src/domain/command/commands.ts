/** The `/mon` commands: what somebody typed, read into an intent or refused, and an ask written as a command again. */

import { numberOf } from '../alert/episode.ts'
import type { Ask, Intent } from '../request/intent.ts'
import { nearest } from '../request/nearest.ts'
import type { Refusal } from '../request/reply.ts'
import { joined } from './arguments.ts'
import { formatDurationText } from './duration-text.ts'
import { invalid } from './mute-text.ts'
import { type Command, commandTable } from './table.ts'
import { openWords, quotedName, type Words } from './words.ts'

export type Parsed =
  | { readonly ok: true; readonly intent: Intent }
  | { readonly ok: false; readonly refusal: Refusal }

const slash = '/mon'
const textCharsMax = 3_000
/** An unknown command is repeated up to here. */
const commandCharsMax = 60
const similarMax = 3

const help: Command = {
  name: 'help',
  usage: '[command]',
  summary: 'Says what can be asked, with examples',
  examples: ['help', 'help mute'],
  guard: null,
  group: 'ask',
  read: (words) => {
    words.phrase(slash)
    const topic = joined(words)?.toLowerCase() ?? null
    if (!words.isAtEnd()) return null
    return topic === null || commandsAbout(topic).length > 0 ? { kind: 'help', topic } : unknown(topic)
  },
}

/** Every command, in the order in which the help and the README tell of them. */
export const commands: readonly Command[] = [...commandTable, help]

// Two words before one: `mute account` is no server of that name.
const longestFirst = [...commands].sort((a, b) => b.name.split(' ').length - a.name.split(' ').length)

/** The commands of a topic: `mute` is about `mute` and `mute account`, `account` about nothing. */
export function commandsAbout(topic: string): readonly Command[] {
  return commands.filter(({ name }) => name === topic || name.startsWith(`${topic} `))
}

/** `/mon mute <server> …`, as the help and a refusal write it. */
export function usageOf({ name, usage }: Command): string {
  return `${slash} ${name} ${usage}`.trimEnd()
}

/** What Slack shows beside the command while somebody types it. */
export const usageHint = commands
  .filter(({ group }) => group !== 'rare')
  .map(({ name }) => name)
  .join(' | ')

/** Reads what follows `/mon`, as Slack hands it over (`&`, `<` and `>` escaped once); nothing at all asks for help. */
export function parseCommand(text: string): Parsed {
  const read = readCommand(text)
  return 'why' in read ? { ok: false, refusal: read } : { ok: true, intent: read }
}

function readCommand(text: string): Intent | Refusal {
  if (text.length > textCharsMax) {
    return invalid(`at most ${textCharsMax} characters`, `${text.length} characters`)
  }
  const words = openWords(text)
  if (words.isAtEnd()) return { kind: 'help', topic: null }
  const typed = words.left()
  const command = longestFirst.find(({ name }) => words.phrase(name))
  if (command === undefined) return unknown(firstWords(words))
  const read = command.read(words) ?? invalid(usageOf(command), `${slash} ${typed}`)
  return 'why' in read && read.why === 'invalid' ? { ...read, topic: command.name } : read
}

/** The first word, and the second too where the first begins a command of two. */
function firstWords(words: Words): string {
  const first = words.name() ?? words.text()
  const isBeginning = commandsAbout(first.toLowerCase()).length > 0
  return [first, isBeginning ? words.name() : null].filter((word) => word !== null).join(' ')
}

function unknown(typed: string): Refusal {
  const command = typed.slice(0, commandCharsMax).toWellFormed()
  const [first = ''] = command.toLowerCase().split(' ')
  const names = commands.map(({ name }) => name)
  const similar = new Set([...nearest(command, names), ...nearest(first, names)])
  return { why: 'unknown_command', command, similar: [...similar].slice(0, similarMax) }
}

/** The text that `parseCommand` reads as this ask; it holds nothing that Slack escapes. For a button's value. */
export function commandOf(ask: Ask): string {
  switch (ask.kind) {
    case 'help':
      return written('help', ask.topic)
    case 'status':
    case 'handoff':
      return ask.kind
    case 'alerts':
      return paged(written(`alerts ${ask.state}`, ask.server), ask.page)
    case 'mutes':
      return paged('mutes', ask.page)
    case 'roles':
      return paged(written('roles', ask.about), ask.page)
    case 'triggers':
      return paged(written('triggers', ask.filter), ask.page)
    case 'audit':
      return paged(written('audit', ask.server), ask.page)
    case 'report':
      return `report ${formatDurationText(ask.ms)}`
    case 'chart':
      return `chart ${quotedName(ask.server)} ${quotedName(ask.metric)} ${formatDurationText(ask.ms)}`
    case 'alert_chart':
      return written('chart', `#${numberOf(ask.alertId)}`)
  }
}

function written(command: string, name: string | null): string {
  return name === null ? command : `${command} ${quotedName(name)}`
}

function paged(command: string, page: number): string {
  return page === 1 ? command : `${command} page ${page}`
}
