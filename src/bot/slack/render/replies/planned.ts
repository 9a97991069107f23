/** Planned mutes with their buttons: in lists, in answers, in the question before one is planned, and before one begins. */
import type { KnownBlock } from '@slack/types'
import { type Coming, comingFirst, isUnderWay, type PlannedMute } from '../../../domain/mute/planned.ts'
import type { AuditEntry } from '../../../domain/request/audit.ts'
import type { Reply } from '../../../domain/request/reply.ts'
import { actions } from '../../vocabulary.ts'
import { actionsBlock, button, type Rendered, said, section } from '../text/message-parts.ts'
import { counted, inBlocks, namesOf, reasonWords, type When } from '../text/phrases.ts'
import { plainPlanned, plannedLine, plannedThing, ruleWords, windowWords } from '../text/planned-lines.ts'

type Told<Kind extends Reply['kind']> = Extract<Reply, { kind: Kind }>

const plannedShown = 5

/** A line, and what can be done about it; what the policy plans is only skipped. */
export function plannedBlock(coming: Coming): KnownBlock[] {
  const { planned, window } = coming
  const line = section(plannedLine(coming, inBlocks))
  return [line, ...buttonsFor(planned, window.startMs)]
}

function buttonsFor({ plannedId, rule, userId, what }: PlannedMute, startMs: number): KnownBlock[] {
  const about = plainPlanned(what)
  const isSkippable = rule.is === 'weekly' || userId === null
  const cancel = button({
    actionId: actions.cancelPlanned,
    label: 'Cancel the plan',
    value: plannedId,
    says: `Cancel the plan: mute of ${about}`,
  })
  return [
    actionsBlock([
      ...(isSkippable ? [skipButton(plannedId, startMs, about)] : []),
      ...(userId === null ? [] : [cancel]),
    ]),
  ]
}

function skipButton(plannedId: string, startMs: number, about: string) {
  return button({
    actionId: actions.skipPlanned,
    label: 'Skip once',
    value: `${startMs}|${plannedId}`,
    says: `Skip once: the planned mute of ${about}`,
  })
}

/** What is planned for what is not muted now. */
export function plannedBlocks(planned: readonly PlannedMute[] = []): KnownBlock[] {
  return comingFirst(planned).slice(0, plannedShown).flatMap(plannedBlock)
}

/** Below what was planned, and below what is left of it. */
export function doneButtons(reply: Told<'done'>): KnownBlock[] {
  if (reply.act === 'plan_mute') return buttonsFor(reply.planned, reply.window.startMs)
  return []
}

/** Below the message before a window begins, until it has begun or was skipped. */
export function soonButtons({ act, outcome, detail, hostname }: AuditEntry): KnownBlock[] {
  const { plannedId, fromMs, names = [], alert } = detail
  if (act !== 'planned_soon' || outcome !== 'done' || plannedId === undefined || fromMs === undefined)
    return []
  const about =
    alert ?? hostname ?? (names.length === 0 ? 'the whole account' : counted(names.length, 'server'))
  return [actionsBlock([skipButton(plannedId, fromMs, about)])]
}

/** The question before a mute is planned: what it means now, and what it would hide. */
export function renderConfirmPlanned({
  planned,
  window,
  servers,
  open,
  pendingId,
}: Told<'confirm_planned'>): Rendered {
  const { what, rule, zone, reason } = planned
  const rule0 = ruleWords(rule, zone)
  const lines = (when: When) => [
    `*Plan this mute?* ${plannedThing(what)}${reasonWords(reason)}`,
    rule0 === ''
      ? `Muted ${windowWords(window, when)}.`
      : `Muted ${rule0}, ${isUnderWay(planned, window) ? 'now' : 'next'} ${windowWords(window, when)}, until you cancel it.`,
    ...(what.of === 'servers' && servers.length > 1
      ? [
          `Now that is ${counted(servers.length, 'server')}: ${namesOf(servers, 10)}. Names are looked up again when it begins.`,
        ]
      : []),
    open === null || open === 0
      ? 'It would hide nothing that is open now.'
      : `It would hide ${counted(open, 'alert')} that ${open === 1 ? 'is' : 'are'} open now.`,
  ]
  const confirm = button({
    actionId: actions.confirm,
    label: 'Plan it',
    value: pendingId,
    says: `Plan it: a mute of ${plainPlanned(what)}`,
    style: what.of === 'account' ? 'danger' : 'primary',
  })
  const cancel = button({
    actionId: actions.cancel,
    label: 'Cancel',
    value: pendingId,
    says: 'Cancel: plan nothing',
  })
  return said(lines, [actionsBlock([confirm, cancel])])
}
