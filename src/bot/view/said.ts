/** Something that was done, told in a channel or a thread, and edited as its outcome becomes known. A mute's message follows its life. */
import type { KnownBlock } from '@slack/types'
import { isInForce } from '../decide/hidden.ts'
import type { Act, ActKind, Post } from '../world/types.ts'
import type { World } from '../world/world.ts'
import { permalink } from './alert.ts'
import { actions, button, section, viewOfBlocks } from './blocks.ts'
import { closedHeadline, openHeadline } from './headline.ts'
import { muteButtons, muteLines, mutesOfAct, namesOf } from './mutes.ts'
import type { Scene, View } from './scene.ts'
import { valueFor } from './values.ts'
import { because, count, date, escaped, headline, joined, link, listed, person } from './words.ts'

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
  report_csv: ['📊', 'sent the CSV of {}', 'send the CSV of {}'],
  restore: ['⚠️', 'A backup was restored', 'restore a backup'],
}

/** A said message, or a line in a card's thread. */
export function saidBlocks(post: Post, scene: Scene): KnownBlock[] {
  const act = scene.world.acts.get(post.data.act ?? '')
  if (act === undefined) return [section('⚪ This message is too old to be shown')]
  if (post.data.untilMs !== undefined) return endingBlocks(act, post, scene)
  if (act.kind === 'mute' || act.kind === 'plan') return muteBlocks(act, scene)
  if (act.kind === 'page') return [...pagedWords(act.id, scene).blocks]
  const isOnCard = scene.world.posts.get(post.thread ?? '')?.kind === 'alert'
  const thing = isOnCard ? 'it' : thingOf(act, scene.world)
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
  return `${mark} ${who}${whole(done)}${detailWords(act)}${doubtWords(act)}`
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
  const lines = [actSentence({ ...act, outcome: 'done' }, whom), end].filter((line) => line !== '')
  const yes = button({
    id: 'acknowledge_page',
    label: 'Acknowledge',
    style: 'primary',
    value: { act: id },
  })
  return viewOfBlocks([
    section(lines.join('\n')),
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
  if (kind === 'extend' || kind === 'snooze') return until
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

/** To one person: an alert was handed to them. */
export function dmBlocks(post: Post, scene: Scene): KnownBlock[] {
  const { world } = scene
  const act = world.acts.get(post.data.act ?? '')
  const alert = world.alerts.get(act?.alert ?? '')
  if (act === undefined || alert === undefined) return [section('⚪ This message is too old to be shown')]
  const card =
    world.posts.get(post.data.about ?? '') ?? world.postsAbout(alert.id).find(({ ts }) => ts !== null)
  const address = permalink(card, world)
  const more = (act.data.alerts?.length ?? 1) - 1
  const others = more > 0 ? ` and ${count(more, 'more alert')}` : ''
  const isYours = alert.closedMs === null && alert.holder === act.data.to
  return [
    section(
      [
        `👀 ${person(act.by)} handed you ${headline(alert)}${others}${because(act.data.text ?? '')}`,
        alert.closedMs === null
          ? `${openHeadline(alert)} · since ${date(alert.startedMs)}`
          : closedHeadline(alert),
        ...(address === null ? [] : [link(address, 'Open the card')]),
      ].join('\n'),
    ),
    ...(isYours
      ? actions('dm', [button({ id: 'hand_back', label: 'Hand back', value: valueFor(alert, scene) })])
      : []),
  ]
}

/** To whoever made a mute that is about to end. */
function endingBlocks(act: Act, { data, mention }: Post, scene: Scene): KnownBlock[] {
  const mutes = mutesOfAct(act, scene.world)
  const ending = mutes.filter((mute) => isInForce(mute, scene.nowMs) && mute.untilMs === data.untilMs)
  if (ending.length === 0) return muteBlocks(act, scene)
  const line = `⏳ ${mention}, your mute of ${namesOf(ending)} ends ${date(data.untilMs ?? 0)}`
  return [section(line), ...actions('said', muteButtons(ending, scene))]
}
