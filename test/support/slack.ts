/**
 * The local workspace with all that tests let go wrong: calls of the Web API and answers on the way back, sockets, tokens, people of
 * other organizations, and HTTP mode in place of Socket Mode. It stands between, by the workspace's own seams.
 */
import { createHmac, randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { HttpBindings } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { request } from 'undici'
import type { WebSocket } from 'ws'
import type { Reply } from '../../src/workspace/api/reply.ts'
import { ephemeralsOf, homeOf, modalsOf } from '../../src/workspace/control/serve.ts'
import {
  ackWithinMs,
  type BotLine,
  type Delivery,
  type DeliveryOptions,
  late,
  type PayloadKind,
} from '../../src/workspace/delivery/bot-line.ts'
import type { DisconnectReason } from '../../src/workspace/delivery/sockets.ts'
import { type Stage, sendEvent } from '../../src/workspace/people/stage.ts'
import type { Channel } from '../../src/workspace/state/channels.ts'
import type { Fields } from '../../src/workspace/state/fields.ts'
import type { Person } from '../../src/workspace/state/people.ts'
import type { State } from '../../src/workspace/state/state.ts'
import { wireMessage } from '../../src/workspace/state/wire.ts'
import {
  type Fetch,
  openWorkspace as openPlain,
  type WorkspaceOptions as PlainOptions,
} from '../../src/workspace/workspace.ts'

/** A copy: where a server was open before this was loaded, the original is of a kind that is written once more. */
const alreadySent = RESPONSE_ALREADY_SENT.clone()

/**
 * What happens to one call. Those that begin with `commit` do what was asked before they spoil the answer; `commit_late`
 * drops the connection at once and does it afterwards; `truncate` does it too; all others do nothing of it.
 */
export type Effect =
  | { readonly kind: 'status'; readonly status: number; readonly body?: string }
  /** 200 with a page instead of JSON, as a proxy or a maintenance window answers. */
  | { readonly kind: 'html' }
  | { readonly kind: 'error'; readonly error: string; readonly more?: Fields }
  | { readonly kind: 'ratelimited'; readonly retryAfterSeconds: number }
  | { readonly kind: 'hang' | 'reset' | 'commit_then_reset' | 'truncate' }
  | { readonly kind: 'commit_then_status'; readonly status: number }
  | { readonly kind: 'delay' | 'commit_then_delay'; readonly delayMs: number }
  | { readonly kind: 'commit_late'; readonly afterMs: number }

/** `method` is a Web API method, `*` for all of them, `upload`, or `response_url`; `times` null: until cleared. */
type FaultAsk = {
  readonly method: string
  readonly channel?: string
  readonly times?: number | null
  readonly effect: Effect
}
/** `never_close` and `pong_loss` meet the open ones at once, and the next ones. */
type SocketFault = 'no_hello' | 'refuse_upgrade' | 'hang_upgrade' | 'never_close' | 'pong_loss'
type RequestFault =
  | { readonly kind: 'forged_signature' | 'no_signature' }
  | { readonly kind: 'shifted_timestamp'; readonly seconds: number }

export type HttpOptions = { readonly requestUrl: string; readonly signingSecret: string }
export type WorkspaceOptions = PlainOptions & {
  /** HTTP mode: everything is POSTed to the bot, and no socket gets anything. */
  readonly http?: HttpOptions
  readonly enterpriseId?: string
  /** By a person's name: the workspace and Grid that they belong to. */
  readonly homes?: Readonly<Record<string, { readonly teamId: string; readonly enterpriseId: string | null }>>
}
export type Workspace = Awaited<ReturnType<typeof openWorkspace>>

/** What was ordered, each so many times. */
class Orders<Order> {
  private orders: { readonly order: Order; left: number }[] = []

  add(order: Order, times: number | null = 1): void {
    this.orders.push({ order, left: times ?? Number.POSITIVE_INFINITY })
  }

  /** The oldest that fits, which then stands once less. */
  take(fits: (order: Order) => boolean = () => true): Order | undefined {
    const found = this.orders.find(({ order, left }) => left > 0 && fits(order))
    if (found !== undefined) found.left -= 1
    return found?.order
  }

  clear(fits: (order: Order) => boolean = () => true): void {
    this.orders = this.orders.filter(({ order }) => !fits(order))
  }
}

export async function openWorkspace(options: WorkspaceOptions = {}) {
  const calls = new Orders<FaultAsk>()
  const revoked = new Set<'bot' | 'app'>()
  const sockets = openSocketFaults()
  let lagMs = 0
  let http: ReturnType<typeof openHttp> | undefined

  const around = (next: Fetch, opened: State): Fetch => {
    return async (asked, env) => {
      const place = await placeOf(asked, opened)
      if (place === undefined) return next(asked, env)
      const fault = calls.take(
        ({ method, channel }) =>
          (method === place.method || (method === '*' && place.isApi)) &&
          (channel === undefined || opened.channels.find(channel)?.id === place.channel),
      )
      const token = (asked.headers.get('authorization') ?? '').slice('Bearer '.length)
      const isRevoked = (['bot', 'app'] as const).some(
        (one) => revoked.has(one) && opened.tokens[one] === token,
      )
      if (isRevoked) return Response.json({ ok: false, error: 'token_revoked' })
      const answer = await spoilt(fault?.effect, env, opened, async () => next(asked.clone(), env))
      return changed(answer, place.method, {
        lagMs,
        nowMs: opened.nowMs(),
        enterpriseId: options.enterpriseId,
      })
    }
  }
  const workspace = await openPlain({
    ...options,
    seams: {
      around,
      aroundUpgrade: sockets.aroundUpgrade,
      onSocket: sockets.join,
      line(usual, opened) {
        if (options.http !== undefined) http = openHttp(opened, options.http)
        return openAwayFromHome(http ?? usual, opened, options)
      },
    },
  })
  const yes = async (work: () => unknown): Promise<Reply> => {
    work()
    return { ok: true }
  }
  const acts = {
    ...workspace.acts,
    ...channelActs(workspace.stage),
    /** The next calls of a method go wrong. */
    fault: (ask: FaultAsk) => yes(() => calls.add(ask, ask.times === undefined ? 1 : ask.times)),
    clearFaults: () =>
      yes(() => {
        calls.clear()
        sockets.clear()
        lagMs = 0
      }),
    /** New messages stay out of history and replies for this long; 0 ends it. */
    historyLag: (ask: { lagMs: number }) =>
      yes(() => {
        lagMs = ask.lagMs
      }),
    /** A token stops working; sockets that are open stay open. */
    revoke: ({ token, revoked: on = true }: { token: 'bot' | 'app'; revoked?: boolean }) =>
      yes(() => (on ? revoked.add(token) : revoked.delete(token))),
    socketFault: ({ kind, times = 1 }: { kind: SocketFault; times?: number | null }) =>
      yes(() => sockets.order(kind, times)),
    disconnect: ({ reason, which = 'all' }: { reason: DisconnectReason; which?: 'one' | 'all' }) =>
      yes(() => workspace.disconnect(reason, which)),
    /** Cuts all sockets without a word. */
    cut: () => yes(() => sockets.cut()),
    /** HTTP mode: the next requests are badly signed, or were made at another time. */
    requestFault: (fault: RequestFault) => yes(() => http?.faults.add(fault)),
    /** HTTP mode: the request URL is set, once the bot has proved itself there. */
    requestUrl: async ({ url }: { url: string }): Promise<Reply> =>
      (await http?.verify(url)) === true ? { ok: true } : { ok: false, error: 'url_not_verified' },
    /** HTTP mode: Slack looks whether the request URL still answers. */
    sslCheck: async (): Promise<Reply> =>
      (await http?.checkTls()) === true ? { ok: true } : { ok: false, error: 'ssl_check_failed' },
  }
  const close = (): Promise<void> => {
    sockets.end()
    return workspace.close()
  }
  return { ...workspace, ...doorsOf(workspace.state), acts, close }
}

/** What people do to channels, of which the bot hears. `who` is a person's name, or `bot`. */
function channelActs(stage: Stage) {
  const { state } = stage
  const { channel, person } = doorsOf(state)
  const member = (who: string) => (who === 'bot' ? state.bot.userId : person(who).id)
  const event_ts = () => state.messages.nextTs()
  return {
    async invite({ channel: ref, who }: { channel: string; who: string }): Promise<Reply> {
      const { id, kind, members } = channel(ref)
      members.add(member(who))
      const channel_type = kind === 'private' ? 'G' : 'C'
      const joined = { type: 'member_joined_channel', user: member(who), channel: id, channel_type }
      sendEvent(stage, { ...joined, team: state.team.id, event_ts: event_ts() })
      return { ok: true }
    },
    async kick({ channel: ref, who }: { channel: string; who: string }): Promise<Reply> {
      channel(ref).members.delete(member(who))
      return { ok: true }
    },
    async archive({
      channel: ref,
      archived = true,
    }: {
      channel: string
      archived?: boolean
    }): Promise<Reply> {
      const place = channel(ref)
      place.archived = archived
      const type = `${place.kind === 'private' ? 'group' : 'channel'}_${archived ? '' : 'un'}archive`
      sendEvent(stage, { type, channel: place.id, event_ts: event_ts() })
      return { ok: true }
    },
  }
}

/** What stands in the workspace. */
function doorsOf(state: State) {
  function person(ref: string): Person {
    const found = [...state.people.values()].find((one) => one.id === ref || one.name === ref)
    if (found === undefined) throw new Error(`there is no person ${JSON.stringify(ref)} in this workspace`)
    return found
  }
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
    channels: [...state.channels.all.values()],
    channel,
    person,
    events: state.events,
    messages: (ref: string) =>
      state.messages.all(channel(ref).id).map((one) => wireMessage(state, one, { withMetadata: true })),
    ephemerals: (ref: string) => ephemeralsOf(state, person(ref).id),
    modals: (ref: string) => modalsOf(state, person(ref).id),
    home: (ref: string) => homeOf(state, person(ref).id),
  }
}

type Place = { readonly method: string; readonly channel: string | undefined; readonly isApi: boolean }

async function placeOf(asked: Request, state: State): Promise<Place | undefined> {
  const [, kind, name = ''] = new URL(asked.url).pathname.split('/')
  if (kind === 'upload') return { method: 'upload', channel: undefined, isApi: false }
  if (kind === 'respond') return { method: 'response_url', channel: undefined, isApi: false }
  if (kind !== 'api') return undefined
  const ref = new URLSearchParams(await asked.clone().text()).get('channel') ?? ''
  return { method: name, channel: state.channels.find(ref)?.id ?? ref, isApi: true }
}

/** History that lags, and the Grid that the workspace belongs to. */
async function changed(
  answer: Response,
  method: string,
  { lagMs, nowMs, enterpriseId }: { lagMs: number; nowMs: number; enterpriseId: string | undefined },
): Promise<Response> {
  if (method === 'auth.test' && enterpriseId !== undefined) {
    const told = (await answer.json()) as Fields
    return Response.json(told.ok === true ? { ...told, enterprise_id: enterpriseId } : told)
  }
  if (lagMs === 0 || !/^conversations\.(?:history|replies)$/.test(method)) return answer
  const told = (await answer.json()) as { messages?: { ts: string }[] }
  const messages = told.messages?.filter(({ ts }) => Number(ts) * 1_000 <= nowMs - lagMs)
  return Response.json({ ...told, ...(messages === undefined ? {} : { messages }) })
}

async function spoilt(
  effect: Effect | undefined,
  { incoming, outgoing }: HttpBindings,
  state: State,
  run: () => Promise<Response>,
): Promise<Response> {
  const cut = (): Response => {
    incoming.socket.resetAndDestroy()
    return alreadySent
  }
  const kind = effect?.kind ?? ''
  const done = kind === '' || kind === 'truncate' || /^commit_then_/.test(kind) ? await run() : undefined
  switch (effect?.kind) {
    case 'status':
    case 'commit_then_status':
      return new Response('body' in effect ? effect.body : 'upstream error', { status: effect.status })
    case 'html':
      return new Response('<!doctype html><title>Maintenance</title>', {
        headers: { 'content-type': 'text/html' },
      })
    case 'error':
      return Response.json({ ok: false, error: effect.error, ...effect.more })
    case 'ratelimited': {
      const headers = { 'retry-after': String(effect.retryAfterSeconds) }
      return Response.json({ ok: false, error: 'ratelimited' }, { status: 429, headers })
    }
    case 'delay':
      await state.timers.wait(effect.delayMs)
      return run()
    case 'commit_then_delay':
      await state.timers.wait(effect.delayMs)
      break
    case 'commit_late':
      state.timers.after(effect.afterMs, () => void run())
      return cut()
    case 'reset':
    case 'commit_then_reset':
      return cut()
    case 'hang':
      await new Promise((resolve) => (outgoing.destroyed ? resolve(null) : outgoing.once('close', resolve)))
      return alreadySent
    case 'truncate': {
      // The head promises the whole body, half of it comes, and the connection ends.
      const bytes = Buffer.from((await done?.text()) ?? '')
      outgoing.writeHead(200, { 'content-type': 'application/json', 'content-length': bytes.byteLength })
      await new Promise((resolve) => outgoing.write(bytes.subarray(0, bytes.byteLength / 2), resolve))
      outgoing.destroy()
      return alreadySent
    }
  }
  return done ?? run()
}

function openSocketFaults() {
  const orders = new Orders<SocketFault>()
  const open = new Set<WebSocket>()
  const hanging = new Set<Duplex>()
  const spoil = (ws: WebSocket, kind: SocketFault): void => {
    // The answer to a close frame is a call of `close`: without it the handshake stays half done.
    if (kind === 'never_close') ws.close = () => undefined
    if (kind === 'pong_loss') ws.pong = () => undefined
    if (kind === 'no_hello') ws.send = () => undefined
  }
  const lasting = ['never_close', 'pong_loss'] as const
  return {
    order(kind: SocketFault, times: number | null): void {
      orders.add(kind, times)
      if (kind === 'never_close' || kind === 'pong_loss') for (const ws of open) spoil(ws, kind)
    },
    clear(): void {
      orders.clear()
      for (const ws of open) for (const name of ['close', 'pong']) Reflect.deleteProperty(ws, name)
    },
    /** A server does not close over streams that hang. */
    end(): void {
      for (const stream of hanging) stream.destroy()
    },
    cut(): void {
      for (const ws of open) ws.terminate()
    },
    join(ws: WebSocket): void {
      open.add(ws)
      ws.on('close', () => open.delete(ws))
      for (const kind of [...lasting, 'no_hello'] as const)
        if (orders.take((one) => one === kind)) spoil(ws, kind)
    },
    aroundUpgrade:
      (next: (asked: IncomingMessage, stream: Duplex, head: Buffer) => void) =>
      (asked: IncomingMessage, stream: Duplex, head: Buffer): void => {
        if (orders.take((one) => one === 'hang_upgrade') !== undefined) hanging.add(stream)
        else if (orders.take((one) => one === 'refuse_upgrade') === undefined) next(asked, stream, head)
        else stream.end('HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n')
      },
  }
}

/** Payloads name the workspace and Grid of who acts, wherever they press (bolt-js #1875). */
function openAwayFromHome(
  line: BotLine,
  state: State,
  { homes = {}, enterpriseId }: WorkspaceOptions,
): BotLine {
  if (enterpriseId === undefined) return line
  return {
    ...line,
    deliver(kind, payload, options) {
      const { user, user_id } = payload as { user?: { id: string }; user_id?: string }
      const { name = '' } = state.people.get(user?.id ?? user_id ?? '') ?? {}
      const home = homes[name] ?? { teamId: state.team.id, enterpriseId }
      const grid = home.enterpriseId && { id: home.enterpriseId }
      const away =
        kind === 'slash_commands'
          ? { team_id: home.teamId, ...(grid ? { enterprise_id: grid.id } : {}) }
          : { user: { ...user, team_id: home.teamId }, enterprise: grid }
      return line.deliver(kind, kind === 'events_api' ? payload : { ...payload, ...away }, options)
    },
  }
}

const form = 'application/x-www-form-urlencoded'

/** Each payload is a signed POST to one URL, and a 2xx answer within three seconds is the acknowledgement (docs/slack.md#http-mode). */
function openHttp(state: State, { requestUrl, signingSecret }: HttpOptions) {
  const faults = new Orders<RequestFault>()
  const underWay = new Set<AbortController>()
  let url = requestUrl

  type Got = {
    readonly status: number | 'late' | 'unreached'
    readonly noRetry: boolean
    readonly body: string
  }
  async function post(
    to: string,
    body: string,
    type: string,
    attempt?: DeliveryOptions['attempt'],
  ): Promise<Got> {
    const ending = new AbortController()
    underWay.add(ending)
    const cancel = state.timers.after(ackWithinMs, () => ending.abort())
    const retry = attempt !== undefined && attempt.number > 0 ? attempt : undefined
    const headers = {
      'content-type': type,
      ...signatureOf(body, signingSecret, state.nowMs(), faults.take()),
      ...(retry && { 'x-slack-retry-num': String(retry.number), 'x-slack-retry-reason': retry.reason }),
    }
    try {
      const answer = await request(to, { method: 'POST', body, headers, signal: ending.signal, reset: true })
      const noRetry = answer.headers['x-slack-no-retry'] === '1'
      return { status: answer.statusCode, noRetry, body: await answer.body.text() }
    } catch {
      return { status: ending.signal.aborted ? 'late' : 'unreached', noRetry: false, body: '' }
    } finally {
      cancel()
      underWay.delete(ending)
    }
  }

  return {
    faults,
    async deliver(kind: PayloadKind, payload: Fields, { attempt }: DeliveryOptions): Promise<Delivery> {
      const fields = kind === 'slash_commands' ? payload : { payload: JSON.stringify(payload) }
      const pairs = Object.entries(fields).map(([name, value]) => [name, String(value)])
      const isEvent = kind === 'events_api'
      const body = isEvent
        ? JSON.stringify(payload)
        : new URLSearchParams(Object.fromEntries(pairs)).toString()
      const answer = await post(url, body, isEvent ? 'application/json' : form, attempt)
      const { status } = answer
      if (status === 'late') return { kind: 'late', reason: 'http_timeout', detail: late }
      if (status === 'unreached')
        return { kind: 'failed', reason: 'connection_failed', detail: 'nobody listens' }
      const isFinal = answer.noRetry
      if (status < 200 || status > 299)
        return { kind: 'failed', reason: 'http_error', detail: `the bot answered ${status}`, isFinal }
      return { kind: 'acked', payload: readAck(kind, answer.body) }
    },
    async verify(wanted: string): Promise<boolean> {
      const challenge = randomBytes(20).toString('hex')
      const asked = JSON.stringify({ type: 'url_verification', challenge })
      const { status, body } = await post(wanted, asked, 'application/json')
      const isProved = status === 200 && body.includes(challenge)
      if (isProved) url = wanted
      return isProved
    },
    checkTls: async () => (await post(url, 'ssl_check=1', form)).status === 200,
    close(): void {
      for (const ending of underWay) ending.abort()
    },
  }
}

/** `v0=` and the HMAC-SHA256 of `v0:TIMESTAMP:BODY`, if no fault spoils it. */
function signatureOf(
  body: string,
  secret: string,
  nowMs: number,
  fault: RequestFault | undefined,
): Record<string, string> {
  if (fault?.kind === 'no_signature') return {}
  const shift = fault?.kind === 'shifted_timestamp' ? fault.seconds : 0
  const timestamp = String(Math.floor(nowMs / 1_000) + shift)
  const key = fault?.kind === 'forged_signature' ? `not ${secret}` : secret
  const signature = createHmac('sha256', key).update(`v0:${timestamp}:${body}`).digest('hex')
  return { 'x-slack-signature': `v0=${signature}`, 'x-slack-request-timestamp': timestamp }
}

/** Text alone is an answer to a command. */
function readAck(kind: PayloadKind, body: string): unknown {
  if (body.trim() === '') return undefined
  try {
    return JSON.parse(body)
  } catch {
    return kind === 'slash_commands' ? { text: body } : undefined
  }
}
