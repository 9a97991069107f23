/** `api.test`, `auth.test` and `blocks.validate`. */
import { type BlockFault, checkBlocks, checkView } from '../blocks/check.ts'
import { isFields } from '../state/fields.ts'
import type { Method } from './call.ts'
import { badArguments, no, yes } from './reply.ts'

export const apiTest: Method = ({ args }) => {
  const error = args.text('error')
  return error === undefined ? yes() : no(error)
}

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

/** Exactly one of `blocks`, `view` and `message`; needs no token (slack-facts 2.1). */
export const blocksValidate: Method = ({ args }) => {
  const given = (['blocks', 'view', 'message'] as const).filter((name) => args.has(name))
  const [name] = given
  if (name === undefined || given.length > 1)
    return badArguments('expected exactly one of blocks, view and message')
  const asked = args.json(name)
  if (!asked.given || !asked.ok) return badArguments(`${name} must be JSON`)
  if (name === 'view') return verdict('invalid_view', checkView(asked.value))
  if (name === 'blocks') return verdict('invalid_blocks', checkBlocks(asked.value, 'message'))
  if (!isFields(asked.value)) return badArguments('message must be an object')
  return verdict(
    'invalid_message',
    asked.value.blocks === undefined ? [] : checkBlocks(asked.value.blocks, 'message'),
  )
}

function verdict(error: string, faults: readonly BlockFault[]): ReturnType<Method> {
  return faults.length === 0 ? yes() : no(error, { errors: faults })
}
