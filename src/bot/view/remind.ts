/** What is said aloud beside a card: reminders, what opened again, became critical or was snoozed, and "are you still on it?". Once over, it says so. */
import type { KnownBlock } from '@slack/types'
import type { Alert, Post } from '../world/types.ts'
import type { World } from '../world/world.ts'
import { alertsOn, holderButtons, permalink } from './alert.ts'
import { actions, button, section } from './blocks.ts'
import { groupHeadline, groupWords, onServers, tallyOf } from './group.ts'
import { openHeadline } from './headline.ts'
import type { Scene } from './scene.ts'
import { listValue, valueFor } from './values.ts'
import { date, duration, headline, link, number, people, person } from './words.ts'

export function remindBlocks(post: Post, scene: Scene): KnownBlock[] {
  const alerts = toldBy(post, scene.world)
  const { nobody } = tallyOf(alerts, scene)
  // Whoever handed it back began another round, which has reminders of its own.
  const still = nobody.filter(({ round }) => round === null || round.fromMs <= post.createdMs)
  const [first] = still
  if (first === undefined) return [section(`${overWords(alerts, scene)}${cardLink(post, scene.world)}`)]
  const sinceMs = Math.min(...still.map(({ round, startedMs }) => round?.fromMs ?? startedMs))
  const isCritical = still.some(({ severity }) => severity === 'critical')
  const what = still.length === 1 ? headline(first) : `*${groupWords(still)}* ${onServers(still)}`
  const line = `⏰ ${isCritical ? '*CRITICAL:* nobody' : 'Nobody'} has been on ${what} since ${date(sinceMs)}`
  return said(`${line}${called(post)}`, still, post, scene)
}

/** Aloud on a card that stands already: an edit would have called nobody. */
export function aloudBlocks(post: Post, scene: Scene): KnownBlock[] {
  const { world } = scene
  const alerts = toldBy(post, world)
  const { open, nobody } = tallyOf(alerts, scene)
  const isCritical = post.data.why === 'critical'
  const still = isCritical ? open.filter(({ severity }) => severity === 'critical') : open
  const [first] = still
  if (first === undefined) {
    const none = `🔴 ${open.length === 1 ? "It isn't" : `None of these ${open.length} is`} critical now`
    return [section(`${open.length > 0 ? none : overWords(alerts, scene)}${cardLink(post, world)}`)]
  }
  if (nobody.length === 0) return [section(`${overWords(still, scene)}${cardLink(post, world)}`)]
  const line = still.length > 1 ? groupHeadline(still) : openHeadline(first)
  return said(`${line} · ${happened(post, nobody, first)}${called(post)}`, nobody, post, scene)
}

function happened({ data: { why } }: Post, nobody: readonly Alert[], { startedMs }: Alert): string {
  if (why === 'critical') return 'became critical'
  if (why === 'reopened') return `opened again and stayed open, since ${date(startedMs)}`
  const whose = people(nobody.flatMap(({ snooze }) => snooze?.by ?? []))
  return `${whose === '' ? 'the' : `${whose}'s`} snooze is over, and nobody is on it`
}

/** Alerts that a question to whoever has been on them for hours still asks about. */
export function askedAbout(post: Post, world: World): Alert[] {
  const askedMs = askedMsOf(post)
  return toldBy(post, world).filter(
    ({ closedMs, holder, heldMs }) => closedMs === null && holder !== null && heldMs === askedMs,
  )
}

function askedMsOf({ id }: Post): number {
  return Number(id.split(':').at(-1))
}

export function forgottenBlocks(post: Post, scene: Scene): KnownBlock[] {
  const { world } = scene
  const asked = askedAbout(post, world)
  const [first] = asked
  if (first === undefined || first.holder === null)
    return [section(overWords(toldBy(post, world), scene, true))]
  const what = asked.length === 1 ? headline(first) : `*${groupWords(asked)}*`
  const value = { post: post.id }
  const since = date(askedMsOf(post))
  return [
    section(`👀 ${person(first.holder)}, are you still on ${what}? You've been on it since ${since}`),
    ...actions('forgotten', [
      button({ id: 'still_on', label: "I'm on it", value }),
      button({ id: 'hand_back', label: 'Hand back', value }),
    ]),
  ]
}

function said(line: string, alerts: readonly Alert[], post: Post, scene: Scene): KnownBlock[] {
  const [first] = alerts
  const label = `Acknowledge ${number(alerts.length)}`
  const value = listValue(post)
  const own =
    first === undefined || alerts.length > 1
      ? [button({ id: 'acknowledge_all', label, style: 'primary', value })]
      : holderButtons(first, valueFor(first, scene))
  return [section(`${line}${cardLink(post, scene.world)}`), ...actions('said', own)]
}

/** In three words how it ended: `👀 @ben is on it`, `🟢 Closed after 24 min`, `🔕 Muted now`. */
function overWords(alerts: readonly Alert[], scene: Scene, isAsked = false): string {
  const { open, held, hidden, unlisted } = tallyOf(alerts, scene)
  const [first] = alerts
  if (first === undefined) return '⚪ Too old to be shown'
  const what = alerts.length === 1 ? headline(first) : `*${groupWords(alerts)}* ${onServers(alerts)}`
  if (open.length === 0) {
    const after =
      alerts.length === 1 && first.closedAfterMs !== null ? ` after ${duration(first.closedAfterMs)}` : ''
    return `🟢 Closed${after}: ${what}`
  }
  const holder = held[0]?.holder ?? null
  if (holder !== null) {
    const on = held.length === 1 || alerts.length === 1 ? 'it' : 'them'
    return `👀 ${person(holder)} is ${isAsked ? 'still ' : ''}on ${on}: ${what}`
  }
  if (hidden.length === open.length) return `🔕 Muted now: ${what}`
  if (unlisted.length > 0) return `⚪ No longer listed: ${what}`
  return isAsked ? `👐 Handed back: ${what}` : `👀 Somebody was on it: ${what}`
}

function toldBy(post: Post, world: World): Alert[] {
  return alertsOn(post.shows.length > 0 ? post : cardOf(post, world), world)
}

function cardOf({ data, thread }: Post, world: World): Post | undefined {
  return world.posts.get(data.about ?? thread ?? '')
}

/** In its own thread the card stands above it. */
function cardLink(post: Post, world: World): string {
  const address = post.thread === null ? permalink(cardOf(post, world), world) : null
  return address === null ? '' : ` · ${link(address, 'card')}`
}

function called({ mention }: Post): string {
  return mention === null ? '' : ` · ${mention}`
}
