/** `/mon handoff`: what the next person must know. What is open and muted now, what happened, and who did what. */
import type { KnownBlock } from '@slack/types'
import { hour } from '../clock.ts'
import { isLeftOut } from '../decide/channels.ts'
import { isInForce, isPlanned } from '../decide/hidden.ts'
import { ruleRows } from '../decide/history.ts'
import { actions, section, sections } from '../view/blocks.ts'
import { muteGroups } from '../view/board.ts'
import { muteSentence } from '../view/mutes.ts'
import { handoffWords } from '../view/report.ts'
import { rowLine, rowsOf } from '../view/rows.ts'
import type { Scene } from '../view/scene.ts'
import { onCallWords, openWords, troublesOf } from '../view/truths.ts'
import { count, cut, date, escape, subjectOf } from '../view/words.ts'
import type { Alert, Act as HistoricAct } from '../world/types.ts'
import type { Act } from './act.ts'
import { commandButton, readSpan, say } from './queries/answers.ts'
import { wantCsv } from './queries/files.ts'
import { actsSince, actWords, alertsSince } from './queries/past.ts'

const usualMs = 12 * hour
const rowsMax = 12
const mutesMax = 8
const rulesMax = 6
const actsMax = 12
const lineCharsMax = 300

export const handoff: Act = {
  names: ['handoff'],
  usage: 'handoff [duration] [csv]',
  example: 'handoff 8h',
  does: 'Sums up for the next person: what is open and muted, what happened, what was done',
  permission: null,
  command: async (words, context) => {
    const span = readSpan(words, 'handoff', usualMs)
    if (span.kind === 'no') return span.reply
    const { forMs, isCsv, command } = span
    if (isCsv) return wantCsv('handoff_csv', forMs, context)
    const fromMs = context.scene().nowMs - forMs
    const alerts = await alertsSince(context, fromMs)
    const acts = await actsSince(context, fromMs)
    return say([
      ...handoffBlocks(alerts, acts, fromMs, context.scene()),
      ...actions('handoff', [commandButton('offer_1', 'CSV', `${command} csv`)]),
    ])
  },
}

export function handoffBlocks(
  alerts: readonly Alert[],
  acts: readonly HistoricAct[],
  fromMs: number,
  scene: Scene,
): KnownBlock[] {
  const open = [...scene.world.open.values()].filter((alert) => !isLeftOut(scene, alert))
  const troubles = troublesOf(scene)
  const rows = rowsOf(open, scene).map((row) => rowLine(row, scene))
  const isActive = muteGroups(scene, (mute) => isInForce(mute, scene.nowMs) || isPlanned(mute, scene.nowMs))
  const mutes = isActive.map((group) => muteSentence(group, scene))
  const done = acts.filter(({ by, outcome }) => !['monbot', 'policy'].includes(by) && outcome !== 'refused')
  const lines = done.toReversed().map((act) => `${date(act.atMs)} · ${actWords(act, scene)}`)
  return [
    section([...troubles, openWords(open, scene, troubles.length === 0)].join('\n')),
    ...list(null, rows, rowsMax, '/mon alerts'),
    ...list('Muted', mutes, mutesMax, '/mon mutes'),
    ...list(
      handoffWords(alerts, fromMs, scene.nowMs),
      ruleLines(alerts, fromMs, scene.nowMs),
      rulesMax,
      '/mon report',
    ),
    ...list(
      done.length === 0 ? null : `${count(done.length, 'action')}, the latest first`,
      lines,
      actsMax,
      '/mon audit',
    ),
    ...sections([onCallWords(scene) ?? ''].filter((line) => line !== '')),
  ]
}

/** `title` stands without lines too, where it says something by itself. */
function list(title: string | null, lines: readonly string[], max: number, command: string): KnownBlock[] {
  if (lines.length === 0 && (title === null || title === 'Muted')) return []
  const shown = lines.slice(0, max).map((line) => cut(line, lineCharsMax))
  const more = lines.length > max ? [`and ${lines.length - max} more: \`${command}\``] : []
  return sections([...(title === null ? [] : [`*${title}*`]), ...shown, ...more])
}

function ruleLines(alerts: readonly Alert[], fromMs: number, untilMs: number): string[] {
  return ruleRows(alerts, fromMs, untilMs).map(({ example, alerts: many, servers }) => {
    const name = example.metric === null ? example.plugin : subjectOf(example)
    return `• ${escape(name, 80)}: ${count(many, 'alert')} on ${count(servers.length, 'server')}`
  })
}
