/** Which function answers which method; a row in the table without one does not compile. */

import { authTest } from './basics.ts'
import type { Method } from './call.ts'
import { deleteMessage, getPermalink, postEphemeral, postMessage, update } from './chat.ts'
import * as conversations from './conversations.ts'
import * as files from './files.ts'
import { history, replies } from './history.ts'
import type { MethodName } from './methods.ts'
import { yes } from './reply.ts'
import { botsInfo, usergroupsList, usergroupsUsersList, usersInfo, usersList } from './users.ts'
import { openView, publishView, pushView, updateView } from './views.ts'

/** `invite` makes the address of one Socket Mode connection. */
export function makeRoutes(invite: () => string): ReadonlyMap<string, Method> {
  const routes = {
    'apps.connections.open': () => yes({ url: invite() }),
    'auth.test': authTest,
    'bots.info': botsInfo,
    'chat.delete': deleteMessage,
    'chat.getPermalink': getPermalink,
    'chat.postEphemeral': postEphemeral,
    'chat.postMessage': postMessage,
    'chat.update': update,
    'conversations.history': history,
    'conversations.info': conversations.info,
    'conversations.join': conversations.join,
    'conversations.list': conversations.list,
    'conversations.members': conversations.members,
    'conversations.open': conversations.open,
    'conversations.replies': replies,
    'files.completeUploadExternal': files.completeUpload,
    'files.delete': files.deleteFile,
    'files.getUploadURLExternal': files.getUploadUrl,
    'files.info': files.info,
    'usergroups.list': usergroupsList,
    'usergroups.users.list': usergroupsUsersList,
    'users.info': usersInfo,
    'users.list': usersList,
    'views.open': openView,
    'views.publish': publishView,
    'views.push': pushView,
    'views.update': updateView,
  } satisfies Record<MethodName, Method>
  return new Map<string, Method>(Object.entries(routes))
}
