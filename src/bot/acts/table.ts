/**
 * Every action, in the order of the help: to add one is to write it in a file of its feature, and its name here. And `/mon help`, which
 * shows them: the eight of every night, all of them, or one.
 */
import { context } from '../view/blocks.ts'
import type { Action, Reply } from './action.ts'
import { alerts } from './alerts.ts'
import { code, fittingSections, say } from './answers.ts'
import { close, more, note, timeline } from './card.ts'
import { marker, metricDelete, noData, roleAdd, serverDelete, silence } from './changes.ts'
import { chart } from './chart.ts'
import { cover, hand, page } from './hand.ts'
import { acknowledge, snooze, take, unack } from './hold.ts'
import { audit, mutes, oncall, roles, triggers } from './lists.ts'
import { mute } from './mute.ts'
import { handoff, report, status } from './reports.ts'
import { extend, plans, unmute } from './unmute.ts'

const help: Action = {
  names: ['help'],
  usage: 'help [all or a command]',
  example: 'help all',
  does: 'Shows the commands, with examples',
  isCommon: true,
  permission: null,
  command: (words) => helpAbout(words.toLowerCase()),
}

export const acts: readonly Action[] = [
  ...[status, alerts, acknowledge, take, snooze, unack, hand, note, timeline, mute, unmute, mutes, chart],
  ...[oncall, cover, page, handoff, report, audit, roles, triggers],
  ...[roleAdd, marker, noData, serverDelete, metricDelete],
  help,
  ...[close, extend, more, plans, silence],
]

function helpAbout(about: string): Reply {
  const typed = acts.filter(({ usage }) => usage !== '')
  if (about === '') {
    const common = typed.filter(({ isCommon }) => isCommon === true)
    return say([
      ...fittingSections(common.map((act) => `${code(`/mon ${act.example}`)} ${act.does}`)),
      ...context(['`/mon help mute` explains one command, `/mon help all` lists the rest']),
    ])
  }
  const meant = typed.filter(({ names }) => names.some((name) => name.split(' ')[0] === about))
  const shown = meant.length > 0 ? meant : typed
  return say(fittingSections(shown.map(({ usage, does }) => `${code(`/mon ${usage}`)}\n${does}`)))
}
