/** May this person do this? Checks the policy's permissions, looking up user groups only if they decide. */

import type { ChangeKind } from '../../domain/request/actions.ts'
import { authorise, type GuardedAct, groupsOf, type Permissions } from '../../domain/request/authorise.ts'
import type { Refusal } from '../../domain/request/reply.ts'
import { attempt } from '../attempt.ts'
import type { Directory } from '../ports/ports.ts'

/** Null if allowed. */
export type Permit = (userId: string, act: ChangeKind, guard: GuardedAct) => Promise<Refusal | null>

export function openPermit(directory: Directory, permissions: Permissions): Permit {
  return async (userId, act, guard) => {
    const audience = permissions[guard]
    // By name first: a person listed by name is allowed even while the groups cannot be read.
    const byName = authorise(userId, new Set(), audience)
    if (byName.allowed) return null
    const { groups, gone, unread } = await groupsWith(userId, groupsOf(audience), directory)
    const verdict = authorise(userId, groups, audience)
    if (verdict.allowed) return null
    if (unread !== null) return { why: 'groups_unread', act, words: unread }
    return { why: 'not_permitted', act, audience: verdict.audience, ...(gone.length === 0 ? {} : { gone }) }
  }
}

/** Looks up all at once; the first that includes the person is enough. `unread`: why one of them could not be read. */
async function groupsWith(
  userId: string,
  groupIds: readonly string[],
  directory: Directory,
): Promise<{
  readonly groups: ReadonlySet<string>
  readonly gone: readonly string[]
  readonly unread: string | null
}> {
  const { promise: settled, resolve, reject } = Promise.withResolvers<void>()
  const groups = new Set<string>()
  const gone: string[] = []
  let unread: string | null = null
  const asked = groupIds.map(async (groupId) => {
    const members = await attempt(() => directory.membersOf(groupId))
    // Nobody is in a group that was deleted, and waiting will not bring it back.
    if (!members.ok && members.failure.code === 'no_such_subteam') gone.push(groupId)
    else if (!members.ok) unread = members.failure.message
    else if (members.value.has(userId)) {
      groups.add(groupId)
      resolve()
    }
  })
  Promise.all(asked).then(() => resolve(), reject)
  await settled
  return { groups, gone, unread }
}
