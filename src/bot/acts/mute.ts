/** `mute`: servers, a pattern, one alert, labels or the account; for a time, until it is fine, or in windows. By command, card and form. */
import { alertOf } from '../view/alert.ts'
import { accountForm, muteForm, serversForm } from '../view/forms.ts'
import type { Scene } from '../view/scene.ts'
import { type ButtonValue, readValue } from '../view/values.ts'
import type { Alert, Post } from '../world/types.ts'
import type { Act, Context, Form, Press, Reply } from './act.ts'
import { readMute } from './grammar/mute-words.ts'
import { lengthMs, readTime, type When } from './grammar/time.ts'
import { onePressed, onPost } from './held.ts'
import { askAbout, isAskedFirst, isMoreThan, type MuteWish, make, problemOf } from './muting.ts'
import { refusedTo } from './permit.ts'
import { tooOld } from './told.ts'

export const mute: Act = {
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
    mute: (press, context) => onePressed(press, context, (alert) => chosen(alert, press, context)),
    mute_all(press, context) {
      const scene = context.scene()
      const alerts = onPost(press, scene)
      if (alerts.length === 0) return tooOld
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
  const read = readMute(words, context.scene(), context.ask)
  if (read.kind === 'no') return read.reply
  const refused = await refusedFor(read, context)
  if (refused !== null) return refused
  // Asking for permission may have taken a while.
  const again = readMute(words, context.scene(), context.ask)
  if (again.kind === 'no') return again.reply
  const problem = problemOf(again, context.scene())
  if (problem !== null) return problem
  const isAsked = seen === null ? isAskedFirst(again) : isMoreThan(seen, again, context.scene())
  return isAsked ? askAbout(again, context) : make(again, context)
}

async function refusedFor({ target }: Pick<MuteWish, 'target'>, context: Context): Promise<Reply | null> {
  return target.kind === 'account' ? refusedTo('mute_account', 'mute account', context) : null
}

/** An option of the card's menu: `server 30m`, `server fine`, `alert 1d`, `custom`, `account`. */
async function chosen(alert: Alert, press: Press, context: Context): Promise<Reply> {
  const scene = context.scene()
  const { words = '', seen } = readValue(press.option ?? press.value) ?? {}
  const value: ButtonValue = {
    alert: alert.id,
    ...(seen === undefined ? {} : { seen }),
    ...(press.post === null ? {} : { post: press.post }),
  }
  if (words === 'custom') return { kind: 'form', view: muteForm(alert, value, scene) }
  if (words === 'account') {
    const refused = await refusedTo('mute_account', 'mute account', context)
    return refused ?? { kind: 'form', view: accountForm(value, scene) }
  }
  const [what = '', length = ''] = words.split(' ')
  const ms = lengthMs(length)
  const when: When | null = ms === null ? { kind: 'fine' } : { kind: 'length', ms }
  return make(wishOf(alert, what, when, ''), context, cardAt(press.post, scene))
}

function wishOf(alert: Alert, what: string, when: When, reason: string): MuteWish {
  if (what === 'alert') return { target: { kind: 'alert', alert }, when, reason, words: '' }
  const servers = [{ host: alert.host, name: alert.server }]
  return { target: { kind: 'servers', servers, isAsked: false }, when, reason, words: '' }
}

function fromCustom(form: Form, context: Context): Reply {
  const scene = context.scene()
  const value = readValue(form.metadata)
  const card = cardAt(value?.post ?? null, scene)
  const alert = scene.world.alerts.get(value?.alert ?? '') ?? (card && alertOf(card, scene.world))
  const read = readFields(form, context)
  if (alert === null) return problem('subject', 'This message is too old to act on.')
  if (!('when' in read)) return read
  make(wishOf(alert, field(form, 'subject'), read.when, read.reason), context, card)
  return { kind: 'done' }
}

async function fromAccount(form: Form, context: Context): Promise<Reply> {
  const refused = await refusedTo('mute_account', 'mute account', context)
  if (refused?.kind === 'refuse') return problem('end_text', refused.text)
  const read = readFields(form, context)
  if (!('when' in read)) return read
  const wish: MuteWish = { target: { kind: 'account' }, ...read, words: '' }
  if (read.reason === '') return problem('reason', 'Say why.')
  make(wish, context, cardAt(readValue(form.metadata)?.post ?? null, context.scene()))
  return { kind: 'done' }
}

/** Of a storm: the servers that still have an open alert on it, or one of them. */
function fromServers(form: Form, context: Context): Reply {
  const scene = context.scene()
  const card = cardAt(readValue(form.metadata)?.post ?? null, scene)
  const open = onPost({ post: null, value: form.metadata }, scene)
  const which = field(form, 'servers')
  const meant = open.filter(({ host }) => which === 'all' || which === `host ${host}`)
  const read = readFields(form, context)
  if (!('when' in read)) return read
  if (meant.length === 0) return problem('servers', 'Nothing is open there any more.')
  const servers = [...new Map(meant.map(({ host, server }) => [host, { host, name: server }])).values()]
  make({ target: { kind: 'servers', servers, isAsked: true }, ...read, words: '' }, context, card)
  return { kind: 'done' }
}

type Fields = { readonly when: When; readonly reason: string }

/** What was typed beats what was chosen. */
function readFields(form: Form, { ask, scene }: Context): Fields | Extract<Reply, { kind: 'problems' }> {
  const text = field(form, 'end_text') || field(form, 'end')
  const read = readTime(text, { nowMs: scene().nowMs, zone: ask.person.zone })
  if (read?.kind === 'when' && read.rest === '') return { when: read.when, reason: field(form, 'reason') }
  const hint =
    read?.kind === 'no' ? [read.text, ...read.instead.slice(0, 2)].join(' ') : 'Try 2h or until 15:00.'
  return problem('end_text', hint.replaceAll('`', ''))
}

/** A chosen option carries a value. */
function field(form: Form, id: string): string {
  const [text = ''] = form.values.get(id) ?? []
  return (readValue(text)?.words ?? text).trim()
}

function problem(id: string, text: string): Extract<Reply, { kind: 'problems' }> {
  return { kind: 'problems', problems: { [id]: text } }
}

function cardAt(post: string | null, { world }: Scene): Post | null {
  return world.posts.get(post ?? '') ?? null
}
