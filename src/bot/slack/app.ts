/**
 * Bolt: commands, buttons, forms and events of our own workspace, acknowledged at once, become requests for the router. Answers that only
 * the asker sees go by `response_url`, or in a thread as an ephemeral message, since a `response_url` knows no thread.
 */
import type { App as Bolt, ViewOutput } from '@slack/bolt'
import bolt from '@slack/bolt/dist/App.js'
import type { Form } from '../acts/action.ts'
import { type Clock, minute, second } from '../clock.ts'
import type { Config } from '../config/settings.ts'
import type { Log } from '../log.ts'
import { digest } from '../view/blocks.ts'
import { homeView } from '../view/board.ts'
import type { Scene } from '../view/view.ts'
import type { SlackIdentity } from '../world/facts.ts'
import type { Outside } from '../world/journal.ts'
import { clientOptions, type Reach, sdkLogger } from './client.ts'
import type { Line } from './lines.ts'
import type { SlackPort } from './port.ts'
import { openTaker, postAt, type Respond, type Taker, type TakerParts } from './take.ts'

export type AppParts = TakerParts & {
  readonly config: Config['slack']
  readonly line: Line
  readonly reach: Reach
  readonly clock: Clock
  /** Somebody opened Home. */
  onHome(userId: string): void
  /** The bot is in this channel now; `isInvited`: just now, so it says hello. */
  onChannel(channel: string, isInvited: boolean): void
  /** Somebody deleted a message. */
  onDeleted(channel: string, ts: string): void
}

/** Slack closes a form within three seconds; a decision takes none of them. */
const formWithinMs = 2.5 * second

export function openApp(parts: AppParts) {
  const { scene, log } = parts
  const taker = openTaker(parts)
  const app = new bolt.default({
    // As it is known at each event: Slack may have been away at the start. Nothing is asked of it for this.
    authorize: async () => ({ botToken: parts.config.botToken.reveal(), ...botOf(scene()) }),
    receiver: parts.line.receiver,
    deferInitialization: true,
    convoStore: false,
    clientOptions: clientOptions(parts.reach),
    logger: sdkLogger(log),
  })

  // A channel may be shared with another workspace, whose people must not act here.
  app.use(async ({ body, next }) => {
    const self = scene().world.fact('slack') ?? (await parts.slack.identity())
    if (!('why' in self) && isOwn(body as Body, self)) return next()
    // What they write to each other asks nothing of us.
    if ((body as Body).event?.type !== 'message') log.warn('request:other_workspace')
  })
  app.error(async (error) => log.error('request:failed', { error: String(error) }))

  hearRequests(app, taker, parts)
  hearEvents(app, taker, parts)
  return {
    /** Resolves once Slack answered, or failed for the first time: it is tried for ever. */
    async start() {
      await app.init()
      await app.start()
    },
    stop: async () => void (await app.stop()),
  }
}

/** What people type, press and fill in. */
function hearRequests(app: Bolt, { take, originOf }: Taker, { scene, clock, log }: AppParts): void {
  /** Slack sends nothing of this again, so it is carried out even if its socket is closed by now. */
  async function acknowledge(ack: () => Promise<void>): Promise<void> {
    await ack().catch((error: unknown) => log.warn('request:unacknowledged', { error: String(error) }))
  }

  app.command(/.*/, async ({ ack, command, respond }) => {
    await acknowledge(ack)
    const { trigger_id: key, user_id: user, channel_id: channel, text } = command
    const asked = { kind: 'command', text } as const
    const place = { channel, threadTs: null }
    await take({ ...place, key, user, via: 'command', asked, triggerId: key, respond: quietly(respond) })
  })

  app.action(/.*/, async ({ ack, body, action, respond }) => {
    await acknowledge(ack)
    if (body.type !== 'block_actions' || !('action_id' in action)) return
    const { container, user, trigger_id: triggerId, response_url: responseUrl } = body
    const channel = body.channel?.id ?? null
    const ts = String(container.message_ts ?? '')
    const value = 'value' in action && typeof action.value === 'string' ? action.value : ''
    const option = 'selected_option' in action ? (action.selected_option?.value ?? null) : null
    // A link opens by itself; nothing is asked of us.
    if (value === '' && option === null) return
    const post = postAt(scene(), channel, ts)?.id ?? null
    const isInThread = typeof container.thread_ts === 'string' && container.thread_ts !== ts
    const threadTs = isInThread ? String(container.thread_ts) : null
    // What only one person sees is changed by its `response_url` alone, which puts the answer beside it.
    const isQuiet = responseUrl !== undefined && (threadTs === null || container.is_ephemeral === true)
    await take({
      key: `${user.id}+${'action_ts' in action ? action.action_ts : triggerId}+${action.action_id}`,
      user: user.id,
      channel,
      threadTs,
      via: container.type === 'view' ? 'home' : 'button',
      asked: { kind: 'press', press: { actionId: action.action_id, value, option, post } },
      triggerId,
      respond: isQuiet ? quietly(respond) : null,
    })
  })

  app.view(/.*/, async ({ ack, body, view }) => {
    if (body.type !== 'view_submission') return acknowledge(ack)
    const { user, trigger_id: triggerId } = body
    const form = formOf(view)
    const key = `${user.id}+${view.id}+${view.hash}`
    const place = originOf(view.id)
    const done = take({ ...place, key, user: user.id, via: 'form', asked: { kind: 'form', form }, triggerId })
    const late = new AbortController()
    const outcome = await Promise.race([done, clock.wait(formWithinMs, late.signal)])
    late.abort()
    const errors = outcome?.problems ?? null
    if (errors === null) await acknowledge(ack)
    else await acknowledge(() => ack({ response_action: 'errors', errors: { ...errors } }))
    await done
  })
}

function hearEvents(app: Bolt, { take }: Taker, { scene, onHome, onChannel, onDeleted }: AppParts): void {
  app.event('app_mention', async ({ event, body }) => {
    if (event.user === undefined || event.bot_id !== undefined) return
    const text = event.text.replace(`<@${botOf(scene()).botUserId}>`, ' ').trim()
    const place = { channel: event.channel, threadTs: event.thread_ts ?? null }
    const asked = { kind: 'command', text } as const
    await take({ ...place, key: body.event_id, user: event.user, via: 'mention', asked })
  })
  app.event('message', async ({ event, body }) => {
    if (event.subtype === 'message_deleted') return onDeleted(event.channel, event.deleted_ts)
    if (event.subtype !== undefined || event.channel_type !== 'im' || event.bot_id !== undefined) return
    const place = { channel: event.channel, threadTs: event.thread_ts ?? null }
    const asked = { kind: 'command', text: event.text ?? '' } as const
    await take({ ...place, key: body.event_id, user: event.user, via: 'message', asked })
  })
  app.event('app_home_opened', async ({ event }) => {
    if (event.tab === 'home') onHome(event.user)
  })
  app.event('member_joined_channel', async ({ event }) => {
    if (event.user === botOf(scene()).botUserId) onChannel(event.channel, true)
  })
  for (const name of ['channel_unarchive', 'group_unarchive'] as const)
    app.event(name, async ({ event }) => onChannel(event.channel, false))
}

/** Beside the message that was pressed, and never in its place. */
function quietly(respond: (message: never) => Promise<unknown>): Respond {
  return ({ text, blocks }) =>
    respond({ response_type: 'ephemeral', replace_original: false, text, blocks } as never)
}

function botOf({ world }: Scene): { botId: string; botUserId: string } {
  const { botId = '', botUserId = '' } = world.fact('slack') ?? {}
  return { botId, botUserId }
}

type Body = {
  readonly team_id?: string
  readonly enterprise_id?: string
  readonly team?: { readonly id?: string } | null
  readonly enterprise?: { readonly id?: string } | null
  readonly user?: { readonly team_id?: string }
  readonly event?: { readonly type?: string; readonly user_team?: string; readonly team?: string }
}

/** In a Grid a payload names any of a person's workspaces, or the Grid itself: then the Grid decides (docs/slack.md#requests). */
function isOwn(
  { team_id, team, enterprise, enterprise_id, user, event }: Body,
  self: SlackIdentity,
): boolean {
  const from = event?.user_team ?? event?.team ?? user?.team_id ?? team_id ?? team?.id
  if (from === undefined || from === self.teamId) return true
  const grid = self.enterpriseId ?? null
  return grid !== null && [from, enterprise_id, enterprise?.id].includes(grid)
}

/** What each field holds, by its action id; nothing where it was left empty. */
function formOf({ callback_id: callbackId, private_metadata: metadata, state }: ViewOutput): Form {
  const values = new Map<string, readonly string[]>()
  for (const block of Object.values(state.values))
    for (const [id, held] of Object.entries(block)) {
      const given = [held.value, held.selected_option?.value, held.selected_user]
      values.set(
        id,
        given.filter((one) => typeof one === 'string'),
      )
    }
  return { callbackId, metadata, values }
}

const lookedWithinMs = 10 * minute
const viewersMax = 50

export function openHomes(parts: {
  slack: SlackPort
  scene: () => Scene
  outside: Outside
  clock: Clock
  log: Log
}) {
  const { slack, scene, outside, log } = parts
  const viewers = new Map<string, { readonly sinceMs: number; shown: string }>()

  async function publish(userId: string): Promise<void> {
    const viewer = viewers.get(userId)
    const view = homeView(userId, scene())
    const hash = digest(JSON.stringify(view), 12)
    if (viewer === undefined || viewer.shown === hash) return
    viewer.shown = hash
    const outcome = await outside((pass) => slack.publishHome(pass, userId, view))
    if (outcome.kind === 'ok') return
    viewer.shown = ''
    log.warn('home:not_published', { outcome: outcome.kind })
  }

  return {
    opened(userId: string) {
      viewers.delete(userId)
      viewers.set(userId, { sinceMs: scene().nowMs, shown: '' })
      publish(userId).catch((error: unknown) => log.warn('home:failed', { error: String(error) }))
    },
    /** Publishes those that changed. */
    async refresh() {
      const { nowMs } = scene()
      for (const userId of [...viewers.keys()].slice(0, -viewersMax)) viewers.delete(userId)
      for (const [userId, { sinceMs }] of viewers) {
        if (nowMs - sinceMs > lookedWithinMs) viewers.delete(userId)
        else await publish(userId)
      }
    },
  }
}
