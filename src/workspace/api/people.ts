/** `auth.test`, `users.info` and `usergroups.users.list`: who is who. */
import { wirePerson } from '../state/people.ts'
import type { Method } from './call.ts'
import { refuse, yes } from './reply.ts'

export const authTest: Method = ({ state, caller }) => {
  if (caller === 'app') return yes({ app_name: state.bot.name, app_id: state.appId })
  return yes({
    team: state.team.name,
    team_id: state.team.id,
    url: state.url(),
    user: state.bot.name,
    user_id: state.bot.userId,
    bot_id: state.bot.botId,
    is_enterprise_install: false,
  })
}

export const usersInfo: Method = ({ state, args }) => {
  const person = state.people.get(args.need('user')) ?? refuse('user_not_found')
  return yes({ user: wirePerson(person, state.team.id, state.nowMs()) })
}

export const usergroupsUsersList: Method = ({ state, args }) => {
  const id = args.need('usergroup')
  const group = state.groups.find((one) => one.id === id) ?? refuse('no_such_subteam')
  return yes({ users: group.userIds })
}
