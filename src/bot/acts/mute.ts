/**
 * `mute`: servers, a pattern, one alert, labels or the account; for a time, until it is fine, or in windows. By command, card and form.
 * Within limits, in place of those of the same subject, told in one message that is edited through their life.
 */
import { isInForce, switchOf } from '../decide/hidden.ts'
import { troubleOf } from '../decide/matching.ts'
import { longestMs } from '../decide/mute-times.ts'
import { actions, readValue, section, viewOfBlocks } from '../view/blocks.ts'
import { accountForm, muteForm, serversForm } from '../view/forms.ts'
import {
  alertsMeantBy,
  everyWords,
  hidesWords,
  muteButtons,
  muteLines,
  mutesOfAct,
  namesOf,
  untilWords,
  windowWords,
} from '../view/mutes.ts'
import type { Scene } from '../view/view.ts'
import { because, duration, headlineWords, person } from '../view/words.ts'
import type { Alert, Mute, Post } from '../world/types.ts'
import {
  type Action,
  type Context,
  done,
  type Form,
  type Press,
  type Reply,
  refuse,
  tooOld,
} from './action.ts'
import { type MuteWish, readMute } from './grammar/mute-words.ts'
import type { Target } from './grammar/targets.ts'
import { lengthMs, readTime, type When } from './grammar/time.ts'
import { demand, onePressed, onPost } from './pressed.ts'
import { askFirst, channelOf, namesOfMutes, record, sayTold, tellAloud } from './tell.ts'

export const mute: Action = {
  names: ['mute'],
  usage: [
    'mute [host] <server|pattern|#alert|label=value|account>[,…]',
    '[for] [duration | until 15:00 | until fine | until ended | from 22:00 to 02:00 | every tue 02:00-04:00]',
    '[reason]',
  ].join(' '),
  example: 'mute web-2 2h deploying',
  does: 'Mutes servers, one alert, labels or everything: now, later or repeatedly; 1 h unless you say so',
  isCommon: true,
  permission: 'mute_server',
  command: (words, context) => fromWords(words, null, context),
  presses: {
    mute: chosen,
    mute_all(press, context) {
      const scene = context.scene()
      const alerts = onPost(press, scene)
      if (alerts.length === 0) refuse(tooOld)
      const { post = press.post ?? '', seen } = readValue(press.value) ?? {}
      const value = { post, ...(seen !== undefined && { seen }) }
      return { kind: 'form', view: serversForm(alerts, value, scene) }
    },
    confirm_mute(press, context) {
      const { words = '', seen = '0/0' } = readValue(press.value) ?? {}
      return fromWords(words, seen, context)
    },
  },
  forms: {
    mute_custom: fromCustom,
    mute_account: fromAccount,
    mute_servers: fromServers,
  },
}

/** `seen`: what the question showed; null where nothing was asked yet. */
async function fromWords(words: string, seen: string | null, context: Context): Promise<Reply> {
  const { target } = readMute(words, context.scene(), context.ask)
  if (target.kind === 'account') await demand('mute_account', 'mute account', context)
  // Asking for permission may have taken a while.
  const wish = readMute(words, context.scene(), context.ask)
  refuseImpossible(wish)
  const isAsked = seen === null ? isAskedFirst(wish) : isMoreThan(seen, wish, context.scene())
  return isAsked ? askAbout(wish, context) : make(wish, context)
}

/** An option of the card's menu: `server 30m`, `server fine`, `alert 1d`, `custom`, `account`. */
async function chosen(press: Press, context: Context): Promise<Reply> {
  const alert = onePressed(press, context)
  const { words = '', seen } = readValue(press.option ?? press.value) ?? {}
  const { post } = press
  const value = { alert: alert.id, ...(seen !== undefined && { seen }), ...(post !== null && { post }) }
  if (words === 'custom') return { kind: 'form', view: muteForm(alert, value, context.scene()) }
  if (words === 'account') {
    await demand('mute_account', 'mute account', context)
    return { kind: 'form', view: accountForm(value, context.scene()) }
  }
  const [what = '', length = ''] = words.split(' ')
  const ms = lengthMs(length)
  const when: When | null = ms === null ? { kind: 'fine' } : { kind: 'length', ms }
  return make(wishOf(alert, what, { when, reason: '' }), context, cardAt(post, context.scene()))
}

type Fields = { readonly when: When; readonly reason: string }

function wishOf(alert: Alert, what: string, fields: Fields): MuteWish {
  if (what === 'alert') return { target: { kind: 'alert', alert }, ...fields, words: '' }
  const servers = [{ host: alert.host, name: alert.server }]
  return { target: { kind: 'servers', servers, isAsked: false }, ...fields, words: '' }
}

function fromCustom(form: Form, context: Context): Reply {
  const scene = context.scene()
  const value = readValue(form.metadata)
  const alert = scene.world.alerts.get(value?.alert ?? '')
  if (alert === undefined) return refuse(tooOld)
  const card = cardAt(value?.post ?? null, scene)
  make(wishOf(alert, field(form, 'subject'), readFields(form, context)), context, card)
  return done
}

async function fromAccount(form: Form, context: Context): Promise<Reply> {
  await demand('mute_account', 'mute account', context)
  const fields = readFields(form, context)
  if (fields.reason === '') refuse('Say why.', [], 'reason')
  const card = cardAt(readValue(form.metadata)?.post ?? null, context.scene())
  make({ target: { kind: 'account' }, ...fields, words: '' }, context, card)
  return done
}

/** Of a storm: the servers that still have an open alert on it, or one of them. */
function fromServers(form: Form, context: Context): Reply {
  const scene = context.scene()
  const card = cardAt(readValue(form.metadata)?.post ?? null, scene)
  const which = field(form, 'servers')
  const fields = readFields(form, context)
  const meant = onPost({ post: null, value: form.metadata }, scene).filter(
    ({ host }) => which === 'all' || which === `host ${host}`,
  )
  if (meant.length === 0) refuse('Nothing is open there any more.')
  const servers = [...new Map(meant.map(({ host, server }) => [host, { host, name: server }])).values()]
  make({ target: { kind: 'servers', servers, isAsked: true }, ...fields, words: '' }, context, card)
  return done
}

/** What was typed beats what was chosen. */
function readFields(form: Form, { ask, scene }: Context): Fields {
  const text = field(form, 'end_text') || field(form, 'end')
  const read = readTime(text, { nowMs: scene().nowMs, zone: ask.person.zone })
  if (read?.kind === 'when' && read.rest === '') return { when: read.when, reason: field(form, 'reason') }
  const instead = read?.kind === 'no' ? read.instead.filter((one) => !one.includes('"')) : []
  const [hint = '2h', other = 'until 15:00'] = instead
  const why = read?.kind === 'no' && instead.length > 0 ? `${read.text} ` : ''
  return refuse(`${why}Try ${hint} or ${other}.`, [], 'end_text')
}

/** A chosen option carries a value. */
function field(form: Form, id: string): string {
  const [text = ''] = form.values.get(id) ?? []
  return (readValue(text)?.words ?? text).trim()
}

function cardAt(post: string | null, { world }: Scene): Post | null {
  return world.posts.get(post ?? '') ?? null
}

const commandCharsMax = 1_500
const namedMax = 5

/** These hide much, or later: they are asked about. */
function isAskedFirst({ target, when }: MuteWish): boolean {
  if (target.kind === 'account' || target.kind === 'labels' || when?.kind === 'window') return true
  return target.kind === 'servers' && target.isAsked
}

function refuseImpossible({ target, reason, words }: MuteWish): void {
  if (target.kind === 'account' && reason === '')
    refuse('Muting everything needs a reason: `/mon mute account 1h network work`.')
  if (words.length > commandCharsMax) refuse('Name fewer servers, or a pattern such as `web-*`.')
}

/** What it would do and hide, with a button. `seen`: confirming asks again only if it would hide more. */
function askAbout(wish: MuteWish, context: Context): Reply {
  const now = context.scene()
  const mutes = drafts(wish, now, context.ask.person.id, '')
  const [first] = mutes
  if (first === undefined) return refuse('Nothing to mute.')
  const isLater = wish.when?.kind === 'window'
  const times = isLater ? windowWords(first) : untilWords(first)
  const when = first.every === undefined ? times : `${everyWords(first.every)}, first ${windowWords(first)}`
  const seen = `${hiddenBy(mutes, now)}/${mutes.length}/${isLater ? first.fromMs : 0}`
  const label = isLater ? 'Plan it' : 'Mute'
  const question = `🔕 Mute ${namesOf(mutes)} ${when}${because(wish.reason)}?`
  const lines = [question, hidesWords(mutes, now), ...lengthWords(wish, now)]
  return askFirst(context, lines, { id: 'confirm_mute', label, value: { words: wish.words, seen } })
}

/** Less than was shown needs no second question; another window does. */
function isMoreThan(seen: string, wish: MuteWish, scene: Scene): boolean {
  const [hidden = 0, servers = 0, fromMs = 0] = seen.split('/').map(Number)
  const mutes = drafts(wish, scene, '', '')
  if (fromMs > 0 && mutes[0]?.fromMs !== fromMs) return true
  return hiddenBy(mutes, scene) > hidden || mutes.length > servers
}

export function make(wish: MuteWish, context: Context, card: Post | null = null): Reply {
  const { ask } = context
  const now = context.scene()
  const { world, nowMs } = now
  const { target, when, reason } = wish
  const done = world.decide(() => {
    const id = world.nextId(nowMs)
    const before = when?.kind === 'window' ? new Map<string, Mute>() : replaceable(now)
    const mutes = drafts(wish, now, ask.person.id, id).map((mute) => {
      const old = before.get(mute.subject)
      return old === undefined ? mute : { ...mute, replaced: old.id }
    })
    for (const { replaced } of mutes)
      if (replaced !== undefined) world.patch('mutes', replaced, { ended: { atMs: nowMs, by: 'replaced' } })
    for (const mute of mutes) world.put('mutes', mute)
    const act = record(context, {
      id,
      kind: when?.kind === 'window' ? 'plan' : 'mute',
      subject: namesOfMutes(mutes),
      ...(target.kind === 'alert' && { alert: target.alert.id, host: target.alert.host }),
      data: { mutes: mutes.map((mute) => mute.id), untilMs: mutes[0]?.untilMs ?? null, text: reason },
    })
    return { act, mutes, told: tellAloud(now, act, channelOf(now, ask, card)) }
  })
  const waitsFor = done.mutes
    .filter((mute) => isInForce(mute, nowMs))
    .flatMap((mute) => switchOf(mute, now) ?? [])
  const more = [...lengthWords(wish, now), ...replacedWords(done.mutes, now)]
  // What their message says then, with its buttons.
  const render = (later: Scene) => {
    const act = later.world.acts.get(done.act.id) ?? done.act
    const mutes = mutesOfAct(act, later.world)
    const lines = [...muteLines(mutes, later), ...more]
    return viewOfBlocks([section(lines.join('\n')), ...actions('said', muteButtons(mutes, later))])
  }
  return sayTold({ context, told: done.told, waitsFor }, render, () => more)
}

/** Nobody's longer mute is cut short without a word. */
function replacedWords(mutes: readonly Mute[], { world }: Scene): string[] {
  const endMs = ({ untilMs, maxUntilMs }: Mute) => untilMs ?? maxUntilMs
  return mutes.slice(0, namedMax).flatMap((mute) => {
    const old = world.mutes.get(mute.replaced ?? '')
    const isLonger = old !== undefined && old.by !== mute.by && endMs(old) > endMs(mute)
    return isLonger ? [`It replaces ${person(old.by)}'s mute of ${namesOf([old])} ${untilWords(old)}`] : []
  })
}

/** Mutes that a new one of the same subject takes the place of: not the windows of plans. */
function replaceable({ world, nowMs }: Scene): Map<string, Mute> {
  const running = [...world.activeMutes.values()].filter((mute) => isInForce(mute, nowMs))
  return new Map(running.filter(({ plan }) => plan === undefined).map((mute) => [mute.subject, mute]))
}

function lengthWords({ when, target }: MuteWish, { policy }: Scene): string[] {
  if (when !== null) return []
  const ms = Math.min(policy.limits.muteDefaultMs, longestMs(policy, target.kind))
  return [`You named no time, so it's ${duration(ms)}`]
}

/** One mute a subject, as they would stand. Of a plan each has an id that the plan's next windows count on from. */
function drafts(wish: MuteWish, scene: Scene, by: string, act: string): Mute[] {
  const { when, reason } = wish
  const times = timesOf(wish, scene)
  const plan = when?.kind === 'window' ? act : undefined
  return subjectsOf(wish.target).map((subject) => ({
    ...subject,
    id:
      plan === undefined ? `${act}:${subject.subject}` : `window:${plan}:${subject.subject}:${times.fromMs}`,
    by,
    reason,
    ...times,
    fineMs: null,
    ended: null,
    act,
    isConfirmed: false,
    ...(plan === undefined ? {} : { plan }),
  }))
}

type Times = Pick<Mute, 'fromMs' | 'untilMs' | 'maxUntilMs' | 'untilFine' | 'every'>

/** No longer than the policy allows. */
function timesOf({ target, when }: MuteWish, { policy, nowMs }: Scene): Times {
  const { muteDefaultMs } = policy.limits
  const maxUntilMs = (when?.kind === 'window' ? when.fromMs : nowMs) + longestMs(policy, target.kind)
  const until = (untilMs: number, fromMs = nowMs): Times => {
    return { fromMs, untilMs: Math.min(untilMs, maxUntilMs), maxUntilMs, untilFine: false }
  }
  if (when === null) return until(nowMs + muteDefaultMs)
  if (when.kind === 'length') return until(nowMs + when.ms)
  if (when.kind === 'until') return until(when.atMs)
  if (when.kind === 'window')
    return { ...until(when.untilMs, when.fromMs), ...(when.every === undefined ? {} : { every: when.every }) }
  return { fromMs: nowMs, untilMs: null, maxUntilMs, untilFine: when.kind === 'fine' }
}

type Subject = Pick<Mute, 'subject' | 'name' | 'matchers' | 'alert' | 'severity'>

export function subjectsOf(target: Target): Subject[] {
  if (target.kind === 'account') return [{ subject: 'account', name: 'everything' }]
  if (target.kind === 'servers')
    return target.servers.map(({ host, name }) => ({ subject: `server:${host}`, name }))
  if (target.kind === 'labels') {
    const name = target.matchers.map(({ label, glob }) => `${label}=${glob}`).join(',')
    return [{ subject: `labels:${name}`, name, matchers: target.matchers }]
  }
  const { alert } = target
  const { id, severity } = alert
  return [{ subject: `alert:${troubleOf(alert)}`, name: headlineWords(alert), alert: id, severity }]
}

/** Of what is planned nobody knows that. */
function hiddenBy(mutes: readonly Mute[], scene: Scene): number {
  if (mutes.some(({ fromMs }) => fromMs > scene.nowMs)) return 0
  return alertsMeantBy(mutes, scene).filter(({ closedMs }) => closedMs === null).length
}
