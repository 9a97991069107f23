/** All that a workspace knows, in one place: who is in it, what was said, what is open, what goes wrong on command. */

import type { Faults } from '../faults/faults.ts'
import type { Channels } from './channels.ts'
import type { Choices } from './choices.ts'
import type { Events } from './events.ts'
import type { Files } from './files.ts'
import type { Ids } from './ids.ts'
import type { Issued } from './issued.ts'
import type { Limiter } from './limits.ts'
import type { Messages } from './messages.ts'
import type { Person, UserGroup } from './people.ts'
import type { Timers } from './timers.ts'
import type { Views } from './views.ts'

export type CommandAsk = {
  /** With its slash. */
  readonly command: string
  readonly description?: string
  /** What follows the command, `[help | status]`. */
  readonly usageHint?: string
}

export type ShortcutAsk = {
  readonly callbackId: string
  readonly name: string
  /** `message` shortcuts stand in the menu of every message, `global` ones beside the composer. */
  readonly type: 'message' | 'global'
  readonly description?: string
}

/** What the app has registered with Slack and people can see, as a manifest lists it. */
export type AppAsk = {
  /** Undefined: any command is taken, and none is known by name. */
  readonly commands: readonly CommandAsk[] | undefined
  readonly shortcuts: readonly ShortcutAsk[]
}

export type Bot = {
  readonly userId: string
  readonly botId: string
  readonly name: string
  readonly scopes: ReadonlySet<string>
}

/** Where an answer belongs: the place that the person acted in, and the message that they acted on. */
export type ResponsePlace = {
  readonly channelId: string
  readonly userId: string
  readonly messageTs?: string
  readonly threadTs?: string
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
  /** Trigger ids with the person who acted: each lives three seconds and opens one view (slack-facts 2.6). */
  readonly triggers: Issued<string>
  readonly views: Views
  /** Response URLs by their last part: five uses within thirty minutes (slack-facts 4.2). */
  readonly responseUrls: Issued<ResponsePlace>
  /** Tickets for one connection of Socket Mode each, good for half a minute. */
  readonly socketTickets: Issued<null>
  readonly limiter: Limiter
  readonly faults: Faults
  /** How long a completed upload takes to become usable. */
  readonly fileReadyMs: number
  readonly homeEnabled: boolean
  /** Can people write to the app? */
  readonly isMessagesTabOpen: boolean
  /** Names this run: sequence numbers of events and positions in history are worth something only within it. */
  readonly epoch: string
  /** Whether a monitoring service stands beside it, for the page's second pane. */
  readonly hasTown: boolean
}
