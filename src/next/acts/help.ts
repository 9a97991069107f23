/** `/mon help`: the eight commands of every night, all of them, or one with its example. The table of acts makes it and the documents. */
import { nearest } from '../../shared/nearest.ts'
import { context, section } from '../view/blocks.ts'
import { escape } from '../view/words.ts'
import type { Act, Reply } from './act.ts'
import { code, fittingSections, noSuch, say } from './queries/answers.ts'

export type HelpRow = { readonly command: string; readonly does: string; readonly permission: string }

/** As `docs/commands.md` has them between its markers. */
export function helpRows(acts: readonly Act[]): HelpRow[] {
  return acts
    .filter(({ command }) => command !== undefined)
    .map(({ usage, does, permission }) => ({
      command: `/mon ${usage}`,
      does,
      permission: permission ?? 'everyone',
    }))
}

/** `acts`: of the table, which `help` stands in itself. */
export function helpOf(acts: () => readonly Act[]): Act {
  return {
    names: ['help'],
    usage: 'help [all or a command]',
    example: 'help all',
    does: 'Shows the commands, with examples',
    isCommon: true,
    permission: null,
    command: (words) =>
      helpAbout(
        words.trim().toLowerCase(),
        acts().filter(({ command }) => command !== undefined),
      ),
  }
}

function helpAbout(about: string, acts: readonly Act[]): Reply {
  if (about === '') {
    const common = acts.filter(({ isCommon }) => isCommon === true)
    return say([
      ...fittingSections(common.map((act) => `\`/mon ${escape(act.example)}\` ${escape(act.does)}`)),
      ...context(['`/mon help mute` explains one command, `/mon help all` lists the rest']),
    ])
  }
  if (about === 'all')
    return say(fittingSections(acts.map((act) => `\`/mon ${escape(act.usage)}\`\n${escape(act.does)}`)))
  const meant = acts.filter(({ names }) =>
    names.some((name) => name === about || name.split(' ')[0] === about),
  )
  if (meant.length > 0) return say(meant.map((act) => section(explained(act))))
  const names = new Set(acts.flatMap((act) => act.names))
  return noSuch(`No command ${code(about)}`, nearest(about, names), (name) => `help ${name}`)
}

function explained({ usage, example, does, permission }: Act): string {
  const who = permission === null ? '' : `\nNeeds the permission \`${permission}\``
  return `\`/mon ${escape(usage)}\`\n${escape(does)}\nFor example: \`/mon ${escape(example)}\`${who}`
}
