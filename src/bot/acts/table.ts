/** Every act, in the order of the help. To add one is to add a file, and its line here. */
import { acknowledge } from './acknowledge.ts'
import type { Act } from './act.ts'
import { alerts } from './alerts.ts'
import { audit } from './audit.ts'
import { chart } from './chart.ts'
import { close } from './close.ts'
import { metricDelete, serverDelete } from './deletions.ts'
import { extend } from './extend.ts'
import { hand } from './hand.ts'
import { handoff } from './handoff.ts'
import { helpOf } from './help.ts'
import { marker } from './marker.ts'
import { more } from './more.ts'
import { mute } from './mute.ts'
import { mutes } from './mutes.ts'
import { noData } from './no-data.ts'
import { note } from './note.ts'
import { oncall } from './oncall.ts'
import { page } from './page.ts'
import { plans } from './plans.ts'
import { report } from './report.ts'
import { roleAdd } from './role-add.ts'
import { roles } from './roles.ts'
import { silence } from './silence.ts'
import { snooze } from './snooze.ts'
import { status } from './status.ts'
import { take } from './take.ts'
import { timeline } from './timeline.ts'
import { triggers } from './triggers.ts'
import { unack } from './unack.ts'
import { unmute } from './unmute.ts'

export const acts: readonly Act[] = [
  status,
  alerts,
  acknowledge,
  take,
  snooze,
  unack,
  hand,
  note,
  timeline,
  mute,
  unmute,
  mutes,
  chart,
  oncall,
  page,
  handoff,
  report,
  audit,
  roles,
  triggers,
  roleAdd,
  marker,
  noData,
  serverDelete,
  metricDelete,
  helpOf(() => acts),
  close,
  extend,
  more,
  plans,
  silence,
]
