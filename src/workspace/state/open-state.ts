/** The state that a workspace opens with: its people, its channels, its bot, its tokens. */

import { openFaults } from '../faults/faults.ts'
import { type ChannelAsk, openChannels, usualChannels } from './channels.ts'
import { openChoices } from './choices.ts'
import { openEvents } from './events.ts'
import { openFiles } from './files.ts'
import { openIds } from './ids.ts'
import { openIssued } from './issued.ts'
import { type LimitsAsk, openLimiter } from './limits.ts'
import { openMessages } from './messages.ts'
import { type GroupAsk, makePerson, type Person, type PersonAsk, usualGroups, usualPeople } from './people.ts'
import type { CommandAsk, ShortcutAsk, State } from './state.ts'
import { openTimers } from './timers.ts'
import { openViews } from './views.ts'

/** What stands in a workspace when it opens, and by which clock and limits it lives. */
export type StateOptions = {
  /** Made where it is not given. */
  readonly botToken?: string
  readonly appToken?: string
  readonly channels?: readonly ChannelAsk[]
  readonly users?: readonly PersonAsk[]
  readonly groups?: readonly GroupAsk[]
  /** Epoch milliseconds: the clock of everything that takes time here, except the pings of sockets. */
  readonly nowMs?: () => number
  /** Slack's own by default. */
  readonly limits?: LimitsAsk
  readonly scopes?: readonly string[]
  /** The commands that the bot has (`/mon`); any, where they are not given. */
  readonly commands?: readonly (string | CommandAsk)[]
  readonly shortcuts?: readonly ShortcutAsk[]
  /** The control API of a monitoring service, for the page's second pane. */
  readonly townUrl?: string
  /** 300 by default. */
  readonly fileReadyMs?: number
  readonly homeEnabled?: boolean
  /** Whether people can write to the app; they can by default. */
  readonly isMessagesTabOpen?: boolean
  /** For ids and for the choice of sockets; a random one by default. */
  readonly seed?: number
}

/** What the bot's manifest asks for. */
const usualScopes = [
  'app_mentions:read',
  'chat:write',
  'channels:history',
  'groups:history',
  'channels:read',
  'groups:read',
  'files:write',
  'im:history',
  'pins:write',
  'commands',
  'users:read',
  'usergroups:read',
]
const usualFileReadyMs = 300
const chanceParts = 1_000_000

export function openState(options: StateOptions, url: () => string): State {
  const nowMs = options.nowMs ?? (() => Date.now())
  const ids = openIds(options.seed ?? Math.floor(Math.random() * 2 ** 32))
  const bot = {
    userId: 'U0MONBOT01',
    botId: 'B0MONBOT01',
    name: 'monbot',
    scopes: new Set(options.scopes ?? usualScopes),
  }
  const botUser: Person = { id: bot.userId, name: bot.name, realName: bot.name, tz: 'Etc/UTC', isBot: true }
  const people = (options.users ?? usualPeople).map((ask) => makePerson(ask, ids))
  const channels = openChannels(ids, nowMs, bot.userId)
  for (const ask of options.channels ?? usualChannels) {
    channels.add(
      ask,
      people.map((person) => person.id),
    )
  }
  const faults = openFaults(() => ids.pick(chanceParts) / chanceParts)
  return {
    nowMs,
    timers: openTimers(nowMs),
    ids,
    events: openEvents(nowMs),
    url,
    team: { id: 'T0LOCAL001', name: 'Local', domain: 'local' },
    appId: 'A0MONBOT01',
    app: {
      commands: options.commands?.map((ask) => (typeof ask === 'string' ? { command: ask } : ask)),
      shortcuts: options.shortcuts ?? [],
    },
    bot,
    tokens: {
      bot: options.botToken ?? `xoxb-${ids.secret(20)}`,
      app: options.appToken ?? `xapp-1-${ids.secret(20)}`,
      revoked: new Set(),
    },
    people: new Map([...people, botUser].map((person) => [person.id, person])),
    groups: (options.groups ?? usualGroups).map(({ id, handle, name, members }) => ({
      id: id ?? ids.make('S'),
      handle,
      name: name ?? handle,
      userIds: people.filter((person) => members.includes(person.name)).map((person) => person.id),
    })),
    channels,
    messages: openMessages(nowMs, bot.userId),
    choices: openChoices(),
    files: openFiles(ids, nowMs),
    triggers: openIssued({ nowMs, newName: ids.trigger, lifeMs: 3_000, usesMax: 1 }),
    views: openViews(ids, nowMs),
    responseUrls: openIssued({ nowMs, newName: () => ids.secret(16), lifeMs: 30 * 60_000, usesMax: 5 }),
    socketTickets: openIssued({ nowMs, newName: () => ids.secret(24), lifeMs: 30_000, usesMax: 1 }),
    limiter: openLimiter(nowMs, options.limits ?? 'slack'),
    faults,
    fileReadyMs: options.fileReadyMs ?? usualFileReadyMs,
    homeEnabled: options.homeEnabled ?? true,
    isMessagesTabOpen: options.isMessagesTabOpen ?? true,
    epoch: ids.uuid(),
    hasTown: options.townUrl !== undefined,
  }
}
