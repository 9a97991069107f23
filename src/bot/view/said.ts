/** Something that was done, told in a channel or a thread, and edited as its outcome becomes known. A mute's message follows its life. */
import type { KnownBlock } from '@slack/types'
import type { Act, ActKind, Alert, Post } from '../world/types.ts'
import type { World } from '../world/world.ts'
import { alertsOn, holderButtons, permalink } from './alert.ts'
import { actions, button, listValue, section, sections, valueFor, viewOfBlocks } from './blocks.ts'
import { openHeadline } from './headline.ts'
import { groupHeadline, groupWords, onServers, tallyOf } from './list.ts'
import { muteButtons, muteLines, mutesOfAct } from './mutes.ts'
import { rowLine } from './rows.ts'
import type { Scene, View } from './view.ts'
import {
  because,
  date,
  duration,
  escaped,
  headline,
  joined,
  link,
  listed,
  markdownLines,
  number,
  people,
  person,
} from './words.ts'

/** `{}` is the thing. What was done, where nobody did it with a capital; and for a failure, what was to be done. */
const phrases: Readonly<Record<ActKind, readonly [mark: string, done: string, todo: string]>> = {
  opened: ['🔴', 'Alert {} opened', 'open {}'],
  closed: ['🟢', 'Alert {} closed', 'close {}'],
  reopened: ['🔴', 'Alert {} opened again', 'open {} again'],
  critical: ['🚨', 'Alert {} became critical', 'make {} critical'],
  mute: ['🔕', 'muted {}', 'mute {}'],
  plan: ['🗓️', 'planned to mute {}', 'plan a mute of {}'],
  paged: ['📟', 'paged somebody about {}', 'page somebody about {}'],
  page: ['📟', 'paged {}', 'page {}'],
  investigated: ['🔎', 'looked into {}', 'look into {}'],
  cover: ['📟', 'put {} on call', 'put {} on call'],
  end_cover: ['📟', 'ended the cover of {}', 'end the cover of {}'],
  refused: ['•', 'did {}', 'do this: {}'],
  outage: ['⚠️', 'Monitoring was down', 'read the monitoring'],
  unmute: ['🔔', 'unmuted {}', 'unmute {}'],
  extend: ['🔕', 'extended the mute of {}', 'extend the mute of {}'],
  skip: ['🗓️', 'skipped the next planned mute of {}', 'skip the planned mute of {}'],
  cancel_plan: ['🗓️', 'canceled the planned mute of {}', 'cancel the planned mute of {}'],
  mute_ended: ['🔔', 'The mute of {} ended', 'run the planned mute of {}'],
  end_silence: ['🔔', 'ended the silence {}', 'end the silence {}'],
  acknowledge: ['👀', 'is on {}', 'acknowledge {}'],
  take_over: ['👀', 'took over {}', 'take over {}'],
  still_on: ['👀', 'is still on {}', 'stay on {}'],
  hand_back: ['👐', 'handed {} back; nobody is on it', 'hand {} back'],
  hand: ['👀', 'handed {}', 'hand {}'],
  snooze: ['👀', 'snoozed {}', 'snooze {}'],
  snooze_ended: ['⏰', 'The snooze of {} is over; nobody is on it', 'end the snooze of {}'],
  note: ['📝', 'noted on {}', 'note something on {}'],
  marker: ['📍', 'dropped a marker', 'drop a marker'],
  add_roles: ['🏷️', 'added roles to {}', 'add roles to {}'],
  no_data: ['📭', 'set who hears when {} sends no data', 'set who hears when {} sends no data'],
  delete_server: ['🗑️', 'deleted the server {}', 'delete the server {}'],
  delete_metric: ['🗑️', 'deleted {}', 'delete {}'],
  close: ['🟢', 'closed {}', 'close {}'],
  restore: ['⚠️', 'A backup was restored', 'restore a backup'],
}

/** A said message, or a line in a card's thread. */
export function saidBlocks(post: Post, scene: Scene): KnownBlock[] {
  const act = scene.world.acts.get(post.data.act ?? '')
  if (act === undefined) return [section('⚪ This message is too old to be shown')]
  if (act.kind === 'mute' || act.kind === 'plan') return muteBlocks(act, scene)
  if (act.kind === 'page') return [...pagedWords(act.id, scene).blocks]
  const isOnCard = scene.world.posts.get(post.thread ?? '')?.kind === 'alert'
  const thing = isOnCard ? 'it' : thingOf(act, scene.world)
  if (act.kind === 'investigated' && act.outcome === 'done')
    return sections([
      `🔎 *${person(act.by)}* says${isOnCard ? '' : ` of ${thing}`}:`,
      ...markdownLines(act.data.text ?? ''),
    ])
  const sentence = act.kind === 'paged' ? pagedSentence(act, thing, post.isLoud) : actSentence(act, thing)
  const calls = post.mention === null ? '' : ` · ${post.mention}`
  return [section([`${sentence}${calls}`, ...(act.kind === 'hand' ? undeliveredWords(act) : [])].join('\n'))]
}

function muteBlocks(act: Act, scene: Scene): KnownBlock[] {
  const mutes = mutesOfAct(act, scene.world)
  if (mutes.length === 0) return [section(actSentence(act))]
  return [section(muteLines(mutes, scene).join('\n')), ...actions('said', muteButtons(mutes, scene))]
}

/** `📍 @ana dropped a marker: deploy 1.2.3`; `⚠️ Couldn't delete web-2: it is not known`. `thing` replaces its subject. */
export function actSentence(act: Act, thing = `*${escaped(act.subject, 200)}*`): string {
  const { kind, outcome, data } = act
  const [mark, done, todo] = phrases[kind]
  const who = /^\p{Lu}/u.test(done) ? '' : `${person(act.by)} `
  const whole = (phrase: string) => phrase.replace('{}', () => thing)
  if (outcome === 'refused') return `⚠️ ${person(act.by)} isn't allowed to ${whole(todo)}`
  if (outcome === 'failed') return `⚠️ Couldn't ${whole(todo)}${data.why ? `: ${escaped(data.why)}` : ''}`
  // What was found is long, and stands in the thread.
  const details = kind === 'investigated' ? '' : detailWords(act)
  return `${mark} ${who}${whole(done)}${details}${doubtWords(act)}`
}

/** An alert as its card has it; several things by their names. */
function thingOf({ alert: id, subject, data, kind }: Act, world: World): string {
  const alert = kind === 'mute_ended' ? undefined : world.alerts.get(id ?? '')
  if (alert !== undefined) return headline(alert)
  const names = data.names ?? []
  return names.length > 1
    ? `*${listed(names.map((name) => escaped(name, 80)))}*`
    : `*${escaped(subject, 200)}*`
}

/** `isAloud`: nobody may have been called, so people are told. */
function pagedSentence({ outcome, data }: Act, thing: string, isAloud: boolean): string {
  const why = data.why ? `: ${escaped(data.why)}` : ''
  if (outcome === 'failed') return `⚠️ Couldn't call the pager about ${thing}${why}`
  if (outcome === 'unknown' || (outcome === 'asked' && isAloud))
    return `⚠️ The pager hasn't confirmed the call about ${thing}${why}. Retrying`
  return outcome === 'done' ? `📟 The pager was called about ${thing}` : `📟 Calling the pager about ${thing}`
}

/** Whom a person called, whether the pager has it, and who answered. */
export function pagedWords(id: string, { world }: Scene): View {
  const act = world.acts.get(id)
  if (act === undefined) return viewOfBlocks([section('⚪ This message is too old to be shown')])
  const { answeredBy, why = '' } = act.data
  const doubts = {
    ...{ asked: "The pager hasn't confirmed it yet", done: '', refused: '' },
    unknown: `⚠️ The pager hasn't confirmed it: ${escaped(why)}. Retrying`,
    failed: `⚠️ The pager refused it: ${escaped(why)}. Call them another way`,
  }
  const end = answeredBy === undefined ? doubts[act.outcome] : `👀 ${person(answeredBy)} is on it`
  const whom = act.data.to === undefined ? 'whoever is on call' : person(act.data.to)
  const yes = button({ id: 'acknowledge_page', label: 'Acknowledge', style: 'primary', value: { act: id } })
  return viewOfBlocks([
    ...sections([actSentence({ ...act, outcome: 'done' }, whom), end]),
    ...(answeredBy === undefined ? actions('paged', [yes]) : []),
  ])
}

function detailWords({ kind, data }: Act): string {
  const { to, from, roles = [], untilMs, text = '' } = data
  if (kind === 'hand') return `${to === undefined ? '' : ` to ${person(to)}`}${because(text)}`
  if (kind === 'take_over' && from !== undefined) return ` from ${person(from)}`
  if (kind === 'page') return because(text)
  if (kind === 'add_roles') return `: ${joined(roles.map((role) => `*${escaped(role, 40)}*`))}`
  const until = typeof untilMs === 'number' ? ` until ${date(untilMs)}` : ''
  if (kind === 'mute' || kind === 'plan') return `${until}${because(text)}`
  if (kind === 'extend' || kind === 'snooze' || kind === 'cover') return until
  return text === '' ? '' : `: ${escaped(text, 1_000)}`
}

/** Two stages are enough: done, and not confirmed yet. */
function doubtWords({ outcome }: Act): string {
  if (outcome === 'asked') return " (the monitoring hasn't confirmed it yet)"
  return outcome === 'unknown' ? ' (never confirmed)' : ''
}

/** Slack refused the direct message: its reason stands on the act. */
function undeliveredWords({ data }: Act): string[] {
  if (!data.why || data.to === undefined) return []
  return [`⚠️ Couldn't DM ${person(data.to)}: ${escaped(data.why)}. Please tell them`]
}

export function dmBlocks(post: Post, scene: Scene): KnownBlock[] {
  const { world } = scene
  const act = world.acts.get(post.data.act ?? '')
  const alert = world.alerts.get(act?.alert ?? '')
  if (act === undefined || alert === undefined) return [section('⚪ This message is too old to be shown')]
  const card =
    world.posts.get(post.data.about ?? '') ?? world.postsAbout(alert.id).find(({ ts }) => ts !== null)
  const address = permalink(card, world)
  const isYours = alert.closedMs === null && alert.holder === act.data.to
  return [
    ...sections([
      `👀 ${person(act.by)} handed you ${headline(alert)}${because(act.data.text ?? '')}`,
      rowLine({ alerts: [alert], list: null }, scene),
      address === null ? '' : link(address, 'Open the card'),
    ]),
    ...(isYours
      ? actions('dm', [button({ id: 'hand_back', label: 'Hand back', value: valueFor(alert, scene) })])
      : []),
  ]
}

export function remindBlocks(post: Post, scene: Scene): KnownBlock[] {
  const alerts = toldBy(post, scene.world)
  const { nobody: still } = tallyOf(alerts, scene)
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
  return isAsked ? `👐 Handed back: ${what}` : `⚪ The policy file ignores it: ${what}`
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
