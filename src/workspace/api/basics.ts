/** `auth.test`. */
import type { Method } from './call.ts'
import { yes } from './reply.ts'

export const authTest: Method = ({ state, caller }) => {
  const team = { team: state.team.name, team_id: state.team.id, url: state.url() }
  if (caller === 'app') return yes({ app_name: state.bot.name, app_id: state.appId })
  return yes({
    ...team,
    user: state.bot.name,
    user_id: state.bot.userId,
    bot_id: state.bot.botId,
    is_enterprise_install: false,
  })
}
