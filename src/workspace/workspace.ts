/** A local Slack workspace: connects its parts and opens its server on 127.0.0.1. Nothing outlives the process. */
import { createServer, type Server } from 'node:http'
import { getRequestListener, type HttpBindings } from '@hono/node-server'
import { Hono } from 'hono'
import { serveApi } from './api/dispatch.ts'
import { serveFiles } from './api/files.ts'
import { serveResponses } from './api/respond.ts'
import { openActs } from './control/acts.ts'
import { serveControl } from './control/serve.ts'
import { ephemeralsOf, homeOf, messagesOf, modalsOf } from './control/snapshot.ts'
import { serveTown } from './control/town.ts'
import { openEnvelopes } from './delivery/envelopes.ts'
import { openEventTries } from './delivery/event-tries.ts'
import { type HttpOptions, openRequests } from './delivery/requests.ts'
import { openSockets } from './delivery/sockets.ts'
import { servePage } from './http/page.ts'
import { hearMessages } from './people/live.ts'
import type { Stage } from './people/stage.ts'
import type { Channel } from './state/channels.ts'
import type { Person } from './state/people.ts'
import { openState, type State, type StateOptions } from './state/state.ts'

export type WorkspaceOptions = StateOptions & {
  /** 0 (the default) takes any free one. */
  readonly port?: number
  /** The address to listen on; 127.0.0.1 by default. Whoever reaches any other can act as anybody: there is no password. */
  readonly host?: string
  /** Where the bot reaches it, with a slash at the end, if something stands in front of it; its own address by default. */
  readonly publicUrl?: string
  /** The events that the bot has subscribed to. */
  readonly botEvents?: readonly string[]
  /** HTTP mode: everything is POSTed to the bot, and no socket gets anything. Socket Mode where it is not given. */
  readonly http?: HttpOptions
  /** Between the server's pings; 10,000 by default. */
  readonly pingMs?: number
  /** A connection's life, at the end of which it is refreshed; 3,600 by default. */
  readonly socketLifeSeconds?: number
}

export type Workspace = Awaited<ReturnType<typeof openWorkspace>>

/** Opens the workspace; throws if the port is taken. */
export async function openWorkspace(options: WorkspaceOptions = {}) {
  const host = options.host ?? '127.0.0.1'
  const address = { url: '' }
  const state = openState(options, () => options.publicUrl ?? address.url)
  const sockets = openSockets(state, {
    pingMs: options.pingMs ?? 10_000,
    lifeSeconds: options.socketLifeSeconds ?? 3_600,
  })
  const requests = options.http && openRequests(state, options.http)
  const line = requests ?? openEnvelopes(state, sockets)
  const tries = openEventTries(state, line)
  const stage: Stage = {
    state,
    line,
    tries,
    botEvents: new Set(options.botEvents ?? usualBotEvents),
    commands: state.app.commands && new Set(state.app.commands.map(({ command }) => command)),
  }
  hearMessages(stage)
  const acts = openActs(stage, sockets, requests)

  const app = new Hono<{ Bindings: HttpBindings }>()
  serveApi(app, state, sockets.invite)
  serveFiles(app, state)
  serveResponses(app, state)
  serveControl(app, state, sockets, acts, { host, beatMs: options.pingMs ?? 10_000 })
  servePage(app, host)
  serveTown(app, state, { townUrl: options.townUrl, listensOn: host })

  const server = createServer(getRequestListener(app.fetch))
  server.on('upgrade', sockets.upgrade)
  const port = await listen(server, options.port ?? 0, host)
  address.url = `http://${reachableName(host)}:${port}/`

  return {
    ...doorsOf(state),
    /** `http://127.0.0.1:PORT/`: the page, and below it `/control`. */
    url: address.url,
    /** `http://127.0.0.1:PORT/api/` */
    apiUrl: `${address.url}api/`,
    /** What people do, and what goes wrong: the same acts as `POST /control/ACT`. */
    acts,
    /** How many sockets serve. */
    sockets: sockets.serving,
    async close(): Promise<void> {
      tries.close()
      line.close()
      state.timers.close()
      sockets.close()
      await new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
    },
  }
}

/** What stands in the workspace, for whoever opened it. */
function doorsOf(state: State) {
  function person(ref: string): Person {
    const found = [...state.people.values()].find((one) => one.id === ref || one.name === ref)
    if (found === undefined) throw new Error(`there is no person ${JSON.stringify(ref)} in this workspace`)
    return found
  }
  /** By id, or by name with or without `#`. */
  function channel(ref: string): Channel {
    const found = state.channels.find(ref)
    if (found === undefined) throw new Error(`there is no channel ${JSON.stringify(ref)} in this workspace`)
    return found
  }
  return {
    botToken: state.tokens.bot,
    appToken: state.tokens.app,
    botUserId: state.bot.userId,
    botId: state.bot.botId,
    teamId: state.team.id,
    users: [...state.people.values()].filter((one) => !one.isBot),
    groups: state.groups,
    /** What people find in the menus of messages. */
    shortcuts: state.app.shortcuts,
    /** Those that the workspace opened with. */
    channels: [...state.channels.all.values()],
    channel,
    person,
    events: state.events,
    /** A channel's messages with metadata, its threads' replies among them, oldest first. */
    messages: (ref: string) => messagesOf(state, channel(ref).id),
    /** What only this person sees. */
    ephemerals: (ref: string) => ephemeralsOf(state, person(ref).id),
    /** A person's modal, as a list of at most one. */
    modals: (ref: string) => modalsOf(state, person(ref).id),
    home: (ref: string) => homeOf(state, person(ref).id),
  }
}

/** What a bot like ours subscribes to (docs/slack.md#setting-up-an-app). */
const usualBotEvents = [
  'app_home_opened',
  'app_mention',
  'channel_unarchive',
  'group_unarchive',
  'member_joined_channel',
  'message.channels',
  'message.groups',
  'message.im',
]

/** Where this machine reaches a server that listens there: one that listens everywhere also listens on loopback. */
function reachableName(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}

function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : port)
    })
  })
}
