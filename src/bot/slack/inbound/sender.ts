/** Reads who sent a Slack payload, from which workspace, and where to answer, even if the rest of it is not understood. */
import { z } from 'zod'
import { type Asker, address, threadOf, word } from './asked.ts'
import { parseMetadata } from './form-origin.ts'

type Sender = {
  readonly asker: Asker
  /** The person's own workspace; null if Slack does not say. */
  readonly teamId: string | null
  /** The Grid, an organization of several workspaces, that they belong to; null if there is none, or Slack does not say. */
  readonly enterpriseId: string | null
}

const id = word.optional().catch(undefined)
const one = z.object({ id, team_id: id }).optional().catch(undefined)
const shape = z.object({
  // In a command.
  user_id: id,
  channel_id: id,
  team_id: id,
  enterprise_id: id,
  message_ts: id,
  // In everything else.
  user: one,
  team: one,
  enterprise: one,
  channel: one,
  container: z.object({ message_ts: id, thread_ts: id }).optional().catch(undefined),
  message: z.object({ thread_ts: id }).optional().catch(undefined),
  view: z
    .object({ private_metadata: z.string().max(3_000) })
    .optional()
    .catch(undefined),
  response_url: address.optional().catch(undefined),
})

/** The sender; null if no user is named. */
export function senderOf(body: unknown): Sender | null {
  const read = shape.safeParse(body)
  if (!read.success) return null
  const { user, team, enterprise, channel, container, message, view, ...said } = read.data
  const userId = user?.id ?? said.user_id
  if (userId === undefined) return null
  const origin = view === undefined ? null : parseMetadata(view.private_metadata)
  return {
    asker: {
      userId,
      channel: channel?.id ?? said.channel_id ?? origin?.channel ?? null,
      threadTs:
        threadOf(container?.thread_ts ?? message?.thread_ts, container?.message_ts ?? said.message_ts) ??
        origin?.threadTs ??
        null,
      responseUrl: said.response_url ?? origin?.responseUrl ?? null,
      triggerId: null,
      replaces: 'never',
    },
    enterpriseId: enterprise?.id ?? said.enterprise_id ?? null,
    teamId: user?.team_id ?? team?.id ?? said.team_id ?? null,
  }
}
