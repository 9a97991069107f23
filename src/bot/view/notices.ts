/** The report of the noisiest rules, the line at a change of shift, and an outage of the monitoring: aloud while it lasts, and edited then. */
import type { KnownBlock } from '@slack/types'
import { type RuleRow, reportFromMs, ruleRows } from '../decide/notices.ts'
import { onCallAt, shiftsIn } from '../decide/standing.ts'
import type { Shift } from '../world/facts.ts'
import type { Alert, Numbers, Post } from '../world/types.ts'
import { actions, button, type Column, section, sections, viewOfBlocks, viewOfTable } from './blocks.ts'
import type { Scene, View } from './view.ts'
import { count, date, duration, escaped, joined, kindName, listed, number, people, person } from './words.ts'

const rulesMax = 10
const serversNamed = 4

export function reportOf(post: Post, { world, policy }: Scene): View {
  const { atMs = post.createdMs } = post.data
  const fromMs = reportFromMs(policy, atMs)
  const rows = ruleRows([...world.alerts.values()], fromMs, atMs)
  return reportView(rows, fromMs, atMs)
}

/** `📊 *42 alerts opened* …, by 7 rules`, and a row for each of the noisiest. */
export function reportView(rows: readonly RuleRow[], fromMs: number, untilMs: number, doubt = ''): View {
  const alerts = rows.reduce((sum, row) => sum + row.alerts, 0)
  const span = `${date(fromMs)} – ${date(untilMs)}`
  if (alerts === 0) return viewOfBlocks(sections([doubt, `📊 *No alerts opened* ${span}`]))
  const title = `📊 *${count(alerts, 'alert')} opened* ${span}, by ${count(rows.length, 'rule')}`
  const rest = rows.length - rulesMax
  const more = rest > 0 ? `and ${count(rest, 'more rule')}` : ''
  const after = sections([more, 'Too noisy? Raise the limit or ignore it in the policy file'])
  return viewOfTable([doubt, title], rows.slice(0, rulesMax), ruleLine, ruleColumns, after)
}

const ruleColumns: readonly Column<RuleRow>[] = [
  ['Rule', ruleName],
  ['Alerts', ({ alerts }) => number(alerts), 'right'],
  ['Critical', ({ critical }) => (critical === 0 ? '' : number(critical)), 'right'],
  ['Typically open', ({ medianMs }) => (medianMs === null ? '' : duration(medianMs)), 'right'],
  ['Servers', whereWords],
]

function ruleName({ example }: RuleRow): string {
  return escaped(kindName(example), 80)
}

function whereWords({ servers }: RuleRow): string {
  const names = servers.map((server) => escaped(server, 40))
  return names.length > serversNamed ? count(names.length, 'server') : listed(names)
}

/** `*CPU busy*: 12 alerts on vm and web-2, 2 critical, typically open 16 s`. */
export function ruleLine(row: RuleRow): string {
  const { alerts, critical, medianMs } = row
  const bad = critical === 0 ? '' : `, ${number(critical)} critical`
  const open = medianMs === null ? '' : `, typically open ${duration(medianMs)}`
  return `• *${ruleName(row)}*: ${count(alerts, 'alert')} on ${whereWords(row)}${bad}${open}`
}

export function shiftBlocks(post: Post, { world }: Scene): KnownBlock[] {
  const { atMs = post.createdMs, untilMs } = post.data
  const now = onCallAt(world, atMs)
  const before = shiftsIn(world).filter((one) => one.fromMs < atMs && one.untilMs === atMs)
  const isCover = now.some(({ covers }) => covers !== undefined)
  const from = before.length === 0 || isCover ? '' : `, after ${people(before.map(({ person }) => person))}`
  const line =
    now.length === 0
      ? `📟 Nobody is on call from ${date(atMs)}${from}`
      : `${onCallSentence(now, untilMs !== undefined)}${from}`
  const end = button({ id: 'end_cover', label: 'End cover', value: { seen: String(atMs) } })
  const buttons = actions('shift', isCover && untilMs === undefined ? [end] : [])
  const brought = post.data.handoff === undefined ? '' : `\n${handoffWords(post.data.handoff)}`
  return [section(`${line}${brought}`), ...buttons]
}

/** `📟 @ana is on call until T`, `📟 @ana covers for @ben until T`, `📟 @ana covered for @ben T – T`. */
export function onCallSentence(now: readonly Shift[], isOver = false): string {
  const who = people(now.map(({ person }) => person))
  const whose = people(now.flatMap(({ covers = [] }) => covers))
  const fromMs = Math.max(...now.map((one) => one.fromMs))
  const until = date(Math.min(...now.map(({ untilMs }) => untilMs)))
  if (isOver)
    return `📟 ${who} ${whose === '' ? 'was on call' : `covered for ${whose}`} ${date(fromMs)} – ${until}`
  const does = whose === '' ? `${now.length === 1 ? 'is' : 'are'} on call` : `covers for ${whose}`
  return `📟 ${who} ${does} until ${until}`
}

/** `Since T 12 alerts opened and 10 closed; 3 were open at the end: nobody was on 2, @ben on 1`. */
export function handoffWords({ fromMs, opened, closed, open }: Numbers): string {
  const left = open.reduce((sum, [, alerts]) => sum + alerts, 0)
  const whose = [...open]
    .sort(([a], [b]) => Number(a !== null) - Number(b !== null))
    .map(([holder, alerts]) =>
      holder === null ? `nobody was on ${alerts}` : `${person(holder)} on ${alerts}`,
    )
  const end = left === 0 ? 'none was open at its end' : `${number(left)} open at its end: ${joined(whose)}`
  return `From ${date(fromMs)} ${count(opened, 'alert')} opened and ${number(closed)} closed; ${end}`
}

export function outageBlocks(post: Post, { world }: Scene): KnownBlock[] {
  const { sinceMs = post.createdMs, untilMs = null, isUnmeasured = false } = post.data
  const alerts = [...world.alerts.values()].filter(({ isOneoff }) => !isOneoff)
  if (untilMs === null) {
    const failing = world.fact('failing') ?? null
    const why = failing === null ? '' : `: ${escaped(failing.why)}`
    const open = alerts.filter((alert) => isOpenAt(alert, sinceMs)).length
    const were = open === 1 ? '1 alert was' : `${open === 0 ? 'No' : number(open)} alerts were`
    return [
      section(
        `⚠️ *Monitoring has been down since ${date(sinceMs)}*${why}\n${were} open then; cards may be out of date`,
      ),
    ]
  }
  const opened = alerts.filter(({ startedMs }) => startedMs > sinceMs && startedMs <= untilMs)
  const still = opened.filter((alert) => alert.closedMs === null || alert.closedMs > untilMs).length
  const left = still === 0 ? 'none is' : `${number(still)} ${still === 1 ? 'is' : 'are'}`
  const meanwhile =
    opened.length === 0
      ? 'Meanwhile no alerts opened'
      : `Meanwhile ${count(opened.length, 'alert')} opened; ${left} still open`
  const after = isUnmeasured ? '' : ` after ${duration(untilMs - sinceMs)}`
  return [section(`✅ Monitoring is back${after}\n${meanwhile}`)]
}

function isOpenAt({ startedMs, closedMs }: Alert, atMs: number): boolean {
  return startedMs <= atMs && (closedMs === null || closedMs > atMs)
}
