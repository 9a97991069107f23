/** The official clients drive the workspace: what `@slack/web-api` and `@slack/socket-mode` expect of Slack, they find. */
import { SocketModeClient } from '@slack/socket-mode'
import {
  type Logger,
  LogLevel,
  WebAPIHTTPError,
  WebAPIPlatformError,
  WebAPIRateLimitedError,
  WebAPIRequestError,
  WebClient,
  type WebClientOptions,
} from '@slack/web-api'
import { afterEach, describe, expect, test } from 'vitest'
import { patienceMs } from '../support/patience.ts'
import type { Workspace, WorkspaceOptions } from '../support/slack.ts'
import { eventually, fieldsOf, neighbour } from '../workspace/neighbour.ts'

/** The clients' own words about connections that break on purpose would only hide those that matter. */
const quiet: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  setLevel: () => undefined,
  setName: () => undefined,
  getLevel: () => LogLevel.ERROR,
}
const alerts = 'C0ALERTS01'

const open: SocketModeClient[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((client) => client.disconnect()))
})

async function client(options: WorkspaceOptions = {}, clientOptions: WebClientOptions = {}) {
  const it = await neighbour(options)
  return { ...it, web: webClient(it.workspace, clientOptions) }
}

function webClient({ apiUrl, botToken }: Workspace, more: WebClientOptions = {}): WebClient {
  return new WebClient(botToken, {
    slackApiUrl: apiUrl,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    timeout: patienceMs,
    logger: quiet,
    ...more,
  })
}

function socketClient({ apiUrl, appToken }: Workspace) {
  const socket = new SocketModeClient({
    appToken,
    clientPingTimeout: 300,
    logger: quiet,
    clientOptions: { slackApiUrl: apiUrl },
  })
  open.push(socket)
  let connected = 0
  socket.on('connected', () => {
    connected += 1
  })
  // The client's own count: to end it between the server's hello and its reading of it is what it cannot take (#2656).
  return Object.assign(socket, { connected: () => connected })
}

/** The error that a call ends with. */
async function failure(calling: Promise<unknown>): Promise<unknown> {
  return calling.then(
    (value) => Promise.reject(new Error(`expected a failure, got ${JSON.stringify(value)}`)),
    (error: unknown) => error,
  )
}

describe('@slack/web-api', () => {
  test('posts, updates, reads and deletes a card with metadata', async () => {
    const { web } = await client({}, { teamId: 'T0LOCAL001' })
    const metadata = { event_type: 'monbot_card', event_payload: { key: '42:C0ALERTS01' } }
    const blocks = [{ type: 'section' as const, text: { type: 'mrkdwn' as const, text: '*down*' } }]
    const posted = await web.chat.postMessage({ channel: '#alerts', text: 'down', blocks, metadata })
    expect(posted).toMatchObject({ ok: true, channel: alerts })
    const ts = posted.ts ?? ''
    await web.chat.update({ channel: alerts, ts, text: 'up', blocks })
    const { messages } = await web.conversations.history({
      channel: alerts,
      include_all_metadata: true,
    })
    expect(messages).toMatchObject([{ ts, text: 'up', metadata }])
    await web.chat.delete({ channel: alerts, ts })
    expect((await web.conversations.history({ channel: alerts })).messages).toEqual([])
  })

  test('walks through pages by itself', async () => {
    const { web } = await client()
    for (let n = 0; n < 7; n += 1) await web.chat.postMessage({ channel: alerts, text: `m${n}` })
    const texts: unknown[] = []
    for await (const page of web.paginate('conversations.history', { channel: alerts, limit: 3 })) {
      const { messages } = fieldsOf(page)
      texts.push(...(Array.isArray(messages) ? messages : []).map((message) => fieldsOf(message).text))
    }
    expect(texts).toEqual(['m6', 'm5', 'm4', 'm3', 'm2', 'm1', 'm0'])
  })

  test('gets platform errors with the reasons that the bot reads', async () => {
    const { web } = await client()
    const image = { type: 'image' as const, alt_text: 'load', slack_file: { id: 'F0NOSUCH01' } }
    const error = await failure(web.chat.postMessage({ channel: alerts, text: 'x', blocks: [image] }))
    expect(error).toBeInstanceOf(WebAPIPlatformError)
    expect(error).toMatchObject({
      data: {
        error: 'invalid_blocks',
        errors: ['invalid slack file [json-pointer:/blocks/0/slack_file]'],
      },
    })
  })

  test('is told to wait by 429, and waits or rejects', async () => {
    const { web, workspace } = await client({ limits: { tier4: 1 } })
    await web.users.info({ user: 'U0ANA00001' })
    const error = await failure(web.users.info({ user: 'U0ANA00001' }))
    expect(error).toBeInstanceOf(WebAPIRateLimitedError)
    expect(error).toMatchObject({ retryAfter: 60 })
    await workspace.acts.fault({ method: 'auth.test', effect: { kind: 'ratelimited', retryAfterSeconds: 0 } })
    const patient = webClient(workspace, {
      rejectRateLimitedCalls: false,
      retryConfig: { retries: 1, minTimeout: 1, maxTimeout: 1 },
    })
    expect((await patient.auth.test()).ok).toBe(true)
  })

  test('sees every kind of broken connection as it sees them at Slack', async () => {
    const { web, workspace } = await client()
    const post = () => web.chat.postMessage({ channel: alerts, text: 'x' })
    const under = async (effect: Parameters<Workspace['acts']['fault']>[0]['effect']) => {
      await workspace.acts.fault({ method: 'chat.postMessage', effect })
      return failure(post())
    }
    expect(await under({ kind: 'reset' })).toBeInstanceOf(WebAPIRequestError)
    expect(await under({ kind: 'status', status: 503 })).toBeInstanceOf(WebAPIHTTPError)
    expect(workspace.messages('alerts')).toHaveLength(0)
    expect(await under({ kind: 'commit_then_reset' })).toBeInstanceOf(WebAPIRequestError)
    expect(await under({ kind: 'commit_then_status', status: 500 })).toMatchObject({ statusCode: 500 })
    // A body that breaks off is no error of the SDK's at all (docs/slack.md#errors).
    expect(await under({ kind: 'truncate' })).toMatchObject({ message: 'terminated' })
    expect(await under({ kind: 'html' })).toMatchObject({
      data: { error: expect.stringContaining('<!doctype html>') },
    })
    expect(workspace.messages('alerts')).toHaveLength(3)
  })

  test('re-sends what Slack had already done: the duplicate that the SDK makes by default', async () => {
    const { workspace } = await client()
    await workspace.acts.fault({ method: 'chat.postMessage', effect: { kind: 'commit_then_reset' } })
    const eager = webClient(workspace, { retryConfig: { retries: 2, minTimeout: 1, maxTimeout: 1 } })
    await eager.chat.postMessage({ channel: alerts, text: 'twice' })
    expect(workspace.messages('alerts').map(({ text }) => text)).toEqual(['twice', 'twice'])
  })

  test('without a valid token learns so', async () => {
    const { workspace } = await client()
    const stranger = new WebClient('xoxb-wrong', {
      slackApiUrl: workspace.apiUrl,
      retryConfig: { retries: 0 },
      logger: quiet,
    })
    expect(await failure(stranger.auth.test())).toMatchObject({ data: { error: 'invalid_auth' } })
  })
})

describe('@slack/socket-mode', () => {
  test('starts on hello, acknowledges what comes, and stops', async () => {
    const { workspace } = await client()
    const socket = socketClient(workspace)
    socket.on('slash_commands', async ({ ack, body }) => ack({ text: `you said ${body.text}` }))
    socket.on('interactive', async ({ ack }) => ack())
    socket.on('app_home_opened', async ({ ack }) => ack())
    await socket.start()
    expect(workspace.sockets()).toBe(1)
    await workspace.acts.command({ user: 'ana', channel: '#alerts', command: '/mon', text: 'help' })
    expect(workspace.ephemerals('ana')).toMatchObject([{ text: 'you said help' }])
    await workspace.acts.home({ user: 'ana' })
    await eventually('the event', () =>
      workspace.events.since(0).some(({ event }) => event.type === 'event_acked'),
    )
    await socket.disconnect()
    await eventually('nobody', () => workspace.sockets() === 0)
  })

  test.each(['refresh_requested', 'link_disabled', 'too_many_websockets'] as const)(
    'comes back when it is told to go: %s',
    async (reason) => {
      const { workspace } = await client()
      const socket = socketClient(workspace)
      await socket.start()
      await workspace.acts.disconnect({ reason })
      expect(workspace.sockets()).toBe(0)
      await eventually('a new connection', () => socket.connected() === 2)
      expect(workspace.sockets()).toBe(1)
    },
  )

  test('comes back from a refused upgrade, from a cut, and from pings that nobody answers', async () => {
    const { workspace } = await client()
    const socket = socketClient(workspace)
    await workspace.acts.socketFault({ kind: 'refuse_upgrade' })
    await socket.start()
    expect(socket.connected()).toBe(1)
    await workspace.acts.cut()
    await eventually('a second connection', () => socket.connected() === 2)
    await workspace.acts.socketFault({ kind: 'pong_loss', times: 0 })
    await eventually('a third connection', () => socket.connected() === 3)
  })

  test('never starts without a hello', async () => {
    const { workspace } = await client()
    await workspace.acts.socketFault({ kind: 'no_hello' })
    const socket = socketClient(workspace)
    let started = false
    const starting = socket.start().then(
      () => {
        started = true
      },
      () => undefined,
    )
    await eventually('the connection', () => workspace.sockets() === 1)
    expect([started, workspace.sockets()]).toEqual([false, 1])
    await socket.disconnect()
    await starting
    expect(started).toBe(false)
  })

  test('with a revoked token is turned away', async () => {
    const { workspace } = await client()
    await workspace.acts.revoke({ token: 'app' })
    const socket = new SocketModeClient({
      appToken: workspace.appToken,
      autoReconnectEnabled: false,
      logger: quiet,
      clientOptions: { slackApiUrl: workspace.apiUrl, retryConfig: { retries: 0 } },
    })
    expect(await failure(socket.start())).toMatchObject({ data: { error: 'token_revoked' } })
  })
})
