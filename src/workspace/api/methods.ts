/** The Web API methods that the bot calls; any other is `unknown_method`. Scopes and tiers: docs/slack.md#rate-limits. */
import type { Tier } from '../state/limits.ts'
import { wirePerson } from '../state/people.ts'
import type { Method } from './call.ts'
import { addPin, deleteMessage, postEphemeral, postMessage, update } from './chat.ts'
import { history, info, open, replies } from './conversations.ts'
import { completeUpload, fileInfo, getUploadUrl } from './files.ts'
import { refuse, yes } from './reply.ts'
import { openView, publishView, updateView, validateBlocks } from './views.ts'

export type MethodRow = {
  readonly run: Method
  readonly tier: Tier
  /** Any one of them admits; none is needed where it is left out. The kind of channel may ask for one in particular. */
  readonly scopes?: readonly string[]
  /** The bot's, where it is left out; `none`: it is public. */
  readonly token?: 'app' | 'either' | 'none'
}

const post = ['chat:write']
const read = ['channels:history', 'groups:history', 'im:history']
const look = ['channels:read', 'groups:read', 'im:read']
const upload = ['files:write']

const authTest: Method = ({ state, caller }) => {
  if (caller === 'app') return yes({ app_name: state.bot.name, app_id: state.appId })
  const { team, bot } = state
  const who = { user: bot.name, user_id: bot.userId, bot_id: bot.botId }
  return yes({ team: team.name, team_id: team.id, url: state.url(), ...who, is_enterprise_install: false })
}

const usersInfo: Method = ({ state, args }) => {
  const person = state.people.get(args.need('user')) ?? refuse('user_not_found')
  return yes({ user: wirePerson(person, state) })
}

const usersList: Method = ({ state }) =>
  yes({ members: [...state.people.values()].map((one) => wirePerson(one, state)) })

const usersLookupByEmail: Method = ({ state, args }) => {
  const email = args.need('email').toLowerCase()
  const found = [...state.people.values()].find((person) => person.email?.toLowerCase() === email)
  return yes({ user: wirePerson(found ?? refuse('users_not_found'), state) })
}

const usergroupsUsersList: Method = ({ state, args }) => {
  const id = args.need('usergroup')
  const group = state.groups.find((one) => one.id === id) ?? refuse('no_such_subteam')
  return yes({ users: group.userIds })
}

export const methods: ReadonlyMap<string, MethodRow> = new Map<string, MethodRow>([
  ['apps.connections.open', { run: ({ invite }) => yes({ url: invite() }), tier: 'tier3', token: 'app' }],
  ['auth.test', { run: authTest, tier: 'special', token: 'either' }],
  ['blocks.validate', { run: validateBlocks, tier: 'special', token: 'none' }],
  ['chat.delete', { run: deleteMessage, tier: 'tier3', scopes: post }],
  ['chat.postEphemeral', { run: postEphemeral, tier: 'tier4', scopes: post }],
  ['chat.postMessage', { run: postMessage, tier: 'posts', scopes: post }],
  ['chat.update', { run: update, tier: 'tier3', scopes: post }],
  ['conversations.history', { run: history, tier: 'tier3', scopes: read }],
  ['conversations.info', { run: info, tier: 'tier3', scopes: look }],
  ['conversations.open', { run: open, tier: 'tier3', scopes: ['im:write'] }],
  ['conversations.replies', { run: replies, tier: 'tier3', scopes: read }],
  ['files.completeUploadExternal', { run: completeUpload, tier: 'tier4', scopes: upload }],
  ['files.info', { run: fileInfo, tier: 'tier4', scopes: ['files:read'] }],
  ['files.getUploadURLExternal', { run: getUploadUrl, tier: 'tier4', scopes: upload }],
  ['pins.add', { run: addPin, tier: 'tier2', scopes: ['pins:write'] }],
  ['usergroups.users.list', { run: usergroupsUsersList, tier: 'tier2', scopes: ['usergroups:read'] }],
  ['users.info', { run: usersInfo, tier: 'tier4', scopes: ['users:read'] }],
  ['users.list', { run: usersList, tier: 'tier2', scopes: ['users:read'] }],
  ['users.lookupByEmail', { run: usersLookupByEmail, tier: 'tier3', scopes: ['users:read.email'] }],
  ['views.open', { run: openView, tier: 'tier4' }],
  ['views.publish', { run: publishView, tier: 'tier4' }],
  ['views.update', { run: updateView, tier: 'tier4' }],
])
