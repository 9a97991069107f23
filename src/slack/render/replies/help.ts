/** The help for `/mon`: everything in short, or one command with its examples. */
import type { KnownBlock } from '@slack/types'
import { commands, commandsAbout, type KnownCommand, usageOf } from '../../../domain/command/commands.ts'
import { context, section } from '../text/message-parts.ts'

const groups = [
  ['act', 'Act on alerts'],
  ['ask', 'Ask'],
  ['rare', 'The account, and what is rarely needed'],
] as const satisfies readonly (readonly [KnownCommand['group'], string])[]

export function renderHelp(topic: string | null): KnownBlock[] {
  const about = topic === null ? [] : commandsAbout(topic)
  return about.length === 0 ? overview() : about.map(explained)
}

function overview(): KnownBlock[] {
  return [
    ...groups.map(([group, title]) => {
      const lines = commands
        .filter((command) => command.group === group)
        .map(({ name, summary }) => `${typed(`/mon ${name}`)} ${summary}`)
      return section([`*${title}*`, ...lines].join('\n'))
    }),
    context(
      'Times are `90s`, `30m`, `1h30m`, `2d`, or a time such as `until 15:00`. Most of it is on the cards as well. `/mon help mute` says more about a command.',
    ),
  ]
}

function explained(command: KnownCommand): KnownBlock {
  const lines = [
    `*${typed(usageOf(command))}*`,
    `${command.summary}.`,
    'For example:',
    ...command.examples.map((example) => `• ${typed(`/mon ${example}`)}`),
    ...(command.guard === null ? [] : ['Who may do it is a setting of monbot.']),
  ]
  return section(lines.join('\n'))
}

/** For our own texts: they keep their `*`, so that copied text works. */
function typed(text: string): string {
  return `\`${text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')}\``
}
