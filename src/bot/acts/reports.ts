/**
 * `/mon status`: is all well? The worst truth first, and nothing is green that is muted or unknown. `/mon handoff`: what the next person
 * must know: what is open and muted, what happened, who did what. `/mon report`: the noisiest rules.
 */
import type { KnownBlock } from '@slack/types'
import { day, hour, minute } from '../clock.ts'
import { numbersOf, ruleRows } from '../decide/notices.ts'
import { isBehind, openIn } from '../decide/standing.ts'
import { actions, context, section, sections, viewOfBlocks } from '../view/blocks.ts'
import { doubtOf, lastPollWords, mutesWords, onCallWords, openWords, troublesOf } from '../view/board.ts'
import { handoffWords, reportView, ruleLine } from '../view/notices.ts'
import { rowLine, rowsOf, someLines } from '../view/rows.ts'
import type { Scene, View } from '../view/view.ts'
import { count, date, escaped } from '../view/words.ts'
import type { Act, Alert, Post } from '../world/types.ts'
import type { Action, Context, Reply } from './action.ts'
import { commandButton, readSpan, type Span } from './answers.ts'
import { wantFile } from './files.ts'
import { actsSince, actWords, alertsSince } from './past.ts'

const handoffUsualMs = 12 * hour
const reportUsualMs = 7 * day
const linesMax = 12

export const handoff: Action = {
  names: ['handoff'],
  usage: 'handoff [duration] [csv]',
  example: 'handoff 8h',
  does: 'Sums up for the next person: what is open and muted, what happened, what was done',
  permission: null,
  command: (words, context) =>
    about('handoff', readSpan(words, 'handoff', handoffUsualMs), context, async (alerts, fromMs) =>
      viewOfBlocks(handoffBlocks(alerts, await actsSince(context, fromMs), fromMs, context.scene())),
    ),
}

export const report: Action = {
  names: ['report'],
  usage: 'report [duration] [csv]',
  example: 'report 14d',
  does: 'Counts alerts by rule and shows the noisiest, of the last 7 days or up to 30',
  permission: null,
  command: (words, context) =>
    about('report', readSpan(words, 'report', reportUsualMs), context, (alerts, fromMs) => {
      const scene = context.scene()
      const rows = ruleRows(alerts, fromMs, scene.nowMs)
      return reportView(rows, fromMs, scene.nowMs, doubtOf(scene) ?? '')
    }),
}

/** Of a stretch until now, with a button for its alerts one by one. */
async function about(
  name: 'handoff' | 'report',
  { forMs, isCsv, command }: Span,
  context: Context,
  viewOf: (alerts: readonly Alert[], fromMs: number) => View | Promise<View>,
): Promise<Reply> {
  if (isCsv) {
    const data = { file: `${name}_csv`, forMs, to: context.ask.person.id } as const
    return wantFile(data, 'I sent you the CSV as a direct message', context)
  }
  const fromMs = context.scene().nowMs - forMs
  const { text, blocks } = await viewOf(await alertsSince(context, fromMs), fromMs)
  const csv = actions(name, [commandButton('offer_1', 'CSV', `${command} csv`)])
  return { kind: 'say', render: () => ({ text, blocks: [...blocks, ...csv] }) }
}

function handoffBlocks(
  alerts: readonly Alert[],
  acts: readonly Act[],
  fromMs: number,
  scene: Scene,
): KnownBlock[] {
  const open = openIn(scene)
  const troubles = troublesOf(scene)
  const isDone = ({ by, kind, outcome }: Act) =>
    !['monbot', 'policy'].includes(by) && kind !== 'investigated' && outcome !== 'refused'
  const done = acts.filter(isDone)
  const rules = ruleRows(alerts, fromMs, scene.nowMs)
  const actLine = (act: Act) => `${date(act.atMs)} · ${actWords(act, scene)}`
  return [
    section([...troubles, openWords(open, scene, troubles.length === 0)].join('\n')),
    ...sections(someLines(rowsOf(open, scene), rowLine, linesMax, 'alerts', scene)),
    ...sections(mutesWords(scene)),
    section(`*${handoffWords(numbersOf(alerts, fromMs, scene.nowMs))}*`),
    ...sections(someLines(rules, ruleLine, linesMax / 2, 'report', scene)),
    ...(done.length === 0 ? [] : [section(`*${count(done.length, 'action')}, the latest first*`)]),
    ...sections(someLines(done.toReversed(), actLine, linesMax, 'audit', scene)),
    ...context([onCallWords(scene) ?? '']),
  ]
}

/** Slack takes most messages within a second; what waits longer is behind. */
const behindAfterMs = minute

export const status: Action = {
  names: ['status'],
  usage: 'status',
  example: 'status',
  does: 'Shows whether all is well: alerts, mutes, Slack, monitoring',
  isCommon: true,
  permission: null,
  command: () => ({ kind: 'say', render: (scene) => viewOfBlocks(statusBlocks(scene)) }),
}

function statusBlocks(scene: Scene): KnownBlock[] {
  const troubles = troublesOf(scene)
  return [
    ...sections([
      ...troubles,
      openWords(openIn(scene), scene, troubles.length === 0),
      ...mutesWords(scene),
      onCallWords(scene) ?? '',
    ]),
    ...context([
      behindWords(scene),
      scene.replicaName === '' ? '' : `${escaped(scene.replicaName, 60)} leads`,
      ignoredWords(scene),
      scene.canMuteAlerts ? '' : "Mutes made elsewhere can't be seen here",
      lastPollWords(scene),
    ]),
  ]
}

function behindWords({ world, nowMs }: Scene): string {
  const isLate = (post: Post) => post.state !== 'live' && nowMs - post.createdMs > behindAfterMs
  const behind = [...world.posts.values()].filter((post) => isLate(post) && isBehind(world, post)).length
  return behind === 0 ? '' : `${count(behind, 'message')} waiting for Slack`
}

function ignoredWords(scene: Scene): string {
  const ignored = scene.world.open.size - openIn(scene).length
  return ignored === 0 ? '' : `${count(ignored, 'open alert')} ignored by the policy`
}
