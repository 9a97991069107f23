/** The ports through which Slack's requests use the rest of the bot. */
import type { Handle } from '../../flow/handle.ts'
import type { IsStanding, WhenAnswered } from '../../flow/mute/open-mutes.ts'
import type { CardPlace } from '../../flow/ports/card-store.ts'
import type { Clock, Ids, Logger } from '../../flow/ports/ports.ts'
import type { Respond } from './respond.ts'

export type InboundPorts = {
  readonly handle: Handle
  /** The card shown by this message; null for any other message. */
  cardAt(channel: string, ts: string): Promise<Pick<CardPlace, 'kind' | 'alertIds'> | null>
  /** Names of roles that contain this, for a select. */
  roleNames(part: string): Promise<readonly string[]>
  /** Somebody opened their Home tab; never throws an outside failure. */
  onHome(userId: string): Promise<void>
  /** A channel was unarchived, or the bot was invited: what waits for it can be tried at once. */
  onReopened(channel: string): Promise<void>
  readonly isStanding: IsStanding
  readonly whenAnswered: WhenAnswered
  /** Ids for unexpected errors. */
  readonly ids: Ids
}

export type Talk = {
  readonly respond: Respond
  readonly clock: Clock
  readonly logger: Logger
  /** Aborted when the bot stops. */
  readonly leaving: AbortSignal
  /** The bot's workspace; people of other workspaces may share a channel with it. */
  readonly teamId: string
  /** The Grid that it belongs to, whose people are no strangers; null if it belongs to none. */
  readonly enterpriseId: string | null
  /** The bot's user id as a member of channels. */
  readonly botUserId: string
}
