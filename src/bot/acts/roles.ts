/** `/mon roles [filter]`: roles and their servers; of one role all of them, and of a server its roles. */

import { globMatcher } from '../../shared/glob.ts'
import { nearest } from '../../shared/nearest.ts'
import { section } from '../view/blocks.ts'
import { count, escaped, listed, naturally } from '../view/words.ts'
import type { Act, Reply } from './act.ts'
import { typed } from './grammar/words.ts'
import { cannotRead, code, noSuch, readPage, say, sayLines } from './queries/answers.ts'

type Servers = Readonly<Record<string, readonly string[]>>

const linesOnPage = 40
const namesInLine = 10
const namesOfRole = 8

export const roles: Act = {
  names: ['roles'],
  usage: 'roles [role or server]',
  example: 'roles web',
  does: 'Lists roles and their servers',
  permission: null,
  command: async (words, { reads }) => {
    const { rest, page } = readPage(words)
    try {
      return answer(await reads.monitor.roles(), rest, page)
    } catch (error) {
      return cannotRead('the roles', error)
    }
  },
}

function answer(servers: Servers, filter: string, page: number): Reply {
  const all = Object.keys(servers).sort(naturally)
  if (all.length === 0) return say([section('There are no roles yet. To add one: `/mon role add web-1 web`')])
  const isMeant = globMatcher(filter === '' ? '*' : filter)
  const named = all.filter(isMeant)
  const isByServer = named.length === 0
  const namesOf = (role: string) => (servers[role] ?? []).filter((name) => !isByServer || isMeant(name))
  const meant = isByServer ? all.filter((role) => namesOf(role).length > 0) : named
  if (meant.length === 0) {
    const similar = nearest(filter, new Set([...all, ...Object.values(servers).flat()]))
    const hint = `. To mute a server I haven't seen, name it alone: ${code(`/mon mute ${typed(filter)} 1h`)}`
    const text = `No role or server ${code(filter)}${similar.length > 0 ? '' : hint}`
    return noSuch(text, similar, (name) => `roles ${typed(name)}`)
  }
  const has = isByServer ? `*${escaped(filter)}* has ` : ''
  const [only = ''] = meant
  const isOne = meant.length === 1 && !isByServer
  const lines = isOne ? namesLines(namesOf(only)) : meant.map((role) => roleLine(role, namesOf(role)))
  const title = isOne
    ? `Role *${escaped(only)}*: ${count(namesOf(only).length, 'server')}`
    : `${has}${count(meant.length, 'role')}`
  return sayLines(title, lines, (line) => line, { page, size: linesOnPage, command: `roles ${filter}` })
}

function roleLine(role: string, names: readonly string[]): string {
  const shown = names.map((name) => escaped(name, 80))
  const many = names.length > namesOfRole ? ` (${count(names.length, 'server')})` : ''
  return `*${escaped(role, 80)}*: ${names.length === 0 ? 'no servers' : listed(shown, namesOfRole)}${many}`
}

/** The servers of one role, by the hundred. */
function namesLines(names: readonly string[]): string[] {
  const shown = names.toSorted(naturally).map((name) => escaped(name, 80))
  return Array.from({ length: Math.ceil(shown.length / namesInLine) }, (_, at) =>
    shown.slice(at * namesInLine, (at + 1) * namesInLine).join(', '),
  )
}
