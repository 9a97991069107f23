/** The question before a role with an odd name is made. */
import type { Reply } from '../../../domain/request/reply.ts'
import { printable } from '../../mrkdwn.ts'
import { actions } from '../../vocabulary.ts'
import { actionsBlock, button, type Rendered, said } from '../text/message-parts.ts'
import { code, listed, serverName } from '../text/phrases.ts'

/** Slack's limit on a button is 75. */
const namesCharsMax = 60
const shown = 3

export function renderOddRoles({ server, odd, pendingId, instead }: Asked): Rendered {
  const lines = odd.map(({ role, similar }) =>
    similar === null
      ? `${code(role)} would be a new role with an unusual name.`
      : `There is no role ${code(role)}. Did you mean ${code(similar)}?`,
  )
  const names = (roles: readonly string[]) => printable(listed(roles, shown), namesCharsMax)
  const press = (label: string, actionId: string, value: string) =>
    button({ actionId, label, value, says: `${label}: roles of ${server}` })
  const add = instead === undefined ? [] : [`Add ${names(instead.roles)}`]
  const make = `Create ${names(odd.map(({ role }) => role))}`
  return said(
    () => [
      ...lines,
      `Nothing was added to ${serverName(server)} yet. Roles can only be removed in the monitoring service.`,
    ],
    [
      actionsBlock([
        ...add.map((label) => press(label, `${actions.confirm}:instead`, instead?.pendingId ?? pendingId)),
        press(make, actions.confirm, pendingId),
        press('Cancel', actions.cancel, pendingId),
      ]),
    ],
  )
}

type Asked = Extract<Reply, { kind: 'confirm_roles' }>
