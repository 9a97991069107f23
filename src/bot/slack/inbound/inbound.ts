/** Registers the Bolt listeners: each request of Slack is acknowledged first, then decoded, handled and answered. */
import type { App } from '@slack/bolt'
import { z } from 'zod'
import { MemoryAway, StoreFailure } from '../../domain/base/failure.ts'
import { muteFingerprint, type Shown } from '../../domain/mute/shown.ts'
import type { Form, Reply } from '../../domain/request/reply.ts'
import { within } from '../../flow/concurrency/within.ts'
import type { Logger } from '../../flow/ports/ports.ts'
import { failureOf } from '../errors.ts'
import { printable } from '../mrkdwn.ts'
import { renderForm } from '../render/forms/forms.ts'
import { command, events } from '../vocabulary.ts'
import { type Answerable, type Asked, type Asker, address, threadOf, word } from './asked.ts'
import { decodePress } from './decode-press.ts'
import { askedOfShortcut, decodeShortcut, type ShortcutUse } from './decode-shortcut.ts'
import { decodeCommand, decodeTalk } from './decode-typed.ts'
import { fadeUndo } from './fade-undo.ts'
import { metadataText, parseMetadata } from './form-origin.ts'
import type { InboundPorts, Talk } from './inbound-ports.ts'
import { isAlreadyShown } from './respond.ts'
import { openSubmissions } from './submission.ts'
import { openSuggestions } from './suggestion.ts'

export type Inbound = {
  /** Resolves when nothing is being handled any more. */
  idle(): Promise<void>
}

type Ack = () => Promise<void>
/** What is known of a request in case of an unexpected error: the payload to answer, and whether it was passed on. */
type Trace = { readonly body: unknown; isPassedOn: boolean }

/** If a request takes longer than this, the person first hears that it is being done. */
const quietMs = 250
const channelCharsMax = 30
/** Slack tries an event again for six minutes; this many are remembered. */
const heardMax = 1_000

/** Any name: everything Slack sends to this app must be acknowledged, even under an unknown name. */
const anything = /[\s\S]*/

/** Registers every listener; nothing arrives before the app is started. */
export function listenTo(app: App, ports: InboundPorts, talk: Talk): Inbound {
  const { logger, botUserId } = talk
  const { run, idle } = openRuns(ports, talk)
  const serve = openServe(app.client, ports, talk, run)
  const submit = openSubmissions(app.client, ports, talk)
  const suggest = openSuggestions(ports, talk)
  const heardKeys = new Set<string>()

  /** Acknowledges at once, then decodes and answers. */
  const served = (ack: Ack, body: unknown, decode: Decode) =>
    run(body, async (trace) => {
      await acknowledge(ack, logger)
      await serve(decode, trace)
    })

  app.command(anything, ({ ack, body }) => served(ack, body, () => decodeCommand(body)))
  app.action(anything, ({ ack, body }) => served(ack, body, () => decodePress(body)))
  app.shortcut(anything, ({ ack, body }) =>
    served(ack, body, async () => {
      const use = decodeShortcut(body)
      return use === null ? null : askedOfShortcut(use, await alertOf(use, ports))
    }),
  )
  app.view(anything, ({ ack, body }) =>
    run(body, async (trace) => {
      if (isStranger(body, talk)) {
        await acknowledge(ack, logger)
        return turnAway(body, talk)
      }
      let isAnswered = false
      try {
        trace.isPassedOn = true
        await submit(body, (response) => {
          isAnswered = true
          return acknowledge(() => (response === null ? ack() : ack(response)), logger)
        })
      } finally {
        if (!isAnswered) await acknowledge(ack, logger)
      }
    }),
  )
  app.options(anything, ({ ack, body }) =>
    run(null, async () => {
      const options = isStranger(body, talk) ? [] : await suggest(body)
      await acknowledge(() => ack({ options }), logger)
    }),
  )
  app.event(events.homeOpened, ({ event }) =>
    run(null, async () => {
      if (event.tab === 'home') await ports.onHome(event.user)
    }),
  )
  for (const unarchived of [events.unarchived, events.privateUnarchived] as const) {
    app.event(unarchived, ({ event }) => run(null, () => reopened(event.channel)))
  }
  app.event(events.joined, ({ event }) =>
    run(null, async () => {
      if (event.user === botUserId) await reopened(event.channel)
    }),
  )
  app.event(events.mentioned, ({ event, body }) => heard(event, body))
  app.event('message', ({ event, body }) => heard(event, body))
  app.error(async (error) => {
    logger.error('request:failed', { error })
  })

  /** Answers a message to the bot once, even if Slack sends it again because it was acknowledged too late. */
  async function heard(event: unknown, envelope: unknown): Promise<void> {
    const talked = decodeTalk(event, envelope, botUserId)
    if (talked === null || heardKeys.has(talked.key)) return
    heardKeys.add(talked.key)
    const [oldest] = heardKeys
    if (heardKeys.size > heardMax && oldest !== undefined) heardKeys.delete(oldest)
    await run(talked.sender, (trace) => serve(() => talked.asked, trace))
  }

  async function reopened(channel: string): Promise<void> {
    logger.info('channel:reopened', { channel: printable(channel, channelCharsMax) })
    await ports.onReopened(channel)
  }

  return { idle }
}

type Run = (body: unknown, work: (trace: Trace) => Promise<void>) => Promise<void>

/** Runs requests concurrently, and answers those that end in an unexpected error. */
function openRuns({ ids }: InboundPorts, { logger, respond }: Talk) {
  const running = new Set<Promise<void>>()

  /** `body` null: nobody waits for an answer. An unexpected error is answered with an id that is in the log. */
  async function run(body: unknown, work: (trace: Trace) => Promise<void>): Promise<void> {
    const trace: Trace = { body, isPassedOn: false }
    const current = work(trace).catch((error: unknown) => broken(trace, error))
    running.add(current)
    await current.finally(() => running.delete(current))
  }

  async function broken({ body, isPassedOn }: Trace, error: unknown): Promise<void> {
    const what = body === null ? 'unasked' : nameOf(body)
    const sender = senderOf(body)
    if (error instanceof MemoryAway) {
      logger.warn('request:away', { what, why: error.message })
      if (sender !== null) await respond.answer(sender.asker, { kind: 'away', mayBeDone: isPassedOn })
      return
    }
    const errorId = ids.make()
    logger.error('request:broken', { errorId, what, error })
    if (sender === null) return
    const isDatabaseError = error instanceof StoreFailure
    await respond.answer(sender.asker, { kind: 'broken', errorId, mayBeDone: isPassedOn, isDatabaseError })
  }

  return {
    run,
    idle: async () => {
      await Promise.allSettled(running)
    },
  }
}

/** Null: not one of ours. */
type Decode = () => Asked | null | Promise<Asked | null>
type Serve = (decode: Decode, trace: Trace) => Promise<void>

/** Decodes a command, a click or a shortcut, handles it, and answers with words or a form. */
function openServe(client: App['client'], ports: InboundPorts, talk: Talk, run: Run): Serve {
  const { logger, respond, clock } = talk

  async function replyTo(asked: Answerable, trace: Trace): Promise<Reply> {
    if (asked.kind === 'refused') return { kind: 'refused', refusal: asked.refusal }
    const { asker, request } = asked
    trace.isPassedOn = true
    const handling = ports.handle(request)
    if (request.intent.kind !== 'confirm') return handling
    const reply = await within(clock, quietMs, handling)
    if (reply !== 'late') return reply
    const [late] = await Promise.all([handling, respond.working(asker)])
    return late
  }

  return async (decode, trace) => {
    if (isStranger(trace.body, talk)) return turnAway(trace.body, talk)
    const asked = await decode()
    if (asked === null) return logger.warn('request:unknown', { what: nameOf(trace.body) })
    if (asked.kind === 'nothing') return
    if (asked.kind === 'refused') logger.debug('request:not_understood', { why: asked.refusal.why })
    const reply = await replyTo(asked, trace)
    if (asked.kind === 'request' && isAlreadyShown(asked.request, reply)) return
    if (reply.kind !== 'form') {
      const isReplaced = await respond.answer(asked.asker, reply)
      const answered = { asker: asked.asker, reply }
      const { isStanding, whenAnswered } = ports
      if (isReplaced) void run(null, () => fadeUndo(answered, { ...talk, isStanding, whenAnswered }))
      return
    }
    const instead = await openForm(client, reply.form, asked, talk)
    if (instead !== null) await respond.answer(asked.asker, instead)
  }
}

async function alertOf({ channel, messages }: ShortcutUse, ports: InboundPorts): Promise<string | null> {
  for (const ts of messages) {
    const card = await ports.cardAt(channel, ts)
    if (card === null) continue
    // If several are folded into one card, the newest is last.
    if (card.kind === 'alert') return card.alertIds.at(-1) ?? null
    if (card.alertIds.length === 1) return card.alertIds[0] ?? null
  }
  return null
}

// The socket may be closed by now. The request is carried out anyway, and answered in another way.
async function acknowledge(ack: Ack, logger: Logger): Promise<void> {
  try {
    await ack()
  } catch (error) {
    logger.warn('request:unacknowledged', { why: error instanceof Error ? error.name : 'unknown' })
  }
}

/**
 * Is the request from another workspace, which shares a channel with this one? Not if both belong to one Grid: there Slack names
 * any of a person's workspaces (docs/slack.md#requests).
 */
function isStranger(body: unknown, { teamId, enterpriseId }: Talk): boolean {
  const sender = senderOf(body)
  const of = sender?.teamId ?? null
  if (of === null || of === teamId) return false
  // An event may name the Grid itself instead of a workspace.
  return enterpriseId === null || (of !== enterpriseId && sender?.enterpriseId !== enterpriseId)
}

async function turnAway(body: unknown, { logger, respond }: Talk): Promise<void> {
  const sender = senderOf(body)
  if (sender === null) return
  logger.warn('request:refused', { why: 'other_workspace', userId: sender.asker.userId })
  await respond.answer(sender.asker, { kind: 'refused', refusal: { why: 'other_workspace' } })
}

/** For the log: the name of the action or the form, and nothing that somebody typed. */
function nameOf(body: unknown): string {
  const fields = Object(body) as { type?: unknown; callback_id?: unknown; actions?: unknown }
  const [action] = Array.isArray(fields.actions) ? fields.actions : []
  const name = Object(action).action_id ?? fields.callback_id ?? ''
  return printable(`${String(fields.type ?? 'command')} ${String(name)}`, 100)
}

type Sender = {
  readonly asker: Asker
  /** The person's own workspace; null if Slack does not say. */
  readonly teamId: string | null
  /** The Grid, an organization of several workspaces, that they belong to; null if there is none, or Slack does not say. */
  readonly enterpriseId: string | null
}

const id = word.optional().catch(undefined)
const one = z.object({ id, team_id: id }).optional().catch(undefined)
const shape = z.object({
  // In a command.
  user_id: id,
  channel_id: id,
  team_id: id,
  enterprise_id: id,
  message_ts: id,
  // In everything else.
  user: one,
  team: one,
  enterprise: one,
  channel: one,
  container: z.object({ message_ts: id, thread_ts: id }).optional().catch(undefined),
  message: z.object({ thread_ts: id }).optional().catch(undefined),
  view: z
    .object({ private_metadata: z.string().max(3_000) })
    .optional()
    .catch(undefined),
  response_url: address.optional().catch(undefined),
})

/** The sender; null if no user is named. */
function senderOf(body: unknown): Sender | null {
  const read = shape.safeParse(body)
  if (!read.success) return null
  const { user, team, enterprise, channel, container, message, view, ...said } = read.data
  const userId = user?.id ?? said.user_id
  if (userId === undefined) return null
  const origin = view === undefined ? null : parseMetadata(view.private_metadata)
  return {
    asker: {
      userId,
      channel: channel?.id ?? said.channel_id ?? origin?.channel ?? null,
      threadTs:
        threadOf(container?.thread_ts ?? message?.thread_ts, container?.message_ts ?? said.message_ts) ??
        origin?.threadTs ??
        null,
      responseUrl: said.response_url ?? origin?.responseUrl ?? null,
      triggerId: null,
      replaces: 'never',
    },
    enterpriseId: enterprise?.id ?? said.enterprise_id ?? null,
    teamId: user?.team_id ?? team?.id ?? said.team_id ?? null,
  }
}

/** Opens the form; returns null once it is open, otherwise what to say instead. */
async function openForm(
  client: App['client'],
  form: Form,
  asked: Answerable,
  { clock, logger }: Talk,
): Promise<Reply | null> {
  const { triggerId, channel, threadTs, responseUrl } = asked.asker
  if (triggerId === null) {
    return {
      kind: 'refused',
      refusal: { why: 'invalid', expected: `${command} …: a form opens from it`, came: '' },
    }
  }
  const intent = asked.kind === 'request' ? asked.request.intent : null
  const metadata = metadataText({
    form: form.name,
    alertId: form.alert?.alertId ?? (intent?.kind === 'open_form' ? intent.alertId : null),
    // What the matchers were, so that it is known whether somebody edits them.
    given: form.matchers === undefined ? form.given : form.matchers.join('\n'),
    openedMs: clock.nowMs(),
    shown: shownBy(form),
    card: asked.kind === 'request' ? asked.request.card : null,
    channel,
    threadTs,
    responseUrl,
  })
  if (metadata === null) {
    const came = `${form.given?.length ?? 0} characters`
    return {
      kind: 'refused',
      refusal: { why: 'invalid', expected: 'shorter names, or fewer at once', came },
    }
  }
  try {
    await client.views.open({ trigger_id: triggerId, view: renderForm(form, metadata) })
    return null
  } catch (error) {
    const { message } = failureOf(error, 'open the form')
    logger.warn('form:not_opened', { form: form.name, why: message })
    return { kind: 'failed', doing: form.name, words: message, isUnknown: false }
  }
}

/** What the form of a mute showed. */
function shownBy({ name, alert, given, hidesNow, others }: Form): Shown {
  const server = name === 'mute_server' ? (alert?.hostname ?? given) : null
  return { servers: server === null ? [] : [server], open: hidesNow, mutes: others.map(muteFingerprint) }
}
