/** `/mon handoff`: what the next person must know. What is open and muted now, what happened, and who did what. */
import type { KnownBlock } from '@slack/types'
import { hour } from '../clock.ts'
import { openIn } from '../decide/channels.ts'
import { type RuleRow, ruleRows } from '../decide/counts.ts'
import { isInForce, isPlanned } from '../decide/hidden.ts'
import { actions, context, section, sections } from '../view/blocks.ts'
import { muteGroups } from '../view/board.ts'
import { muteSentence } from '../view/mutes.ts'
import { handoffWords } from '../view/report.ts'
import { rowLine, rowsOf, someLines } from '../view/rows.ts'
import type { Scene } from '../view/scene.ts'
import { onCallWords, openWords, troublesOf } from '../view/truths.ts'
import { count, date, escaped, subjectOf } from '../view/words.ts'
import type { Alert, Act as HistoricAct, Mute } from '../world/types.ts'
import type { Act } from './act.ts'
import { commandButton, readSpan, say } from './queries/answers.ts'
import { wantCsv } from './queries/files.ts'
import { actsSince, actWords, alertsSince } from './queries/past.ts'

const usualMs = 12 * hour
const rowsMax = 12
const mutesMax = 8
const rulesMax = 6
const actsMax = 12

export const handoff: Act = {
  names: ['handoff'],
  usage: 'handoff [duration] [csv]',
  example: 'handoff 8h',
  does: 'Sums up for the next person: what is open and muted, what happened, what was done',
  permission: null,
  command: async (words, asked) => {
    const span = readSpan(words, 'handoff', usualMs)
    if (span.kind === 'no') return span.reply
    const { forMs, isCsv, command } = span
    if (isCsv) return wantCsv('handoff_csv', forMs, asked)
    const fromMs = asked.scene().nowMs - forMs
    const alerts = await alertsSince(asked, fromMs)
    const acts = await actsSince(asked, fromMs)
    return say([
      ...handoffBlocks(alerts, acts, fromMs, asked.scene()),
      ...actions('handoff', [commandButton('offer_1', 'CSV', `${command} csv`)]),
    ])
  },
}

function handoffBlocks(
  alerts: readonly Alert[],
  acts: readonly HistoricAct[],
  fromMs: number,
  scene: Scene,
): KnownBlock[] {
  const open = openIn(scene)
  const troubles = troublesOf(scene)
  const isNow = (mute: Mute) => isInForce(mute, scene.nowMs) || isPlanned(mute, scene.nowMs)
  const done = acts.filter(({ by, outcome }) => !['monbot', 'policy'].includes(by) && outcome !== 'refused')
  const actLine = (act: HistoricAct) => `${date(act.atMs)} · ${actWords(act, scene)}`
  const some = <T>(
    items: readonly T[],
    lineOf: (item: T, now: Scene) => string,
    max: number,
    command: string,
  ) => sections(someLines(items, lineOf, { max, command, scene }))
  return [
    section([...troubles, openWords(open, scene, troubles.length === 0)].join('\n')),
    ...some(rowsOf(open, scene), rowLine, rowsMax, 'alerts'),
    ...some(muteGroups(scene, isNow), muteSentence, mutesMax, 'mutes'),
    section(`*${handoffWords(alerts, fromMs, scene.nowMs)}*`),
    ...some(ruleRows(alerts, fromMs, scene.nowMs), ruleLine, rulesMax, 'report'),
    ...(done.length === 0 ? [] : [section(`*${count(done.length, 'action')}, the latest first*`)]),
    ...some(done.toReversed(), actLine, actsMax, 'audit'),
    ...context([onCallWords(scene) ?? '']),
  ]
}

function ruleLine({ example, alerts, servers }: RuleRow): string {
  const name = example.metric === null ? example.plugin : subjectOf(example)
  return `• ${escaped(name, 80)}: ${count(alerts, 'alert')} on ${count(servers.length, 'server')}`
}
