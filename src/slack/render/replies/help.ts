/** The help for `/mon`: everything in short, or one command with its examples. */
import type { KnownBlock } from '@slack/types'
import { commands, commandsAbout, type KnownCommand, usageOf } from '../../../domain/command/commands.ts'
import { context, section } from '../text/message-parts.ts'

const groups = [
  ['act', 'Act on alerts'],
  ['ask', 'Ask'],
  ['rare', 'The account, and rare commands'],
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
      'Durations: `90s`, `30m`, `1h30m`, `2d`; or a time: `until 15:00`. Most of this is on the cards too. `/mon help mute` shows examples.',
    ),
  ]
}

function explained(command: KnownCommand): KnownBlock {
  const lines = [
    `*${typed(usageOf(command))}*`,
    `${command.summary}.`,
    'Examples:',
    ...command.examples.map((example) => `• ${typed(`/mon ${example}`)}`),
    ...(command.guard === null ? [] : ["Permissions are set in monbot's policy file."]),
  ]
  return section(lines.join('\n'))
}

/** For our own texts: they keep their `*`, so that copied text works. */
function typed(text: string): string {
  return `\`${text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')}\``
}
