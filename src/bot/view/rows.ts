/** Alerts as rows, wherever several are listed: a storm is one row. Unacknowledged first, then critical, then the newest. */
import type { Button, KnownBlock } from '@slack/types'
import { isHidden } from '../decide/hidden.ts'
import { kindOf } from '../decide/matching.ts'
import { isAudible, openOn } from '../decide/standing.ts'
import type { Alert, Post } from '../world/types.ts'
import { permalink } from './alert.ts'
import { button, listValue, section, valueFor } from './blocks.ts'
import {
  briefTrouble,
  closedWords,
  holderWords,
  markOf,
  numberWords,
  serverLink,
  unlistedWords,
} from './headline.ts'
import { groupHeadline, tallyOf, whoseWords } from './list.ts'
import type { Scene } from './view.ts'
import { cut, date, link, number, person } from './words.ts'

/** `list`: the list that shows all of them, where they are several. */
export type Row = { readonly alerts: readonly Alert[]; readonly list: Post | null }

export function rowsOf(alerts: readonly Alert[], scene: Scene): Row[] {
  const groups = new Map<string, { alerts: Alert[]; list: Post | null }>()
  for (const alert of alerts) {
    const list = alert.closedMs === null ? listOf(alert, scene) : null
    const key = list === null ? alert.id : `${list.id} ${kindOf(alert)}`
    const group = groups.get(key)
    if (group === undefined) groups.set(key, { alerts: [alert], list })
    else group.alerts.push(alert)
  }
  const rows = [...groups.values()].map((row) => (row.alerts.length > 1 ? row : { ...row, list: null }))
  const ranked = rows.map((row) => ({ row, rank: rankOf(row, scene) }))
  const compare = (a: Rank, b: Rank) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2]
  return ranked.sort((a, b) => compare(a.rank, b.rank)).map(({ row }) => row)
}

const lineCharsMax = 450

/** A line each, as long as there are not too many; the rest is counted, with the command that lists all. */
export function someLines<T>(
  items: readonly T[],
  lineOf: (item: T, scene: Scene) => string,
  max: number,
  command: string,
  scene: Scene,
): string[] {
  const lines = items.slice(0, max).map((item) => cut(lineOf(item, scene), lineCharsMax))
  const rest = items.length - lines.length
  return rest > 0 ? [...lines, `and ${number(rest)} more: \`/mon ${command}\``] : lines
}

/** One line of mrkdwn, of at most some 800 characters. */
export function rowLine({ alerts, list }: Row, scene: Scene): string {
  const [alert] = alerts
  if (alert === undefined) return ''
  if (alerts.length > 1) {
    const address = permalink(list ?? undefined, scene.world)
    const card = address === null ? '' : ` · ${link(address, 'card')}`
    return `${groupHeadline(alerts)} · ${whoseWords(tallyOf(alerts, scene))}${card}`
  }
  const critical = alert.severity === 'critical' && alert.closedMs === null ? '*CRITICAL* ' : ''
  const begin = `${markOf(alert)} ${critical}${serverLink(alert)} ${briefTrouble(alert)}`
  return [begin, ...standingWords(alert, scene), numberWords(alert)].join(' · ')
}

const blockCharsMax = 600

export function rowBlock(row: Row, at: number, scene: Scene): KnownBlock {
  return section(cut(rowLine(row, scene), blockCharsMax), acknowledgeButton(row, scene), `row:${at}`)
}

/** Acknowledges what the row shows and nobody is on; none where that is nothing, or only a part of its storm. */
function acknowledgeButton({ alerts, list }: Row, scene: Scene): Button | undefined {
  const { world } = scene
  const isFree = (alert: Alert) =>
    alert.holder === null && isAudible(scene, alert) && world.open.has(alert.id)
  const [first, ...others] = alerts.filter(isFree)
  if (first === undefined) return undefined
  if (list === null) return button({ id: 'acknowledge', label: 'Acknowledge', value: valueFor(first, scene) })
  const kind = kindOf(first)
  const all = openOn(world, list).filter((alert) => kindOf(alert) === kind && isFree(alert))
  if (all.length !== others.length + 1) return undefined
  const value = { ...listValue(list), kind }
  return button({ id: 'acknowledge_all', label: `Acknowledge ${number(all.length)}`, value })
}

function standingWords(alert: Alert, { world, nowMs }: Scene): string[] {
  const { closedMs, startedMs, unlistedMs, holder, isOneoff } = alert
  if (isOneoff) return [date(startedMs)]
  if (closedMs !== null) return [closedWords(alert), ...(holder === null ? [] : [person(holder)])]
  if (unlistedMs !== null) return [unlistedWords(alert)]
  const since = `since ${date(startedMs)}`
  const muted = isHidden(world, alert, nowMs) ? ['🔕 muted'] : []
  if (holder !== null) return [since, ...holderWords(alert), ...muted]
  return [since, ...(muted.length > 0 ? muted : ['*nobody is on it*'])]
}

/** The list that an open alert stands on, if it has no card of its own. */
function listOf(alert: Alert, { world }: Scene): Post | null {
  let list: Post | null = null
  for (const id of world.about.get(alert.id) ?? []) {
    const post = world.posts.get(id)
    if (post === undefined || post.state === 'dead') continue
    if (post.kind === 'alert') return null
    if (post.kind === 'list') list ??= post
  }
  return list
}

type Rank = readonly [number, number, number]

function rankOf({ alerts }: Row, { world, nowMs }: Scene): Rank {
  const isFree = (alert: Alert) => alert.holder === null && alert.closedMs === null
  return [
    alerts.some((alert) => isFree(alert) && !isHidden(world, alert, nowMs)) ? 0 : 1,
    alerts.some(({ severity, closedMs }) => severity === 'critical' && closedMs === null) ? 0 : 1,
    -alerts.reduce((newest, { startedMs }) => Math.max(newest, startedMs), 0),
  ]
}
