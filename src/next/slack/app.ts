/**
 * Bolt: commands, buttons, forms and events of our own workspace, acknowledged at once, become requests for the router. Answers that only
 * the asker sees go by `response_url`, or in a thread as an ephemeral message, since a `response_url` knows no thread.
 */
import bolt from '@slack/bolt'
import type { Form } from '../acts/act.ts'
import type { Asked, RequestIn } from '../acts/request.ts'
import type { Router } from '../acts/router.ts'
import type { Config } from '../config/config-types.ts'
import type { Log } from '../log.ts'
import type { Scene, View } from '../view/scene.ts'
import type { Outside, Pass } from '../world/outside.ts'
import { LostLead } from '../world/store.ts'
import type { Post } from '../world/types.ts'
import { clientOptions, type Reach, sdkLogger } from './client.ts'
import type { Directory } from './directory.ts'
import type { SlackPort } from './port.ts'
import type { Line } from './sockets.ts'

export type AppParts = {
  readonly config: Config['slack']
  readonly line: Line
  readonly reach: Reach
  readonly slack: SlackPort
  readonly directory: Directory
  readonly router: Router
  readonly scene: () => Scene
  readonly outside: Outside
  readonly log: Log
  /** Somebody opened Home. */
  onHome(userId: string): void
  /** The bot is in this channel now; `isInvited`: just now, so it says hello. */
  onChannel(channel: string, isInvited: boolean): void
}

export type App = {
  /** Resolves once Slack answered, or failed for the first time: it is tried for ever. */
  start(): Promise<void>
  stop(): Promise<void>
}

type Where = { readonly channel: string | null; readonly threadTs: string | null }
type Respond = (message: { text: string; blocks?: View['blocks'] }) => Promise<unknown>

export function openApp(parts: AppParts): App {
  const { slack, directory, router, scene, log } = parts
  const app = new bolt.App({
    // As it is known at each event: Slack may have been away at the start. Nothing is asked of it for this.
    authorize: async () => ({ botToken: parts.config.botToken.reveal(), ...botOf(scene()) }),
    receiver: parts.line.receiver,
    deferInitialization: true,
    convoStore: false,
    ignoreSelf: true,
    clientOptions: clientOptions(parts.reach),
    logger: sdkLogger(log),
  })

  // An app that is shared, or a token that was moved, must not let another workspace act.
  app.use(async ({ body, next }) => {
    const own = scene().world.fact('slack')?.teamId
    const from = teamOf(body)
    if (own !== undefined && from !== undefined && from !== own)
      return log.warn('request:other_team', { team: from })
    await next()
  })
  app.error(async (error) => log.error('request:failed', { error: String(error) }))

  async function take(
    key: string,
    userId: string,
    where: Where,
    via: RequestIn['ask']['via'],
    asked: Asked,
    respond: Respond | null,
    triggerId: string | null,
  ) {
    const person = await directory.person(userId)
    const threadPost =
      where.threadTs === null ? null : (postAt(scene(), where.channel, where.threadTs)?.id ?? null)
    const answer = async (pass: Pass, { text, blocks }: View) => {
      if (respond !== null && where.threadTs === null) return void (await respond({ text, blocks }))
      const channel = where.channel ?? person.id
      if (where.channel === null || via === 'message') {
        await slack.post(pass, {
          channel,
          threadTs: null,
          isBroadcast: false,
          key: `answer:${key}`,
          text,
          blocks,
        })
        return
      }
      await slack.ephemeral(pass, channel, userId, where.threadTs, { text, blocks })
    }
    const open = async (view: Parameters<RequestIn['open']>[0]) => {
      if (triggerId === null) return 'it needs a command or a button'
      const opened = await slack.openView(triggerId, view)
      return 'why' in opened ? opened.why : null
    }
    const ask = { key, person, channel: where.channel, threadTs: where.threadTs, threadPost, triggerId, via }
    try {
      return await router.take({ ask, asked, answer, open })
    } catch (error) {
      if (!(error instanceof LostLead)) throw error
      return { problems: null }
    }
  }

  app.command(/.*/, async ({ ack, command, respond }) => {
    await ack()
    const { trigger_id: key, user_id: user, channel_id: channel, text } = command
    await take(
      key,
      user,
      { channel, threadTs: null },
      'command',
      { kind: 'command', text },
      sender(respond),
      key,
    )
  })

  app.action(/.*/, async ({ ack, body, action, respond }) => {
    await ack()
    if (body.type !== 'block_actions' || !('action_id' in action)) return
    const { container } = body
    const channel = body.channel?.id ?? null
    const ts = String(container.message_ts ?? '')
    const threadTs =
      typeof container.thread_ts === 'string' && container.thread_ts !== ts ? container.thread_ts : null
    const post = postAt(scene(), channel, ts)
    const value = 'value' in action && typeof action.value === 'string' ? action.value : ''
    const option = 'selected_option' in action ? (action.selected_option?.value ?? null) : null
    // A link opens by itself; nothing is asked of us.
    if (value === '' && option === null) return
    const press = { actionId: action.action_id, value, option, post: post?.id ?? null }
    const via = container.type === 'view' ? 'home' : 'button'
    const key = `${body.user.id}+${'action_ts' in action ? action.action_ts : body.trigger_id}+${action.action_id}`
    const isEphemeral = container.is_ephemeral === true
    const answering = isEphemeral || threadTs === null ? sender(respond) : null
    await take(
      key,
      body.user.id,
      { channel, threadTs: isEphemeral ? null : threadTs },
      via,
      { kind: 'press', press },
      body.response_url ? answering : null,
      body.trigger_id,
    )
  })

  app.view(/.*/, async ({ ack, body, view }) => {
    if (body.type !== 'view_submission') return ack()
    const values = new Map<string, readonly string[]>()
    for (const block of Object.values(view.state.values))
      for (const [id, state] of Object.entries(block)) values.set(id, chosen(state))
    const form: Form = { callbackId: view.callback_id, metadata: view.private_metadata, values }
    const done = take(
      `${body.user.id}+${view.id}+${view.hash}`,
      body.user.id,
      { channel: null, threadTs: null },
      'form',
      { kind: 'form', form },
      null,
      body.trigger_id,
    )
    // Slack closes the form within three seconds; a decision takes none of them.
    const outcome = await Promise.race([
      done,
      new Promise<null>((resolve) => setTimeout(resolve, 2500, null)),
    ])
    if (outcome?.problems) await ack({ response_action: 'errors', errors: { ...outcome.problems } })
    else await ack()
    await done
  })

  app.event('app_mention', async ({ event, body }) => {
    const text = event.text.replace(/<@[A-Z0-9]+>/, '').trim()
    const threadTs = event.thread_ts ?? null
    await take(
      body.event_id,
      event.user ?? '',
      { channel: event.channel, threadTs },
      'mention',
      { kind: 'command', text },
      null,
      null,
    )
  })
  app.event('message', async ({ event, body }) => {
    if (event.subtype !== undefined || event.channel_type !== 'im' || event.bot_id !== undefined) return
    await take(
      body.event_id,
      event.user,
      { channel: event.channel, threadTs: null },
      'message',
      { kind: 'command', text: event.text ?? '' },
      null,
      null,
    )
  })
  app.event('app_home_opened', async ({ event }) => {
    if (event.tab === 'home') parts.onHome(event.user)
  })
  app.event('member_joined_channel', async ({ event }) => {
    if (event.user === scene().world.fact('slack')?.botUserId) parts.onChannel(event.channel, true)
  })
  for (const name of ['channel_unarchive', 'group_unarchive'] as const)
    app.event(name, async ({ event }) => parts.onChannel(event.channel, false))

  return {
    async start() {
      await app.init()
      await app.start()
    },
    stop: async () => void (await app.stop()),
  }
}

function sender(respond: (message: never) => Promise<unknown>): Respond {
  return (message) => respond({ response_type: 'ephemeral', replace_original: false, ...message } as never)
}

/** The post of ours at a place in Slack. */
export function postAt({ world }: Scene, channel: string | null, ts: string): Post | null {
  for (const post of world.posts.values())
    if (post.ts === ts && (post.channelId ?? post.channel) === channel) return post
  return null
}

function botOf({ world }: Scene): { botId: string; botUserId: string } {
  const { botId = '', botUserId = '' } = world.fact('slack') ?? {}
  return { botId, botUserId }
}

function teamOf(body: object): string | undefined {
  if ('team_id' in body && typeof body.team_id === 'string') return body.team_id
  if ('team' in body && typeof body.team === 'object' && body.team !== null && 'id' in body.team)
    return String(body.team.id)
  return undefined
}

type State = {
  readonly value?: string | null
  readonly selected_option?: { readonly value?: string } | null
  readonly selected_user?: string | null
}

function chosen(state: object): readonly string[] {
  const { value, selected_option: option, selected_user: user } = state as State
  return [value, option?.value, user].filter((one): one is string => typeof one === 'string')
}
