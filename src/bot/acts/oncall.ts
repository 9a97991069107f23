/** `/mon oncall`: who is on call, until when, and who comes next. */
import { context, sections } from '../view/blocks.ts'
import { onCallWords } from '../view/truths.ts'
import { date, person } from '../view/words.ts'
import type { Act } from './act.ts'
import { say } from './queries/answers.ts'

const nextShown = 5

export const oncall: Act = {
  names: ['oncall', 'on call'],
  usage: 'oncall',
  example: 'oncall',
  does: 'Shows who is on call, until when, and who comes next',
  permission: null,
  command: (_words, { scene }) => {
    const now = scene()
    const { shifts = [], atMs = 0, why = null } = now.world.fact('oncall') ?? {}
    const next = shifts
      .filter(({ fromMs }) => fromMs > now.nowMs)
      .sort((a, b) => a.fromMs - b.fromMs)
      .slice(0, nextShown)
    return say([
      ...sections([
        onCallWords(now) ?? "I don't know who's on call: no calendar is set up",
        ...next.map((one) => `${person(one.person)} from ${date(one.fromMs)} until ${date(one.untilMs)}`),
      ]),
      ...context([
        why === null ? '' : "⚠️ The calendar can't be read now",
        shifts.length === 0 ? '' : `Read ${date(atMs)}`,
      ]),
    ])
  },
}
