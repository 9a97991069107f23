/**
 * The Web API methods of this workspace, those that the bot calls: any other is `unknown_method`. Scopes and tiers:
 * docs/slack.md#rate-limits.
 */
import type { Tier } from '../state/limits.ts'
import { wirePerson } from '../state/people.ts'
import type { Method } from './call.ts'
import { addPin, deleteMessage, getPermalink, postEphemeral, postMessage, removePin, update } from './chat.ts'
import { history, info, open, replies } from './conversations.ts'
import { completeUpload, deleteFile, fileInfo, getUploadUrl } from './files.ts'
import { refuse, yes } from './reply.ts'
import { validateBlocks } from './validate.ts'
import { openView, publishView, updateView } from './views.ts'

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
  return yes({
    team: state.team.name,
    team_id: state.team.id,
    ...(state.team.enterpriseId === null ? {} : { enterprise_id: state.team.enterpriseId }),
    url: state.url(),
    user: state.bot.name,
    user_id: state.bot.userId,
    bot_id: state.bot.botId,
    is_enterprise_install: false,
  })
}

const usersInfo: Method = ({ state, args }) => {
  const person = state.people.get(args.need('user')) ?? refuse('user_not_found')
  return yes({ user: wirePerson(person, state.team, state.bot.scopes) })
}

/** All at once: a workspace here has no more people than one page holds. */
const usersList: Method = ({ state }) =>
  yes({ members: [...state.people.values()].map((one) => wirePerson(one, state.team, state.bot.scopes)) })

const usersLookupByEmail: Method = ({ state, args }) => {
  const email = args.need('email').toLowerCase()
  const found = [...state.people.values()].find((person) => person.email?.toLowerCase() === email)
  return yes({ user: wirePerson(found ?? refuse('users_not_found'), state.team, state.bot.scopes) })
}

const usergroupsUsersList: Method = ({ state, args }) => {
  const id = args.need('usergroup')
  const group = state.groups.find((one) => one.id === id) ?? refuse('no_such_subteam')
  return yes({ users: group.userIds })
}

export const methods: ReadonlyMap<string, MethodRow> = new Map<string, MethodRow>(
  Object.entries({
    'apps.connections.open': {
      run: ({ invite }) => yes({ url: invite() }),
      tier: 3,
      token: 'app',
    },
    'auth.test': { run: authTest, tier: 'special', token: 'either' },
    'blocks.validate': { run: validateBlocks, tier: 'special', token: 'none' },
    'chat.delete': { run: deleteMessage, tier: 3, scopes: post },
    'chat.getPermalink': { run: getPermalink, tier: 'special' },
    'chat.postEphemeral': { run: postEphemeral, tier: 4, scopes: post },
    'chat.postMessage': { run: postMessage, tier: 'posts', scopes: post },
    'chat.update': { run: update, tier: 3, scopes: post },
    'conversations.history': { run: history, tier: 3, scopes: read },
    'conversations.info': { run: info, tier: 3, scopes: look },
    'conversations.open': { run: open, tier: 3, scopes: ['im:write'] },
    'conversations.replies': { run: replies, tier: 3, scopes: read },
    'files.delete': { run: deleteFile, tier: 3, scopes: upload },
    'files.completeUploadExternal': { run: completeUpload, tier: 4, scopes: upload },
    'files.info': { run: fileInfo, tier: 4, scopes: ['files:read'] },
    'files.getUploadURLExternal': { run: getUploadUrl, tier: 4, scopes: upload },
    'pins.add': { run: addPin, tier: 2, scopes: ['pins:write'] },
    'pins.remove': { run: removePin, tier: 2, scopes: ['pins:write'] },
    'usergroups.users.list': { run: usergroupsUsersList, tier: 2, scopes: ['usergroups:read'] },
    'users.info': { run: usersInfo, tier: 4, scopes: ['users:read'] },
    'users.list': { run: usersList, tier: 2, scopes: ['users:read'] },
    'users.lookupByEmail': { run: usersLookupByEmail, tier: 3, scopes: ['users:read.email'] },
    'views.open': { run: openView, tier: 4 },
    'views.publish': { run: publishView, tier: 4 },
    'views.update': { run: updateView, tier: 4 },
  } satisfies Record<string, MethodRow>),
)
