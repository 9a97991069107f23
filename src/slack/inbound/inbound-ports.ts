/** What the joining of Slack's requests needs of the rest of the bot. */
import type { Handle } from '../../flow/handle.ts'
import type { Clock, Ids, Logger } from '../../flow/ports/ports.ts'
import type { CardPlace } from '../../flow/ports/store.ts'
import type { Respond } from './respond.ts'

export type InboundPorts = {
  readonly handle: Handle
  /** The card that stands there; null for any other message. */
  cardAt(channel: string, ts: string): Promise<Pick<CardPlace, 'kind' | 'alertIds'> | null>
  /** Names of roles that contain this, for a select. */
  roleNames(part: string): Promise<readonly string[]>
  /** Somebody looks at their Home tab; never throws what the world did. */
  onHome(userId: string): Promise<void>
  /** A channel was unarchived, or the bot was invited to it: what waits for it can be tried at once. */
  onReopened(channel: string): Promise<void>
  /** Of errors that nobody expected. */
  readonly ids: Ids
}

export type Talk = {
  readonly respond: Respond
  readonly clock: Clock
  readonly logger: Logger
  /** The workspace that the bot belongs to: people of others may share a channel with it. */
  readonly teamId: string
  /** The bot as a member of channels. */
  readonly botUserId: string
}
