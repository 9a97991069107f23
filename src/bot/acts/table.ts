/**
 * Every action, in the order of the help: to add one is to write it in a file of its feature, and its name here. And `/mon help`, which
 * shows them: the eight of every night, all of them, or one with its example.
 */
import { nearest } from '../../shared/nearest.ts'
import { context, section } from '../view/blocks.ts'
import type { Action, Reply } from './action.ts'
import { alerts } from './alerts.ts'
import { code, fittingSections, noSuch, say } from './answers.ts'
import { close, more, note, timeline } from './card.ts'
import { marker, metricDelete, noData, roleAdd, serverDelete, silence } from './changes.ts'
import { chart } from './chart.ts'
import { cover, hand, page } from './hand.ts'
import { acknowledge, snooze, take, unack } from './hold.ts'
import { audit, mutes, oncall, roles, triggers } from './lists.ts'
import { mute } from './mute.ts'
import { handoff, report } from './reports.ts'
import { status } from './status.ts'
import { extend, plans, unmute } from './unmute.ts'

export const acts: readonly Action[] = [
  ...[status, alerts, acknowledge, take, snooze, unack, hand, note, timeline, mute, unmute, mutes, chart],
  ...[oncall, cover, page, handoff, report, audit, roles, triggers],
  ...[roleAdd, marker, noData, serverDelete, metricDelete],
  helpOf(() => acts),
  ...[close, extend, more, plans, silence],
]

/** `acts`: of the table, which `help` stands in itself. */
export function helpOf(acts: () => readonly Action[]): Action {
  return {
    names: ['help'],
    usage: 'help [all or a command]',
    example: 'help all',
    does: 'Shows the commands, with examples',
    isCommon: true,
    permission: null,
    command: (words) => helpAbout(words.toLowerCase(), acts()),
  }
}

function helpAbout(about: string, all: readonly Action[]): Reply {
  const acts = all.filter(({ usage }) => usage !== '')
  if (about === '') {
    const common = acts.filter(({ isCommon }) => isCommon === true)
    return say([
      ...fittingSections(common.map((act) => `${code(`/mon ${act.example}`)} ${act.does}`)),
      ...context(['`/mon help mute` explains one command, `/mon help all` lists the rest']),
    ])
  }
  if (about === 'all')
    return say(fittingSections(acts.map((act) => `${code(`/mon ${act.usage}`)}\n${act.does}`)))
  const meant = acts.filter(({ names }) =>
    names.some((name) => name === about || name.split(' ')[0] === about),
  )
  if (meant.length > 0) return say(meant.map((act) => section(explained(act))))
  const names = new Set(acts.flatMap((act) => act.names))
  return noSuch(`No command ${code(about)}`, nearest(about, names), (name) => `help ${name}`)
}

function explained({ usage, example, does, permission }: Action): string {
  const who = permission === null ? '' : `\nNeeds the permission \`${permission}\``
  return `${code(`/mon ${usage}`)}\n${does}\nFor example: ${code(`/mon ${example}`)}${who}`
}
