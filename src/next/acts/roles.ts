/** `/mon roles [filter]`: roles and their servers, all servers of one role, or the roles of one server. */
import type { KnownBlock } from '@slack/types'
import { nearest } from '../../shared/nearest.ts'
import { globMatcher } from '../glob.ts'
import { section } from '../view/blocks.ts'
import { count, escape, listed, naturally } from '../view/words.ts'
import type { Act, Reply } from './act.ts'
import {
  cannotRead,
  code,
  fittingSections,
  noSuch,
  pageBlocks,
  pageOf,
  readPage,
  say,
} from './queries/answers.ts'

type Servers = Readonly<Record<string, readonly string[]>>

const rolesOnPage = 40
const namesOnPage = 200
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
  const isMeant = globMatcher(filter)
  const named = filter === '' ? all : all.filter(isMeant)
  const command = `roles ${filter}`.trim()
  const [only] = named
  if (filter !== '' && named.length === 1 && only !== undefined) {
    const names = [...(servers[only] ?? [])].sort(naturally)
    if (names.length === 0) return say([section(`Role *${escape(only)}* has no servers`)])
    const shown = pageOf(names, page, namesOnPage)
    const title = section(`Role *${escape(only)}* has ${count(names.length, 'server')}`)
    return say([title, ...fittingSections(inLines(shown.items)), ...pageBlocks(shown, command)])
  }
  if (named.length > 0) {
    const shown = pageOf(named, page, rolesOnPage)
    const lines = shown.items.map((role) => `*${escape(role)}*: ${serversWords(servers[role] ?? [])}`)
    return say([
      section(`*${count(named.length, 'role')}*`),
      ...fittingSections(lines),
      ...pageBlocks(shown, command),
    ])
  }
  return filter === '' ? say([noRoles()]) : rolesOfServer(servers, filter)
}

function rolesOfServer(servers: Servers, filter: string): Reply {
  const isMeant = globMatcher(filter)
  const hosts = [...new Set(Object.values(servers).flat())].sort(naturally)
  const meant = hosts.filter(isMeant).slice(0, rolesOnPage)
  const rolesOf = (host: string) => Object.keys(servers).filter((role) => servers[role]?.includes(host))
  if (meant.length > 0)
    return say(
      fittingSections(
        meant.map(
          (host) =>
            `*${escape(host)}*: ${listed(
              rolesOf(host).map((name) => escape(name)),
              40,
            )}`,
        ),
      ),
    )
  const similar = nearest(filter, new Set([...Object.keys(servers), ...hosts]))
  return noSuch(`No role or server ${code(filter)}`, similar, (name) => `roles ${name}`)
}

function noRoles(): KnownBlock {
  return section('There are no roles yet. To add one: `/mon role add web-1 web`')
}

function serversWords(names: readonly string[]): string {
  return names.length === 0
    ? 'no servers'
    : listed(
        names.map((name) => escape(name)),
        namesOfRole,
      )
}

function inLines(names: readonly string[]): string[] {
  return Array.from({ length: Math.ceil(names.length / namesInLine) }, (_, at) =>
    names
      .slice(at * namesInLine, (at + 1) * namesInLine)
      .map((name) => escape(name))
      .join(', '),
  )
}
