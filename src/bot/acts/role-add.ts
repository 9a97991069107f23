/** `role add`: roles of a server. The API cannot take one away, so an unusual name is asked about. */
import { nearest } from '../../shared/nearest.ts'
import { rolesForm } from '../view/forms.ts'
import { readValue } from '../view/values.ts'
import { escaped, joined } from '../view/words.ts'
import type { Act, Context, Reply } from './act.ts'
import { serverMeant } from './grammar/targets.ts'
import { typed, wordsOf } from './grammar/words.ts'
import { askApi, askFirst } from './told.ts'

const rolesMax = 50
const roleShape = /^[\p{L}\p{N}][\p{L}\p{N} ._:/-]{0,99}$/u

export const roleAdd: Act = {
  names: ['role add'],
  usage: 'role add <server> <role>[,…]',
  example: 'role add web-2 app',
  does: 'Adds roles to a server; only the monitoring can remove them',
  permission: 'add_roles',
  command(words, context) {
    const [name, ...rest] = wordsOf(words)
    if (name === undefined || rest.length === 0)
      return { kind: 'refuse', text: 'Name a server and its roles: `/mon role add web-2 app`' }
    const meant = serverMeant(
      name.text,
      context.scene(),
      (host) => `role add ${typed(host)} ${rest.map(({ text }) => text).join(' ')}`,
    )
    if (meant.kind === 'no') return meant.reply
    return add(meant.host, rest.map(({ text }) => text).join(' '), context, false)
  },
  presses: {
    confirm_roles(press, context) {
      const [host = '', ...roles] = wordsOf(readValue(press.value)?.words ?? '').map(({ text }) => text)
      return add(host, roles.join(' '), context, true)
    },
  },
  forms: {
    add_roles(form, context) {
      const alert = context.scene().world.alerts.get(readValue(form.metadata)?.alert ?? '')
      if (alert === undefined)
        return { kind: 'problems', problems: { roles: 'This alert is too old to act on.' } }
      const reply = add(alert.host, form.values.get('roles')?.[0] ?? '', context, true)
      return reply.kind === 'refuse'
        ? { kind: 'problems', problems: { roles: reply.text } }
        : { kind: 'done' }
    },
  },
}

export function rolesFormFor(alertId: string, server: string, context: Context): Reply {
  const known = Object.keys(context.scene().world.fact('roles')?.servers ?? {})
  return { kind: 'form', view: rolesForm(server, known, { alert: alertId }) }
}

function add(host: string, said: string, context: Context, isConfirmed: boolean): Reply {
  const scene = context.scene()
  const roles = [...new Set(said.split(',').map((role) => role.trim()))].filter((role) => role !== '')
  const wrong = roles.find((role) => !roleShape.test(role))
  if (wrong !== undefined) return { kind: 'refuse', text: `\`${escaped(wrong, 60)}\` can't be a role.` }
  if (roles.length === 0 || roles.length > rolesMax)
    return { kind: 'refuse', text: `Name 1 to ${rolesMax} roles, with commas between them.` }
  const known = Object.keys(scene.world.fact('roles')?.servers ?? {})
  const fresh = known.length === 0 ? [] : roles.filter((role) => !known.includes(role))
  if (fresh.length > 0 && !isConfirmed) {
    const [near] = nearest(fresh[0] ?? '', known, 1)
    const hint = near === undefined ? '' : ` Did you mean *${escaped(near)}*?`
    const names = joined(fresh.map((role) => `*${escaped(role, 60)}*`))
    const line = `There is no role ${names} yet, and only the monitoring can remove one.${hint}`
    const value = { words: `${typed(host)} ${roles.join(',')}` }
    return askFirst(context, [line], { id: 'confirm_roles', label: 'Create and add', value })
  }
  const done = { kind: 'add_roles', subject: host, host, data: { roles } } as const
  return askApi(context, done, 'roles', { host, names: roles })
}
