/** Something that was done, told in a channel or a thread, and edited as its outcome becomes known. A mute's message follows its life. */
import type { KnownBlock } from '@slack/types'
import type { Act, Post } from '../world/types.ts'
import { permalink } from './alert.ts'
import { actions, button, section } from './blocks.ts'
import { closedHeadline, openHeadline } from './headline.ts'
import { muteButtons, muteLines, mutesOfAct } from './mutes.ts'
import type { Scene } from './scene.ts'
import { seenOf } from './values.ts'
import { because, count, date, escape, headline, joined, link, listed, person } from './words.ts'

/** `{}` is the thing. What was done; and for the sentence of a failure, what was to be done. */
const phrases = new Map<Act['kind'], readonly [mark: string, done: string, todo: string]>([
  ['unmute', ['🔔', 'unmuted {}', 'unmute {}']],
  ['extend', ['🔕', 'extended the mute of {}', 'extend the mute of {}']],
  ['skip', ['🗓️', 'skipped the next planned mute of {}', 'skip the planned mute of {}']],
  ['cancel_plan', ['🗓️', 'canceled the planned mute of {}', 'cancel the planned mute of {}']],
  ['mute_ended', ['🔔', 'ended the mute of {}', 'end the mute of {}']],
  ['end_silence', ['🔔', 'ended the silence {}', 'end the silence {}']],
  ['acknowledge', ['👀', 'is on {}', 'acknowledge {}']],
  ['take_over', ['👀', 'took over {}', 'take over {}']],
  ['still_on', ['👀', 'is still on {}', 'stay on {}']],
  ['hand_back', ['👐', 'handed back {}; nobody is on it', 'hand back {}']],
  ['hand', ['👀', 'handed {}', 'hand {}']],
  ['note', ['📝', 'noted on {}', 'note something on {}']],
  ['marker', ['📍', 'dropped a marker', 'drop a marker']],
  ['add_roles', ['🏷️', 'added roles to {}', 'add roles to {}']],
  ['no_data', ['📭', 'set who hears when {} sends no data', 'set who hears when {} sends no data']],
  ['delete_server', ['🗑️', 'deleted the server {}', 'delete the server {}']],
  ['delete_metric', ['🗑️', 'deleted {}', 'delete {}']],
  ['close', ['🟢', 'closed {}', 'close {}']],
  ['paged', ['📟', 'paged somebody about {}', 'page somebody about {}']],
  ['restore', ['⚠️', 'restored a backup', 'restore a backup']],
])

/** A said message, or a line in a card's thread. */
export function saidBlocks(post: Post, scene: Scene): KnownBlock[] {
  const act = scene.world.acts.get(post.data.act ?? '')
  if (act === undefined) return [section('⚪ This message is too old to be shown')]
  if (act.kind === 'mute' || act.kind === 'plan') return muteBlocks(act, scene)
  const isOnCard = scene.world.posts.get(post.thread ?? '')?.kind === 'alert'
  const undelivered = act.kind === 'hand' ? undeliveredWords(act) : []
  return [section([actSentence(act, isOnCard ? 'it' : undefined), ...undelivered].join('\n'))]
}

function muteBlocks(act: Act, scene: Scene): KnownBlock[] {
  const mutes = mutesOfAct(act, scene.world)
  if (mutes.length === 0) return [section(actSentence(act))]
  return [section(muteLines(mutes, scene).join('\n')), ...actions('said', muteButtons(mutes, scene, act.id))]
}

/** `📍 @ana dropped a marker: deploy 1.2.3`; `⚠️ Couldn't delete web-2: it is not known`. `thing` replaces its subject. */
export function actSentence(act: Act, thing = subjectWords(act)): string {
  const { kind, outcome, data } = act
  const [mark, done, todo] = phrases.get(kind) ?? ['•', `${kind.replaceAll('_', ' ')} {}`, `${kind} {}`]
  const who = act.by === 'monbot' ? 'monbot' : person(act.by)
  const whole = (phrase: string) => phrase.replace('{}', () => thing)
  if (outcome === 'refused') return `⚠️ ${who} isn't allowed to ${whole(todo)}`
  if (outcome === 'failed') return `⚠️ Couldn't ${whole(todo)}${data.why ? `: ${escape(data.why)}` : ''}`
  return `${mark} ${who} ${whole(done)}${detailWords(act)}${doubtWords(act)}`
}

function subjectWords({ subject, data }: Act): string {
  const { names = [] } = data
  if (names.length > 1) return `*${listed(names.map((name) => escape(name, 80)))}*`
  return `*${escape(subject, 200)}*`
}

function detailWords({ kind, data }: Act): string {
  const { to, from, roles = [], untilMs, text = '' } = data
  if (kind === 'hand') return `${to === undefined ? '' : ` to ${person(to)}`}${because(text)}`
  if (kind === 'take_over' && from !== undefined) return ` from ${person(from)}`
  if (kind === 'add_roles') return `: ${joined(roles.map((role) => `*${escape(role, 40)}*`))}`
  if (kind === 'extend' && typeof untilMs === 'number') return ` until ${date(untilMs)}`
  if (kind === 'paged' && to !== undefined) return `: ${person(to)}${because(text)}`
  return text === '' ? '' : `: ${escape(text, 1_000)}`
}

/** Two stages are enough: done, and not confirmed yet. */
function doubtWords({ outcome, kind }: Act): string {
  if (outcome === 'asked')
    return kind === 'paged'
      ? " (the pager hasn't confirmed it yet)"
      : " (the monitoring hasn't confirmed it yet)"
  return outcome === 'unknown' ? ' (never confirmed)' : ''
}

/** Slack refused the direct message: its reason stands on the act. */
function undeliveredWords({ data }: Act): string[] {
  if (!data.why || data.to === undefined) return []
  return [`⚠️ Couldn't DM ${person(data.to)}: ${escape(data.why)}. Please tell them`]
}

/** To whom an alert was handed. */
export function dmBlocks(post: Post, scene: Scene): KnownBlock[] {
  const { world, nowMs } = scene
  const act = world.acts.get(post.data.act ?? '')
  const alert = world.alerts.get(act?.alert ?? '')
  if (act === undefined || alert === undefined) return [section('⚪ This message is too old to be shown')]
  const card =
    world.posts.get(post.data.about ?? '') ?? world.postsAbout(alert.id).find(({ ts }) => ts !== null)
  const address = permalink(card, world)
  const more = (act.data.alerts?.length ?? 1) - 1
  const others = more > 0 ? ` and ${count(more, 'more alert')}` : ''
  const isYours = alert.closedMs === null && alert.holder === act.data.to
  const value = { alert: alert.id, seen: seenOf([alert], world, nowMs) }
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
    ...(isYours ? actions('dm', [button({ id: 'hand_back', label: 'Hand back', value })]) : []),
  ]
}
