/** `mute`: servers, a pattern, one alert, labels or the account; for a time, until it is fine, or in windows. By command, card and form. */
import { accountForm, muteForm, serversForm } from '../view/forms.ts'
import type { Scene } from '../view/scene.ts'
import { readValue } from '../view/values.ts'
import type { Alert, Post } from '../world/types.ts'
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
import { lengthMs, readTime, type When } from './grammar/time.ts'
import { askAbout, isAskedFirst, isMoreThan, make, refuseImpossible } from './muting.ts'
import { demand } from './permit.ts'
import { onePressed, onPost } from './pressed.ts'

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
  refuseImpossible(wish, context.scene())
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
  const hint =
    read?.kind === 'no' ? [read.text, ...read.instead.slice(0, 2)].join(' ') : 'Try 2h or until 15:00.'
  return refuse(hint, [], 'end_text')
}

/** A chosen option carries a value. */
function field(form: Form, id: string): string {
  const [text = ''] = form.values.get(id) ?? []
  return (readValue(text)?.words ?? text).trim()
}

function cardAt(post: string | null, { world }: Scene): Post | null {
  return world.posts.get(post ?? '') ?? null
}
