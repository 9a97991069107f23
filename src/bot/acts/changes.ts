/**
 * What is changed in the monitoring: roles, markers, no-data groups, deletions, silences of others. Each is one call of its API
 * (`askApi`); what cannot be taken back is asked about first.
 */
import { openIn } from '../decide/standing.ts'
import { confirmation, readValue } from '../view/blocks.ts'
import { markerForm, rolesForm } from '../view/forms.ts'
import { count, escaped, listed } from '../view/words.ts'
import type { Alert } from '../world/types.ts'
import { type Action, type Context, done, pressedOnly, type Reply, refuse, tooOld } from './action.ts'
import { rolesKnown } from './alerts.ts'
import { serverMeant, typed, wordsOf } from './grammar/targets.ts'
import { askApi, askFirst } from './tell.ts'

const markerCharsMax = 500
const groupCharsMax = 200
const nameCharsMax = 300
const metricsMax = 20
const rolesMax = 50
const roleShape = /^[\p{L}\p{N}][\p{L}\p{N} ._:/-]{0,99}$/u

/** `web-2 and words behind it`: the server, and the words. `name`: of the command. Both must be there. */
function serverAndRest(
  words: string,
  name: string,
  hint: string,
  context: Context,
): [host: string, rest: string] {
  const [server, ...more] = wordsOf(words).map(({ text }) => text)
  const rest = more.join(' ')
  if (server === undefined || rest === '') return refuse(hint)
  const { host } = serverMeant(server, context.scene(), (other) => `${name} ${typed(other)} ${rest}`)
  return [host, rest]
}

export const marker: Action = {
  names: ['marker'],
  usage: 'marker <text>',
  example: 'marker deploy 1.2.3',
  does: 'Drops a marker that appears on every chart, and on the cards of what opens within 30 minutes',
  permission: 'add_marker',
  command: (words, context) => (words === '' ? { kind: 'form', view: markerForm({}) } : drop(words, context)),
  forms: {
    marker(form, context) {
      drop(form.values.get('text')?.[0] ?? '', context)
      return done
    },
  },
}

function drop(words: string, context: Context): Reply {
  const text = words.trim().slice(0, markerCharsMax)
  if (text === '') refuse('Write something.')
  const name = context.ask.person.realName || context.ask.person.name
  const notes = `${text} (${name})`
  return askApi(context, { kind: 'marker', subject: text, data: { text, name } }, 'marker', { notes })
}

export const noData: Action = {
  names: ['nodata'],
  usage: 'nodata <server> <group>',
  example: 'nodata web-2 "on-call team"',
  does: 'Sets which group is told when a server sends no data',
  permission: 'set_no_data',
  command(words, context) {
    const hint = 'Name a server and a group: `/mon nodata web-2 on-call`'
    const [host, rest] = serverAndRest(words, 'nodata', hint, context)
    const group = rest.slice(0, groupCharsMax)
    const wish = { kind: 'no_data', subject: host, host, data: { text: group } } as const
    return askApi(context, wish, 'no_data', { host, group })
  },
}

export const roleAdd: Action = {
  names: ['role add'],
  usage: 'role add <server> <role>[,…]',
  example: 'role add web-2 app',
  does: 'Adds roles to a server; only the monitoring can remove them',
  permission: 'add_roles',
  command(words, context) {
    const hint = 'Name a server and its roles: `/mon role add web-2 app`'
    const [host, rest] = serverAndRest(words, 'role add', hint, context)
    return addRoles(host, rest, context)
  },
  forms: {
    add_roles(form, context) {
      const alert = context.scene().world.alerts.get(readValue(form.metadata)?.alert ?? '')
      if (alert === undefined) return refuse(tooOld)
      addRoles(alert.host, form.values.get('roles')?.[0] ?? '', context)
      return done
    },
  },
}

export function rolesFormFor({ id, server }: Alert, context: Context): Reply {
  return { kind: 'form', view: rolesForm(server, rolesKnown(context.scene()), { alert: id }) }
}

function addRoles(host: string, said: string, context: Context): Reply {
  const roles = [...new Set(said.split(',').map((role) => role.trim()))].filter((role) => role !== '')
  const wrong = roles.find((role) => !roleShape.test(role))
  if (wrong !== undefined) refuse(`\`${escaped(wrong, 60)}\` can't be a role.`)
  if (roles.length === 0 || roles.length > rolesMax)
    refuse(`Name 1 to ${rolesMax} roles, with commas between them.`)
  const wish = { kind: 'add_roles', subject: host, host, data: { roles } } as const
  return askApi(context, wish, 'add_roles', { host, names: roles })
}

/** Slack's own red dialog asks, with the names in the message. */
function askToDelete(context: Context, question: string, label: string, id: string, words: string): Reply {
  const confirm = confirmation('This cannot be undone', question, label)
  return askFirst(context, [`⚠️ ${question}`], { id, label, value: { words }, confirm })
}

export const serverDelete: Action = {
  names: ['server delete'],
  usage: 'server delete <server>',
  example: 'server delete old-1',
  does: 'Deletes a server in the monitoring for good',
  permission: 'delete_server',
  command(words, context) {
    const [name, more] = wordsOf(words)
    if (name === undefined || more !== undefined) return refuse('Name one server: `/mon server delete old-1`')
    const scene = context.scene()
    const { host } = serverMeant(name.text, scene, (other) => `server delete ${typed(other)}`)
    const open = openIn(scene).filter((alert) => alert.host === host).length
    const hides = open === 0 ? '' : ` Its ${count(open, 'open alert')} will close.`
    const question = `Delete the server *${escaped(host, 120)}* in the monitoring, with all its data?${hides}`
    return askToDelete(context, question, `Delete ${host}`, 'confirm_server', typed(host))
  },
  presses: {
    confirm_server(press, context) {
      const [name] = wordsOf(readValue(press.value)?.words ?? '')
      if (name === undefined) return refuse(tooOld)
      const host = name.text
      const wish = { kind: 'delete_server', subject: host, host, data: { names: [host] } } as const
      return askApi(context, wish, 'delete_server', { host, names: [host] })
    },
  },
}

export const metricDelete: Action = {
  names: ['metric delete'],
  usage: 'metric delete <name>[,…]',
  example: 'metric delete jobs_waiting',
  does: `Deletes custom metrics for good, at most ${metricsMax}`,
  permission: 'delete_metric',
  command(words, context) {
    const names = namesIn(words)
    if (names.length === 0 || names.length > metricsMax)
      refuse(`Name 1 to ${metricsMax} custom metrics, with commas between them.`)
    const shown = names.map((name) => `*${escaped(name, 80)}*`)
    const question = `Delete ${count(names.length, 'custom metric')} for good: ${listed(shown, metricsMax)}?`
    const label = `Delete ${count(names.length, 'metric')}`
    return askToDelete(context, question, label, 'confirm_metric', names.map(typed).join(','))
  },
  presses: {
    confirm_metric(press, context) {
      const names = namesIn(readValue(press.value)?.words ?? '')
      const wish = { kind: 'delete_metric', subject: names.join(', '), data: { names } } as const
      return askApi(context, wish, 'delete_metric', { names })
    },
  },
}

function namesIn(words: string): string[] {
  return [...new Set(wordsOf(words.replaceAll(',', ' ')).map(({ text }) => text))]
}

/** *End…* of a silence that somebody made at the Alertmanager: ends it there. */
export const silence = pressedOnly('mute_server', {
  end_silence(press, context) {
    const { mutes = [], words = 'this silence' } = readValue(press.value) ?? {}
    const question = `End the silence *${escaped(words, nameCharsMax)}* at the Alertmanager, for everybody?`
    const value = { words: `${mutes[0] ?? ''} ${words}` }
    return askFirst(context, [question], { id: 'confirm_silence', label: 'End it', value })
  },
  confirm_silence(press, context) {
    const [id = '', ...rest] = (readValue(press.value)?.words ?? '').split(' ')
    const subject = rest.join(' ').slice(0, nameCharsMax)
    return askApi(context, { kind: 'end_silence', subject }, 'end_silence', { silence: id })
  },
})
