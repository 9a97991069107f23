/** `/mon report`: alerts by rule, the noisiest first. */
import { day } from '../clock.ts'
import { ruleRows } from '../decide/counts.ts'
import { actions, sections } from '../view/blocks.ts'
import { reportLines } from '../view/report.ts'
import { doubtOf } from '../view/truths.ts'
import type { Act } from './act.ts'
import { commandButton, readSpan, say } from './queries/answers.ts'
import { wantCsv } from './queries/files.ts'
import { alertsSince } from './queries/past.ts'

const usualMs = 7 * day

export const report: Act = {
  names: ['report'],
  usage: 'report [duration] [csv]',
  example: 'report 14d',
  does: 'Counts alerts by rule and shows the noisiest, of the last 7 days or up to 30',
  permission: null,
  command: async (words, context) => {
    const span = readSpan(words, 'report', usualMs)
    if (span.kind === 'no') return span.reply
    const { forMs, isCsv, command } = span
    if (isCsv) return wantCsv('report_csv', forMs, context)
    const alerts = await alertsSince(context, context.scene().nowMs - forMs)
    const scene = context.scene()
    const fromMs = scene.nowMs - forMs
    const rows = ruleRows(alerts, fromMs, scene.nowMs)
    const doubt = doubtOf(scene)
    return say([
      ...sections([...(doubt === null ? [] : [doubt]), ...reportLines(rows, fromMs, scene.nowMs)]),
      ...actions('report', [commandButton('offer_1', 'CSV', `${command} csv`)]),
    ])
  },
}
