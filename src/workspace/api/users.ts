/** `users.*`, `usergroups.*` and `bots.info`: who is who. */

import { tellGroup, tellPerson } from '../state/people.ts'
import { tellBotProfile } from '../state/tell-message.ts'
import type { Method } from './call.ts'
import { cut, readPage } from './paging.ts'
import { missing, no, yes } from './reply.ts'

export const usersInfo: Method = ({ state, args }) => {
  const id = args.text('user')
  if (id === undefined || id === '') return missing('user')
  const person = state.people.get(id)
  return person === undefined
    ? no('user_not_found')
    : yes({ user: tellPerson(person, state.team.id, state.nowMs()) })
}

export const usersList: Method = ({ state, args }) => {
  const asked = readPage(args, { usual: 1_000, max: 1_000 })
  if (!asked.ok) return asked.reply
  const { items, nextCursor } = cut([...state.people.values()], (person) => person.id, asked.page)
  return yes({
    members: items.map((person) => tellPerson(person, state.team.id, state.nowMs())),
    cache_ts: Math.floor(state.nowMs() / 1_000),
    response_metadata: { next_cursor: nextCursor },
  })
}

export const usergroupsList: Method = ({ state, args }) => {
  const withUsers = args.flag('include_users') === true
  return yes({ usergroups: state.groups.map((group) => tellGroup(group, state.team.id, withUsers)) })
}

export const usergroupsUsersList: Method = ({ state, args }) => {
  const id = args.text('usergroup')
  if (id === undefined || id === '') return missing('usergroup')
  const group = state.groups.find((one) => one.id === id)
  return group === undefined ? no('no_such_subteam') : yes({ users: group.userIds })
}

export const botsInfo: Method = ({ state, args }) => {
  const id = args.text('bot')
  if (id !== undefined && id !== state.bot.botId) return no('bot_not_found')
  return yes({ bot: tellBotProfile(state) })
}
