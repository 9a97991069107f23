/** All that a workspace knows, in one place: who is in it, what was said, what is open, what goes wrong on command. */

import type { Faults } from '../faults/faults.ts'
import type { AppAsk } from './app-ask.ts'
import type { Channels } from './channels.ts'
import type { Choices } from './choices.ts'
import type { Events } from './events.ts'
import type { Files } from './files.ts'
import type { Ids } from './ids.ts'
import type { Limiter } from './limits.ts'
import type { Messages } from './messages.ts'
import type { Person, UserGroup } from './people.ts'
import type { ResponseUrls } from './response-urls.ts'
import type { Timers } from './timers.ts'
import type { TriggerIds } from './triggers.ts'
import type { Views } from './views.ts'

export type Bot = {
  readonly userId: string
  readonly botId: string
  readonly name: string
  readonly scopes: ReadonlySet<string>
}

export type State = {
  nowMs(): number
  readonly timers: Timers
  readonly ids: Ids
  readonly events: Events
  /** The workspace's root, `http://127.0.0.1:PORT/`. */
  url(): string
  readonly team: { readonly id: string; readonly name: string; readonly domain: string }
  readonly appId: string
  readonly app: AppAsk
  readonly bot: Bot
  readonly tokens: { readonly bot: string; readonly app: string; readonly revoked: Set<'bot' | 'app'> }
  readonly people: ReadonlyMap<string, Person>
  readonly groups: readonly UserGroup[]
  readonly channels: Channels
  readonly messages: Messages
  readonly choices: Choices
  readonly files: Files
  readonly triggers: TriggerIds
  readonly views: Views
  readonly responseUrls: ResponseUrls
  readonly limiter: Limiter
  readonly faults: Faults
  /** How long a completed upload takes to become usable. */
  readonly fileReadyMs: number
  readonly homeEnabled: boolean
  /** Names this run: sequence numbers of events and positions in history are worth something only within it. */
  readonly epoch: string
  /** Whether a monitoring service stands beside it, for the page's second pane. */
  readonly hasTown: boolean
}
