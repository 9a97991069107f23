/**
 * The `/mon` commands: turns what somebody typed into an intent or a refusal. The help and the README's table come from them.
 */

import { nearest } from '../../../shared/nearest.ts'
import type { Command } from '../request/action.ts'
import { actions } from '../request/actions.ts'
import type { GuardedAct } from '../request/authorise.ts'
import type { Intent } from '../request/intent.ts'
import { queries } from '../request/queries.ts'
import { invalid, type Misread, openWords, type Words } from './words.ts'

export type Parsed =
  | { readonly ok: true; readonly intent: Intent }
  | { readonly ok: false; readonly refusal: Misread }

/** `guard`: the permission that it needs; null if everyone may. */
export type KnownCommand = Command<Intent> & { readonly guard: GuardedAct | null }

const slash = '/mon'
const textCharsMax = 3_000
/** An unknown command is quoted up to this length. */
const commandCharsMax = 60
const similarMax = 3

const help: KnownCommand = {
  name: 'help',
  usage: '[command]',
  summary: 'Shows the commands, with examples',
  examples: ['help', 'help mute'],
  guard: null,
  group: 'ask',
  read: (words) => {
    words.phrase(slash)
    const topic = words.restAsName()?.toLowerCase() ?? null
    return topic === null || commandsAbout(topic).length > 0 ? { kind: 'help', topic } : unknown(topic)
  },
}

const acting: readonly KnownCommand[] = Object.values(actions).flatMap(({ command, guard }) =>
  command === undefined ? [] : [{ ...command, guard }],
)
const asking: readonly KnownCommand[] = Object.values(queries).flatMap(({ command }) =>
  command === undefined ? [] : [{ ...command, guard: null, group: 'ask' as const }],
)

/** Every command, in the order in which the help and the README list them. */
export const commands: readonly KnownCommand[] = [
  ...acting.filter(({ group }) => group === 'act'),
  ...asking,
  ...acting.filter(({ group }) => group === 'rare'),
  help,
]

// Two words before one: `mute account` does not mean a server called "account".
const longestFirst = [...commands].sort((a, b) => b.name.split(' ').length - a.name.split(' ').length)

/** The commands of a topic: `mute` gives `mute` and `mute account`, `account` gives none. */
export function commandsAbout(topic: string): readonly KnownCommand[] {
  return commands.filter(({ name }) => name === topic || name.startsWith(`${topic} `))
}

/** `/mon mute <server> …`, as the help and a refusal write it. */
export function usageOf({ name, usage }: KnownCommand): string {
  return `${slash} ${name} ${usage}`.trimEnd()
}

/** The hint that Slack shows while somebody types the command. */
export const usageHint = commands
  .filter(({ group }) => group !== 'rare')
  .map(({ name }) => name)
  .join(' | ')

/** Parses what follows `/mon`, as Slack passes it (`&`, `<` and `>` escaped once); an empty text asks for help. */
export function parseCommand(text: string): Parsed {
  const read = readCommand(text)
  return 'why' in read ? { ok: false, refusal: read } : { ok: true, intent: read }
}

function readCommand(text: string): Intent | Misread {
  if (text.length > textCharsMax) {
    return invalid(`at most ${textCharsMax} characters`, `${text.length} characters`)
  }
  const words = openWords(text)
  if (words.isAtEnd()) return { kind: 'help', topic: null }
  const typed = words.left()
  const command = longestFirst.find(({ name }) => words.phrase(name))
  if (command === undefined) return unknown(firstWords(words))
  const read = command.read(words)
  if (read !== null && !('why' in read) && words.isAtEnd()) return read
  const refusal = read !== null && 'why' in read ? read : invalid(usageOf(command), `${slash} ${typed}`)
  if (refusal.why === 'unknown_command') return refusal
  return { ...(refusal.why === 'no_unit' ? inMinutes(refusal, typed) : refusal), topic: command.name }
}

/** What was meant, if it was minutes and a command comes of it. */
function inMinutes(refusal: Extract<Misread, { why: 'no_unit' }>, typed: string): Misread {
  const { number, left } = refusal
  if (!typed.endsWith(left)) return refusal
  const meant = `${typed.slice(0, -left.length)}${number}m${left.slice(number.length)}`
  return parseCommand(meant).ok ? { ...refusal, meant } : refusal
}

/** The first word, or the first two if the first begins a two-word command. */
function firstWords(words: Words): string {
  const first = words.name() ?? words.text()
  const isBeginning = commandsAbout(first.toLowerCase()).length > 0
  return [first, isBeginning ? words.name() : null].filter((word) => word !== null).join(' ')
}

function unknown(typed: string): Misread {
  const command = typed.slice(0, commandCharsMax).toWellFormed()
  const [first = ''] = command.toLowerCase().split(' ')
  const names = commands.map(({ name }) => name)
  const similar = new Set([...nearest(command, names), ...nearest(first, names)])
  return { why: 'unknown_command', command, similar: [...similar].slice(0, similarMax) }
}
