/** The state of a workspace: people, messages, views, and what only lives for a while. */
import { type ChannelAsk, openChannels, usualChannels } from './channels.ts'
import { openEvents } from './events.ts'
import { openFiles } from './files.ts'
import { openIds, openIssued } from './ids.ts'
import { type LimitsAsk, openLimiter } from './limits.ts'
import { openMessages } from './messages.ts'
import { makePerson, onCall, type Person, type PersonAsk, type UserGroup, usualPeople } from './people.ts'
import { openTimers } from './timers.ts'
import { openViews } from './views.ts'

export type CommandAsk = {
  readonly command: string
  readonly usageHint?: string
}

export type ResponsePlace = {
  readonly channelId: string
  readonly userId: string
  readonly messageTs?: string
}

export type AppOptions = {
  readonly scopes: readonly string[]
  readonly botEvents: readonly string[]
  readonly commands: readonly CommandAsk[]
  readonly homeEnabled: boolean
  readonly isMessagesTabOpen: boolean
}

export type StateOptions = {
  readonly botToken?: string
  readonly appToken?: string
  readonly channels?: readonly ChannelAsk[]
  readonly users?: readonly PersonAsk[]
  /** Epoch milliseconds: the clock of everything that takes time here, except the pings of sockets. */
  readonly nowMs?: () => number
  /** Slack's own by default. */
  readonly limits?: LimitsAsk
  readonly townUrl?: string
  readonly fileReadyMs?: number
  readonly seed?: number
}

export type State = ReturnType<typeof openState>

export function openState(options: StateOptions & AppOptions, url: () => string) {
  const nowMs = options.nowMs ?? (() => Date.now())
  const ids = openIds(options.seed ?? Math.floor(Math.random() * 2 ** 32))
  const bot = {
    userId: 'U0MONBOT01',
    botId: 'B0MONBOT01',
    name: 'monbot',
    scopes: new Set<string>(options.scopes),
  }
  const botUser: Person = { id: bot.userId, name: bot.name, realName: bot.name, tz: 'Etc/UTC', isBot: true }
  const people = (options.users ?? usualPeople).map((ask) => makePerson(ask, ids))
  const everybody = people.map((person) => person.id)
  const channels = openChannels(ids, bot.userId)
  for (const ask of options.channels ?? usualChannels) channels.add(ask, everybody)
  const { members, ...group } = onCall
  const userIds = people.filter(({ name }) => members.includes(name)).map(({ id }) => id)
  return {
    nowMs,
    timers: openTimers(nowMs),
    ids,
    events: openEvents(nowMs),
    url,
    team: { id: 'T0LOCAL001', name: 'Local', domain: 'local' },
    appId: 'A0MONBOT01',
    commands: options.commands,
    bot,
    tokens: {
      bot: options.botToken ?? `xoxb-${ids.secret(20)}`,
      app: options.appToken ?? `xapp-1-${ids.secret(20)}`,
    },
    people: new Map([...people, botUser].map((person) => [person.id, person])),
    groups: [{ ...group, userIds }] as readonly UserGroup[],
    channels,
    messages: openMessages(nowMs, bot.userId),
    files: openFiles(ids, nowMs, options.fileReadyMs ?? 300),
    /** Trigger ids with the person who acted: each lives three seconds and opens one view (docs/slack.md#forms). */
    triggers: openIssued<string>({ nowMs, newName: ids.trigger, lifeMs: 3_000, usesMax: 1 }),
    views: openViews(ids, nowMs),
    /** Response URLs by their last part: five uses within thirty minutes (docs/slack.md#answering-one-person). */
    responseUrls: openIssued<ResponsePlace>({
      nowMs,
      newName: () => ids.secret(16),
      lifeMs: 30 * 60_000,
      usesMax: 5,
    }),
    socketTickets: openIssued<null>({ nowMs, newName: () => ids.secret(24), lifeMs: 30_000, usesMax: 1 }),
    limiter: openLimiter(nowMs, options.limits ?? 'slack'),
    homeEnabled: options.homeEnabled,
    isMessagesTabOpen: options.isMessagesTabOpen,
    /** Names this run: sequence numbers of events are worth something only within it. */
    epoch: ids.uuid(),
    hasTown: options.townUrl !== undefined,
  }
}
