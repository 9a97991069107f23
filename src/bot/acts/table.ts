/** Every action, in the order of the help. To add one is to write it in a file of its feature, and its name here. */
import type { Action } from './action.ts'
import { alerts } from './alerts.ts'
import { close, more, note, timeline } from './card.ts'
import { marker, metricDelete, noData, roleAdd, serverDelete, silence } from './changes.ts'
import { chart } from './chart.ts'
import { hand, page } from './hand.ts'
import { helpOf } from './help.ts'
import { acknowledge, snooze, take, unack } from './hold.ts'
import { audit, oncall, roles, triggers } from './lists.ts'
import { mute } from './mute.ts'
import { mutes } from './mutes.ts'
import { handoff, report } from './reports.ts'
import { status } from './status.ts'
import { extend, plans, unmute } from './unmute.ts'

export const acts: readonly Action[] = [
  ...[status, alerts, acknowledge, take, snooze, unack, hand, note, timeline, mute, unmute, mutes, chart],
  ...[oncall, page, handoff, report, audit, roles, triggers],
  ...[roleAdd, marker, noData, serverDelete, metricDelete],
  helpOf(() => acts),
  ...[close, extend, more, plans, silence],
]
