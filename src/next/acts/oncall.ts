/** `/mon oncall`: who is on call, until when, and who comes next. */
import { context, sections } from '../view/blocks.ts'
import type { Scene } from '../view/scene.ts'
import { date, escape, person } from '../view/words.ts'
import type { Shift } from '../world/types.ts'
import type { Act } from './act.ts'
import { say } from './queries/answers.ts'

const nextShown = 3

export const oncall: Act = {
  names: ['oncall', 'on call'],
  usage: 'oncall',
  example: 'oncall',
  does: 'Shows who is on call, until when, and who comes next',
  permission: null,
  command: (_words, { scene }) => {
    const now = scene()
    const { shifts = [], atMs = now.nowMs } = now.world.fact('oncall') ?? {}
    const next = shifts.filter(({ fromMs }) => fromMs > now.nowMs).slice(0, nextShown)
    const lines = next.map(
      (shift) => `Next: ${who(shift)} from ${date(shift.fromMs)} until ${date(shift.untilMs)}`,
    )
    const doubt = onCallDoubt(now)
    const isRead = shifts.length > 0 ? context([`The calendar was read ${date(atMs)}`]) : []
    return say([...sections([onCallWords(now), ...lines, ...(doubt === null ? [] : [doubt])]), ...isRead])
  },
}

/** One line; status and handoff say it too. */
export function onCallWords({ world, policy, nowMs }: Scene): string {
  const known = world.fact('oncall')
  if (policy.onCall === null && !known) return "I don't know who's on call: no calendar is set up"
  if (!known) return "⚠️ The on-call calendar hasn't been read yet"
  const now = known.shifts.filter(({ fromMs, untilMs }) => fromMs <= nowMs && nowMs < untilMs)
  if (now.length === 0) return 'Nobody is on call now'
  const last = Math.min(...now.map(({ untilMs }) => untilMs))
  return `📟 ${now.map(who).join(' and ')} ${now.length === 1 ? 'is' : 'are'} on call until ${date(last)}`
}

/** Why the calendar may be wrong; null where nothing says so. */
export function onCallDoubt({ world }: Scene): string | null {
  const { why = null, unread = 0 } = world.fact('oncall') ?? {}
  if (why !== null) return `⚠️ Couldn't read the on-call calendar: ${escape(why)}`
  return unread === 0 ? null : `⚠️ ${unread} entries of the on-call calendar couldn't be read`
}

function who(shift: Shift): string {
  return person(shift.person)
}
